-- Decides whether self-guard denies a call or asks about it: see hooks/self-guard.lua.
local call = require "file_guard.call"
local code = require "self_guard.code"
local what_changes = require "self_guard.changes"
local names = require "file_guard.names"
local path = require "file_guard.path"
local reached = require "self_guard.reached"
local runs_code = require "self_guard.runs_code"
local says = require "self_guard.says"
local set = require("file_guard.words").set
local shown, shown_command, ask, masked = says.shown, says.shown_command, says.ask, says.masked
local VERB, WHY, REPLACED, MODULE, SWITCHED = says.VERB, says.WHY, says.REPLACED, says.MODULE, says.SWITCHED
local PERHAPS, UNKNOWN = says.PERHAPS, says.UNKNOWN

local SWITCHES = set "disableallhooks allowmanagedhooksonly hooks hooksconfig enablehooks codex_hooks"
local LANGUAGES = set "python node javascript js typescript ts ruby perl php lua jupyter notebook cell repl sql julia r"
local MOVES = set "cd chdir pushd popd"
-- Programs with options that load a module.
local MODULES = set "node bun tsx deno"
local LOADS = set "-r --require --import --loader --experimental-loader"
local LINKS = set "ln cp mv install link"
-- Programs that run a command on another machine or in a container.
local ELSEWHERE = set "mosh docker podman nerdctl kubectl oc docker-compose vagrant lxc incus"
-- Names of this machine.
local LOCAL = set "localhost localhost.localdomain ::1 0.0.0.0"
-- Arguments of tools that hold the text to write.
local WRITTEN = set [[
  content contents text filetext newstring newstr newtext newsource inserttext insertline data body ]]
local CONTAINERS = set "docker podman nerdctl docker-compose podman-compose"
-- Effects that change files.
local CHANGES = set "write remove attributes"
-- Files that are run later, such as startup files of shells and git hooks, as rules of
-- file_guard.names.
local LATER = names.table({
  ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
  ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".envrc", ".xprofile", ".xinitrc",
  ".config/fish/", ".config/autostart/", ".config/systemd/", ".git/hooks/", ".husky/",
})

-- What commands mention that have to do with orcs or the settings of agents: of long files, only these are judged.
local NEAR = { "orcs", ".claude", "settings", ".local/state", ".config" }
-- Of files, at most so many commands are judged.
local MOST_IN_FILES = 40
local DEEPEST = 4
local UNREADABLE = "orcs could not parse this command line, which references protected files. Write it more simply."

-- How an effect changes its target: see Places:reached.
local function how_of(effect)
  -- A link that replaces a folder hides it.
  if effect.kind == "remove" or effect.program == "ln" then return "gone" end
  if not effect.recursive then return nil end
  if effect.kind == "attributes" then return "gone" end
  return effect.from and "tree" or "below"
end

-- Whether an ssh command leads to this machine.
local function is_here(ssh)
  local host = ssh.args and ssh.argv[(ssh.args.operands[1] or 0)] or ssh.argv[2] or ""
  host = host:lower():match("[^@]*$")
  return host == "" or LOCAL[host] or host:find("^127%.[%d.]+$") ~= nil or host:find("[$`]") ~= nil
end

-- Whether a command runs on another machine or in a container.
local function is_elsewhere(position, commands)
  for _, via in ipairs(commands[position].via) do
    if ELSEWHERE[via] then return true end
    for at = position - 1, via == "ssh" and 1 or position, -1 do
      if commands[at].program == "ssh" then return not is_here(commands[at]) end
    end
  end
  return false
end

