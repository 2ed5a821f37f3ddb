-- Decides whether self-guard denies a call or asks about it: see hooks/self-guard.lua.
local build_files = require "shell_guard.build_files"
local code = require "self_guard.code"
local what_changes = require "self_guard.changes"
local what_line = require "self_guard.line"
local path = require "file_guard.path"
local reached = require "self_guard.reached"
local runs_code = require "self_guard.runs_code"
local says = require "self_guard.says"
local targets = require "file_guard.targets"
local texts = require "shell_guard.texts"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has
local shown, shown_command, ask = says.shown, says.shown_command, says.ask
local VERB, WHY, REPLACED, MODULE, SWITCHED = says.VERB, says.WHY, says.REPLACED, says.MODULE, says.SWITCHED

local SWITCHES = set "disableallhooks allowmanagedhooksonly hooks hooksconfig enablehooks codex_hooks"
local LANGUAGES = set "python node javascript js typescript ts ruby perl php lua jupyter notebook cell repl sql julia r"
local MOVES = set "cd chdir pushd popd"
-- Programs with options that load a module.
local MODULES = set "node bun tsx deno"
local LINKS = set "ln cp mv install link"

local DEEPEST = 4
local UNREADABLE = "orcs could not parse this command line, which references protected files. Write it more simply."

-- options: as in hooks/self-guard.lua
-- Returns function(read, kept), which returns why the call is denied and why it needs approval,
-- or nil for each.
-- read: the result of file_guard.call
-- kept: files whose change orcs has checked: it keeps the entries of orcs and all hooks
return function(options)
  local kit = reached(options)
  local changes, lines = what_changes(kit), what_line(kit)
  local guarded, loosening, refusal = kit.guarded, kit.loosening, kit.refusal
  local looks_up, judge_unknown = kit.looks_up, kit.judge_unknown
  local look, look_at_line

  -- Judges a command line that another one runs.
  local function look_deeper(line, read, state, cwd)
    if state.depth >= DEEPEST then return nil end
    state.depth = state.depth + 1
    local kept_line, kept_cwd, kept_command = state.line, read.command_cwd, state.command
    read.command_cwd = cwd or read.command_cwd
    local refused = look_at_line(kit.with_known(line), read, state)
    state.line, read.command_cwd, state.command = kept_line, kept_cwd, kept_command
    state.depth = state.depth - 1
    return refused
  end

  local judge_code = runs_code(kit, look_deeper)

  local function judge_command(position, commands, text, cwd, read, state)
    local command = commands[position]
    if position == 1 then state.line = lines.begin(text) end
    local line = state.line
    state.command = command
    if lines.is_elsewhere(position, commands) then return nil end
    if MOVES[command.program] then lines.note_move(command, cwd, line, state) end
    if not cwd then
      local move = line.moves[#line.moves]
      cwd = move and move.known or nil
    end
    local known = setmetatable({ all = commands, at = position, line = text }, { __index = command })
    local function given() return lines.given_texts(known, line) end
    local found = loosening.of_command(command, text, cwd, line.aliases, given)
    if found == "ask" then
      ask(state, shown_command(command) .. " may weaken the protection by orcs: its words are only known to the shell.")
    elseif found == "replaced" then
      ask(state, REPLACED:format(shown_command(command)))
    elseif found then
      return (WHY[found] or VERB):format(shown_command(command))
    end
    -- A link or copy gives the program another name.
    if LINKS[command.program] then
      local operands = split(command.argv, set "-t --target-directory -S --suffix -m -o -g")
      local from, to = operands[1], operands[#operands]
      local is_program = from and loosening.is_orcs(from.text, cwd, line.aliases, true)
      if from and to and from ~= to and (is_program or looks_up(from.text)) then
        line.aliases[#line.aliases + 1] = path.resolve(to.text, cwd)
      end
    end
    local refused
    -- file_guard.targets ignores what ssh runs; this ssh leads to this machine.
    if orcs.contains(command.via, "ssh") then
      refused = look_deeper({ table.unpack(command.argv) }, read, state, cwd)
    end
    refused = refused or changes.program(command, cwd, state)
    if not refused then refused = changes.handed(position, commands, cwd, state) end
    local pieces = code.of_command(command, known)
    if not refused and (#pieces == 0 or pieces[1].language == "sqlite") then
      refused = changes.others(position, commands, cwd, state)
    end
    if not refused then refused = lines.judge_later(position, commands, line) end
    if refused then return refused end
    for _, piece in ipairs(pieces) do
      refused = judge_code(piece.text, piece.language, piece.words, read, state, cwd)
      if refused then return refused end
    end
    local program = command.program:lower()
    if MODULES[program] then
      for at = 2, #command.argv do
        local module = command.argv[at]:match("^%-%-?%a[%w-]*=(.+)$") or command.argv[at]
        local option = set("-r --require --import --loader --experimental-loader")[command.argv[at - 1]]
          or module ~= command.argv[at]
        if option and loosening.is_module(path.resolve(module, cwd)) then
          ask(state, MODULE:format(shown(module)))
        end
      end
    end
    -- A script, Makefile or package.json that the line has written earlier.
    if line.writes and not lines.check_only(command) then
      refused = build_files.judge(known, program, function(script)
        return look_deeper(script:gsub("%$%(HOME%)", "~"):gsub("%$%$", "$"), read, state, cwd)
      end)
      if refused then return refused end
      local file = texts.file_run(known, false)
      for _, script in ipairs(file and texts.written(known, file) or {}) do
        refused = look_deeper(script, read, state, cwd)
        if refused then return refused end
      end
    end
    return nil
  end

  look, look_at_line = targets({
    refusal = refusal,
    unknown = judge_unknown,
    unreadable = function(line, state)
      if state.script and not loosening.in_words(line) then return nil end
      local near = line:lower()
      local told = near:find("orcs") ~= nil
      for _, rule in ipairs(options.settings) do told = told or near:find(rule, 1, true) ~= nil end
      if told then ask(state, UNREADABLE) end
    end,
    command = judge_command,
    inner = function(line, read, state) return look_deeper(line, read, state, read.command_cwd) end,
    glance = function(text) return guarded:glanced(text) end,
    code = function(text, read, state) return judge_code(text, nil, {}, read, state, read.command_cwd) end,
    -- The text may be no command line: if it cannot be parsed, only orcs commands in it count.
    in_script = function(state) return setmetatable({ script = true }, { __index = state, __newindex = state }) end,
    is_code = function(read)
      for word in pairs(read.words) do
        if LANGUAGES[word] then return true end
      end
      return false
    end,
    verbs = set [[
      purge erase destroy trash clear format set upload wipe reset sync checkout restore stash commit pull merge
      rebase ]],
    removes = set "purge erase destroy trash clear wipe",
  })

  -- Judges tools that change settings of the coding agent, such as `Config` of Claude Code.
  local function judge_config(read, state)
    if not (read.words.config or read.words.settings or read.words.setting) or #read.texts == 0 then return end
    for _, entry in ipairs(read.texts) do
      for name in entry.text:gmatch("[%w_.]+") do
        local last = name:lower():match("[^.]*$")
        if SWITCHES[last] then ask(state, SWITCHED:format(shown(name))) end
      end
    end
  end

  return function(read, kept)
    local state = { kept = kept, depth = 0, reals = {}, names = {}, root = read.cwd }
    judge_config(read, state)
    for i, line in ipairs(read.commands or {}) do read.commands[i] = kit.with_known(line) end
    local refused = look(read, state) or lines.judge_later_file(read)
    return refused, state.asks
  end
end
