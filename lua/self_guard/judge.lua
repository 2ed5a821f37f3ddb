-- Decides whether self-guard denies a call or asks about it: see hooks/self-guard.lua.
local code = require "self_guard.code"
local what_changes = require "self_guard.changes"
local path = require "file_guard.path"
local reached = require "self_guard.reached"
local runs_code = require "self_guard.runs_code"
local says = require "self_guard.says"
local words = require "file_guard.words"
local set = words.set
local shown, shown_command, ask, perhaps, masked = says.shown, says.shown_command, says.ask, says.perhaps, says.masked
local VERB, WHY, REPLACED, MODULE, SWITCHED = says.VERB, says.WHY, says.REPLACED, says.MODULE, says.SWITCHED
local UNHOOKED, UNKNOWN = says.UNHOOKED, says.UNKNOWN

local SWITCHES = set "disableallhooks allowmanagedhooksonly hooks hooksconfig enablehooks codex_hooks"
local MOVES = set "cd chdir pushd popd"
-- Programs with options that load a module.
local MODULES = set "node bun tsx deno"
local LOADS = set "-r --require --import --loader --experimental-loader"
local LINKS = set "ln cp mv install link"
-- Programs that run a command on another machine or in a container.
local ELSEWHERE = set "mosh docker podman nerdctl kubectl oc docker-compose vagrant lxc incus"
-- Names of this machine.
local LOCAL = set "localhost localhost.localdomain ::1 0.0.0.0"
local function none() return nil end
local CONTAINERS = set "docker podman nerdctl docker-compose podman-compose"
-- Effects that change files.
local CHANGES = set "write remove attributes"
-- Files that are run later, such as startup files of shells and git hooks, as rules of
-- orcs.name_rules.
local LATER = orcs.name_rules({
  ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
  ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".envrc", ".xprofile", ".xinitrc",
  ".config/fish/", ".config/autostart/", ".config/systemd/", ".git/hooks/", ".husky/",
})

-- Of files, at most so many commands are judged.
local MOST_IN_FILES = 40
local DEEPEST = 4
-- Programs that may weaken the protection with nothing but words, or do anything with files that they are given.
local LOOKED_AT = [[
  orcs-hook node nodejs bun deno tsx ts-node npm npx pnpm pnpx yarn yarnpkg bunx corepack nix volta brew claude copilot
  gemini kill pkill killall skill systemctl launchctl service ninja restic borg mmv pax ansible sqlite3 make gmake fx
  mount umount bwrap unshare fusermount fusermount3 bindfs overlayfs pivot_root chroot unionfs ]]