-- options: as in hooks/self-guard.lua
-- Returns function(ctx, kept), which returns why the call is denied and why it needs approval, or
-- nil for each.
-- kept: files whose change orcs has checked: it keeps the entries of orcs and all hooks
return function(options)
  local kit = reached(options)
  local guarded, loosening, refusal, filled = kit.guarded, kit.loosening, kit.refusal, kit.filled
  local named, judge_unknown = kit.named, kit.judge_unknown
  local changes = what_changes(kit)
  local look_at_line

  -- Judges a command line that another one runs.
  local function look_deeper(line, read, state, cwd)
    if state.depth >= DEEPEST then return nil end
    state.depth = state.depth + 1
    local kept_line, kept_cwd, kept_command = state.line, read.command_cwd, state.command
    read.command_cwd = cwd or read.command_cwd
    local refused = look_at_line(line, read, state)
    state.line, read.command_cwd, state.command = kept_line, kept_cwd, kept_command
    state.depth = state.depth - 1
    return refused
  end

  local judge_code = runs_code(kit, look_deeper)

  -- Records where cd and pushd may lead, for later commands whose working directory is unknown.
  local function note_move(command, cwd, line, state)
    local operand = command.argv[2]
    for at = 2, #command.argv do
      if not command.argv[at]:find("^%-.") then
        operand = command.argv[at]
        break
      end
    end
    local from = cwd and { known = cwd } or line.moves[#line.moves]
    local to
    if operand == nil then
      to = command.program ~= "popd" and command.program ~= "pushd" and path.home and { known = path.home } or nil
    elseif operand == "-" then
      -- Before the first one of the line, it is a folder that an earlier line was in.
      to = line.old and { known = line.old } or { text = UNKNOWN }
    else
      local full = path.given(filled(operand, state))
      local mask = masked(full)
      if mask:sub(1, 1) == "/" then
        to = mask:find(UNKNOWN) and { text = path.normal(mask) } or { known = path.normal(full) }
      elseif mask:sub(1, 1) == UNKNOWN or not from then
        to = { text = mask }
      elseif from.known and not mask:find(UNKNOWN) then
        to = { known = path.normal(from.known .. "/" .. mask) }
        if line.cdpath and not mask:find("^%.") then
          line.moves[#line.moves + 1] = { text = UNKNOWN .. "/" .. mask }
          for value in line.text:gmatch("CDPATH=[\"']?([^%s;\"']+)") do
            for folder in value:gmatch("[^:]+") do
              local place = path.given(filled(folder, state))
              if place:sub(1, 1) == "/" then
                line.moves[#line.moves + 1] = { known = path.normal(place .. "/" .. mask) }
              end
            end
          end
        end
      else
        to = { text = path.normal((from.known or from.text) .. "/" .. mask) }
      end
      if to and to.text then line.moved_unknown = true end
    end
    if cwd then
      line.old = cwd
      if #line.moves == 0 then line.moves[1] = { known = cwd } end
    end
    if #line.moves < 32 then line.moves[#line.moves + 1] = to end
  end

  -- Judges what a command does to files.
  local function judge_effects(effects, command, text, read, state)
    local later
    local copied = command and changes.copy(command)
    for _, effect in ipairs(effects) do
      local word = effect.word
      if CHANGES[effect.kind] and not effect.elsewhere and word and word ~= "…" and word ~= "{}" then
        local how, refused = how_of(effect), nil
        local start, pattern = word:match("^(.-)/%*%*/(.+)$")
        if copied and effect.kind == "write" and (effect.recursive or copied(word) ~= "tree") then
          how = copied(word, effect.recursive)
        end
        if how == "skip" then
          -- Only what is in the folder is copied.
        elseif CONTAINERS[effect.program] and not effect.sure then
          -- What is in the container may change what is mounted.
          local kind = effect.target and guarded:reached(effect.target, "tree", state.root)
          if kind and kind.name ~= "program" then ask(state, PERHAPS:format(shown_command(command), kind.what)) end
        elseif start then
          refused = changes.found(start, pattern, how == "gone", command, effect.cwd, state)
        elseif effect.target then
          later = later or (effect.kind == "write" and LATER:match(effect.target) and word)
          refused = refusal(word, effect.cwd, how, effect.sure, state)
        else
          later = later or (effect.kind == "write" and LATER:match(path.normal(word)) and word)
          refused = judge_unknown(word, effect, how, state)
        end
        if refused then return refused end
      end
    end
    -- `s/x/orcs trust/`
    if later and (loosening.in_words(text) or loosening.in_words((text:gsub("[/|#,]", " ")))) then
      return VERB:format(shown(later))
    end
    return nil
  end

  -- Judges a program that the dictionary does not describe, whose arguments name protected places.
  local function judge_unknown_program(position, commands, cwd, state)
    local command = commands[position]
    local program, argv = command.program:lower(), command.argv
    if #argv < 2 or not changes.is_open(command) or (program == "" and command.unknown[1] ~= 1) then return end
    -- Arguments may contain a command line of orcs that is typed or run later, such as in tmux.
    if loosening.is_orcs(argv[1], cwd, state.line.aliases) then return end
    if loosening.in_words(table.concat(argv, " ", 2)) then ask(state, VERB:format(shown_command(command))) end
    local unknown = {}
    for _, at in ipairs(command.unknown) do unknown[at] = true end
    -- Arguments that are a command of their own are judged with that command.
    local next_one, last = commands[position + 1], #argv
    if next_one and next_one.via[#next_one.via] == program and #next_one.argv < #argv then
      last = #argv - #next_one.argv
    end
    local language = code.interpreter(program)
    for at = 2, last do
      if not unknown[at] and not (language and argv[at]:find("[(\"'`;{!]")) then
        local kind = kit.mentioned(argv[at], cwd, state, language)
        if kind then return ask(state, PERHAPS:format(shown_command(command), kind.what)) end
      end
    end
  end

  local function judge_command(position, commands, text, read, state)
    local command, line = commands[position], state.line
    local cwd = command.cwd
    state.command = command
    if is_elsewhere(position, commands) then return nil end
    if MOVES[command.program] then note_move(command, cwd, line, state) end
    if not cwd then
      local move = line.moves[#line.moves]
      cwd = move and move.known or nil
    end
    local found = loosening.of_command(command, text, cwd, line.aliases)
    if found == "ask" then
      ask(state, shown_command(command) .. " may weaken the protection by orcs: its words are only known to the shell.")
    elseif found == "replaced" then
      ask(state, REPLACED:format(shown_command(command)))
    elseif found then
      return (WHY[found] or VERB):format(shown_command(command))
    end
    -- A link or copy gives the program another name.
    local operands = LINKS[command.program] and command.args and command.args.operands or {}
    local from, to = command.argv[operands[1]], command.argv[operands[#operands]]
    if #operands > 1 and (loosening.is_orcs(from, cwd, line.aliases, true) or kit.looks_up(from)) then
      line.aliases[#line.aliases + 1] = path.resolve(to, cwd)
    end
    -- The effects of what ssh runs are not those of this machine; this ssh leads to it.
    if orcs.contains(command.via, "ssh") then
      local refused = look_deeper({ table.unpack(command.argv) }, read, state, cwd)
      if refused then return refused end
    end
    local refused = changes.command(position, commands, cwd, state)
      or judge_effects(command.effects, command, text, read, state)
    if refused then return refused end
    local pieces = code.of_command(command)
    if #pieces == 0 or pieces[1].language == "sqlite" then judge_unknown_program(position, commands, cwd, state) end
    for _, piece in ipairs(pieces) do
      refused = judge_code(piece.text, piece.language, piece.words, read, state, cwd)
      if refused then return refused end
    end
    for at = 2, MODULES[command.program:lower()] and #command.argv or 0 do
      -- A program that the line writes.
      if line.written[path.resolve(command.argv[at], cwd)] then
        code.literals(text, function(literal)
          if loosening.is_module(literal) then ask(state, MODULE:format(shown(literal))) end
        end)
      end
      local module = command.argv[at]:match("^%-%-?%a[%w-]*=(.+)$") or command.argv[at]
      local loads = LOADS[command.argv[at - 1]] or module ~= command.argv[at]
      if loads and loosening.is_module(path.resolve(module, cwd)) then
        ask(state, MODULE:format(shown(module)))
      end
    end
    return nil
  end

  -- Judges a line: its commands, and those of the files that it runs. What is not certain in a file
  -- counts only if the line writes the file itself.
  function look_at_line(line, read, state)
    line = kit.with_known(line)
    local text = type(line) == "table" and table.concat(line, " ") or line
    local dialect = type(line) == "string" and read.dialect or nil
    local commands = orcs.shell(line, read.command_cwd, { dialect = dialect, files = NEAR })
    local written, count = {}, 0
    state.line = { text = text, moves = {}, aliases = {}, written = written, cdpath = text:find("CDPATH") ~= nil }
    for position, command in ipairs(commands) do
      local in_file = command.file and not written[command.file]
      if command.file then
        count = count + 1
        if count > MOST_IN_FILES then goto continue end
      end
      local asked = state.asks
      local refused
      if command.opaque and #command.argv == 0 and #command.redirects == 0 then
        local near = (not state.script or loosening.in_words(text)) and text:lower() or ""
        local told = near:find("orcs") ~= nil
        for _, rule in ipairs(options.settings) do told = told or near:find(rule, 1, true) ~= nil end
        if told then ask(state, UNREADABLE) end
      else
        refused = judge_command(position, commands, text, read, state)
      end
      if in_file then state.asks = asked end
      if refused then
        return command.file and ("in %s, line %d: %s"):format(command.file, command.line, refused) or refused
      end
      for _, effect in ipairs(command.effects) do
        if effect.kind == "write" and effect.target then written[effect.target] = true end
      end
      ::continue::
    end
    return nil
  end

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

  -- Judges a string that a tool runs, as a command line or as a program in some language.
  local function judge_script(script, read, state)
    local is_code = false
    for word in pairs(read.words) do is_code = is_code or LANGUAGES[word] end
    -- If it cannot be parsed, only orcs commands in it count.
    state.script = true
    local refused = not is_code and look_at_line(script, read, state)
    state.script = nil
    return refused or judge_code(script, nil, {}, read, state, read.command_cwd)
  end

  return function(ctx, kept)
    local read = call.read(ctx.payload, true)
    if #read.texts == 0 then return nil end
    local state = { kept = kept, depth = 0, reals = {}, names = {}, root = read.cwd, line = { text = "", moves = {} } }
    judge_config(read, state)
    for _, line in ipairs(read.commands or {}) do
      local refused = look_at_line(line, read, state)
      if refused then return refused, state.asks end
    end
    for _, script in ipairs(read.scripts or {}) do
      local refused = judge_script(script, read, state)
      if refused then return refused, state.asks end
    end
    -- A call that only has a command line does nothing else.
    local own, contents, does_more = {}, {}, not read.commands
    for _, entry in ipairs(read.texts) do
      does_more = does_more or entry.path or (call.PATCH[entry.key] and not call.COMMAND[entry.key])
    end
    for _, effect in ipairs(does_more and orcs.effects(ctx) or {}) do
      if not effect.program and not effect.file then own[#own + 1] = effect end
    end
    for _, entry in ipairs(read.texts) do
      if WRITTEN[entry.key] then contents[#contents + 1] = entry.text end
    end
    state.command = nil
    return judge_effects(own, nil, table.concat(contents, "\n"), read, state), state.asks
  end
end