-- The same with words behind a script.
local WITH_WORDS = "bash sh zsh dash ksh fish csh tcsh busybox ash mksh python* pypy*"
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
-- nil for each; and what has to be looked at in a call that only reads, for orcs.only_reads.
-- kept: files whose change orcs has checked: it keeps the entries of orcs and all hooks
return function(options)
  local kit = reached(options)
  local guarded, loosening, refusal, filled = kit.guarded, kit.loosening, kit.refusal, kit.filled
  local agents = {}
  for _, agent in ipairs(options.agents) do
    agents[agent.program] = { unhooked = set(table.concat(agent.unhooked, " ")), variable = agent.variable }
  end
  -- Of files, only commands are judged that mention orcs or one of the places that are guarded.
  local mentions = { "orcs" }
  for needle in pairs(guarded.needles) do mentions[#mentions + 1] = needle end
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

  local judge_code = runs_code(kit)

  -- Judges the command lines that code runs.
  local function judge_runs(lines, read, state, cwd)
    for _, line in ipairs(lines or {}) do
      -- Interpolated values are unknown.
      line = line:gsub("%$?{[%w_.%[%]()\"']+}", "$UNKNOWN")
      local near = line:lower():find("orcs") or guarded:glanced(line) or (cwd and guarded:reached(cwd))
      local asked, first = state.asks, near and orcs.shell(line, cwd)[1]
      local refused = near and look_deeper(line, read, state, cwd)
      if refused then return refused end
      -- A text of several words is not always a line: "now run orcs trust".
      if first and not first.described and not loosening.is_orcs(first.argv[1] or "", cwd, state.line.aliases) then
        state.asks = asked
      end
    end
    return nil
  end

  -- Records where cd and pushd may lead, for later commands whose working directory is unknown.
  local function note_move(command, cwd, line, state)
    local operand = command.argv[2]
    for at = #command.argv, 2, -1 do
      if not command.argv[at]:find("^%-.") then operand = command.argv[at] end
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
          if kind and kind.name ~= "program" then perhaps(state, command, kind) end
        elseif start then
          refused = changes.found(start, pattern, how == "gone", command, effect.cwd, state)
        elseif effect.target then
          later = later or (effect.kind == "write" and LATER:match(effect.target) and word)
          -- What code does is not computed.
          state.unsure = not effect.sure and effect.program ~= nil and code.interpreter(effect.program) ~= nil
          refused = refusal(word, effect.cwd, how, state)
          state.unsure = nil
        else
          later = later or (effect.kind == "write" and LATER:match(path.normal(word)) and word)
          refused = kit.judge_unknown(word, effect, how, state)
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

  -- Judges code in any language: the calls that say what it does are much the same.
  local function judge_piece(text, language, read, state, cwd)
    if not judge_code.matters(text) then return nil end
    local is_python = (language or "py"):find("py") ~= nil
    local command = orcs.shell({ is_python and "python3" or "node", is_python and "-c" or "-e", text }, cwd)[1]
    -- Notebooks: `!command`, `%sx command`, a whole cell `%%bash`.
    local cell = {}
    for inside in ("\n" .. text):gmatch("\n%s*[!%%]+%s*([^\n]+)") do
      cell[#cell + 1] = inside:gsub("^s[xh]%s+", "") .. ""
    end
    cell[#cell + 1] = text:match("^%s*%%%%%a*sh%s*\n(.*)")
    local refused = judge_runs(command.runs, read, state, cwd) or judge_runs(cell, read, state, cwd)
      or judge_effects(command.effects, command, text, read, state)
    if not refused then judge_code.names(text, command.runs ~= nil, state, cwd) end
    return refused
  end

  -- Judges a program that the dictionary does not describe, whose arguments name protected places.
  local function judge_unknown_program(position, commands, cwd, state)
    local command = commands[position]
    local program, argv = command.program:lower(), command.argv
    if #argv < 2 or not changes.is_open(command) or (program == "" and command.unknown[1] ~= 1) then return end
    -- Arguments may contain a command line of orcs that is typed or run later, such as in tmux.
    if loosening.is_orcs(argv[1], cwd, state.line.aliases) then return end
    if loosening.in_words(table.concat(argv, " ", 2)) then ask(state, VERB:format(shown_command(command))) end
    -- Arguments that are a command of their own are judged with that command.
    local next_one, last = commands[position + 1], #argv
    if next_one and next_one.via[#next_one.via] == program and #next_one.argv < last then
      last = last - #next_one.argv
    end
    local language = code.interpreter(program)
    for at = 2, last do
      if not orcs.contains(command.unknown, at) and not (language and argv[at]:find("[(\"'`;{!]")) then
        local kind = kit.mentioned(argv[at], cwd, state, language)
        if kind then return perhaps(state, command, kind) end
      end
    end
  end

  -- Whether a command starts a coding agent without hooks, or with other settings than those that call orcs.
  local function is_unhooked(command, text)
    local agent = agents[command.program]
    if not agent then return false end
    local is_given = words.any(command.argv, function(word)
      -- `-c features.hooks=false`, `--disable hooks`, `--settings '{"disableAllHooks": true}'`
      local name = not word:find("%s") and word:lower():match("^[%w_.]+")
      return agent.unhooked[word:match("^[^=]*")] or name and SWITCHES[name:match("[^.]*$")]
    end, 2)
    return is_given or text:find("%f[%w_]" .. agent.variable .. "=") ~= nil or text:find("%f[%w_]HOME=") ~= nil
      or orcs.contains(command.via, "env") and text:find("%f[%w_]env%s+%-[-%a]*i") ~= nil
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
    if is_unhooked(command, text) then ask(state, UNHOOKED:format(shown_command(command))) end
    -- A link or copy gives the program another name.
    local operands = LINKS[command.program] and command.args and command.args.operands or {}
    local from, to = command.argv[operands[1]], command.argv[operands[#operands]]
    if #operands > 1 and (loosening.is_orcs(from, cwd, line.aliases, true) or kit.looks_up(from)) then
      line.aliases[#line.aliases + 1] = path.resolve(to, cwd)
    end
    -- The effects of what ssh runs are not those of this machine; this ssh leads to it.
    local refused = orcs.contains(command.via, "ssh") and look_deeper({ table.unpack(command.argv) }, read, state, cwd)
      or changes.command(position, commands, cwd, state) or judge_effects(command.effects, command, text, read, state)
      or judge_runs(command.runs, read, state, cwd)
    if refused then return refused end
    local piece, given = code.of_command(command)
    if piece and #given > 0 and code.runs_arguments(piece) then
      refused = look_deeper({ table.unpack(given) }, read, state, cwd) or judge_runs(given, read, state, cwd)
    end
    if not piece or command.program:find("sqlite") then judge_unknown_program(position, commands, cwd, state) end
    refused = refused or (piece and judge_piece(piece, code.interpreter(command.program), read, state, cwd)) or nil
    if refused then return refused end
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
    local commands = orcs.shell(line, read.command_cwd, { dialect = dialect, files = mentions })
    local written, count = {}, 0
    state.line = { text = text, moves = {}, aliases = {}, written = written, cdpath = text:find("CDPATH") ~= nil }
    for position, command in ipairs(commands) do
      local in_file = command.file and not written[command.file]
      if command.file then
        count = count + 1
        if count > MOST_IN_FILES then goto continue end
      end
      local asked = state.asks
      state.in_file = in_file
      local refused
      if command.opaque and #command.argv == 0 and #command.redirects == 0 then
        local near = (not state.script or loosening.in_words(text)) and text:lower() or ""
        local function names_it(rule) return near:find(rule, 1, true) end
        if names_it("orcs") or words.any(options.settings, names_it) then ask(state, UNREADABLE) end
      else
        refused = judge_command(position, commands, text, read, state)
      end
      state.in_file = nil
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

  local function refused_or_asked(ctx, kept)
    local payload = ctx.payload
    local cwd = path.start(payload)
    local effects, _, _, lines = orcs.effects(payload)
    local args = orcs.json_encode(payload.args)
    local state = { kept = kept, depth = 0, reals = {}, names = {}, root = cwd, line = { text = "", moves = {} } }
    -- A tool that changes settings of the coding agent, such as `Config` of Claude Code.
    local tool = payload.tool_name:lower()
    for name in (tool:find("config") or tool:find("setting")) and args:gmatch("[%w_.]+") or none do
      if SWITCHES[name:lower():match("[^.]*$")] then ask(state, SWITCHED:format(shown(name))) end
    end
    for _, line in ipairs(lines) do
      local read = { command_cwd = line.cwd, dialect = line.dialect }
      -- A text that may be code in some language: if it cannot be parsed, only commands of orcs in it count.
      state.script = line.script
      local refused = not line.code and look_at_line(line.line, read, state)
      state.script = nil
      if not refused and (line.script or line.code) then
        refused = judge_piece(line.line, nil, read, state, line.cwd)
      end
      if refused then return refused, state.asks end
    end
    -- What the tool does beside its command lines.
    local own = {}
    for _, effect in ipairs(effects) do
      if effect.arg or #lines == 0 then own[#own + 1] = effect end
    end
    state.command = nil
    return judge_effects(own, nil, args, { command_cwd = cwd }, state), state.asks
  end

  -- What has to be looked at in a call that only reads, for orcs.only_reads.
  local looked_at = {
    programs = words.list(LOOKED_AT), given = words.list(WITH_WORDS),
    says = { "orcs", "argv", "shift", "cdpath", table.unpack(options.routes) },
  }
  for needle in pairs(guarded.needles) do table.insert(looked_at.says, needle) end
  for _, name in ipairs(changes.subcommands) do table.insert(looked_at.programs, "git/" .. name) end

  return refused_or_asked, looked_at
end
