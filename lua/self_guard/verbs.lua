-- Which commands loosen what orcs guards: its own verbs, however they are started, and what takes its program away.
local path = require "file_guard.path"
local set = require("file_guard.words").set

-- What starts a program that stands among its words.
local LAUNCHERS = set [[
  node nodejs bun deno tsx ts-node npm npx pnpm pnpx yarn yarnpkg bunx corepack ]]
local MANAGERS = set "npm pnpm yarn yarnpkg bun volta brew"
local TAKES_AWAY = set "uninstall remove rm un r unlink"
-- Programs that are given code, or the keys that another program gets.
local CODE = set [[
  python python2 python3 pypy pypy3 node nodejs bun deno tsx ts-node perl ruby php lua luajit julia rscript elixir awk
  gawk mawk nawk osascript tclsh expect vim vi nvim ex view emacs gdb make gmake just crontab ]]
-- What code calls to run a program.
local CALLS = {
  "system", "popen", "[Ss]ubprocess", "[Ee]xec", "[Ss]pawn", "check_call", "check_output", "getoutput", "qx", "passthru",
  "proc_open", "Command", "[Rr]un%f[%W]", "%f[%w]sh%f[%W]", "!", "`", "%$%(", ":%s*;", "^%s*[%w_]+:",
}
local KILLERS = set "kill pkill killall skill"
local STOPS = set "stop kill disable mask"

-- A name of orcs, or of its script, in whatever package.
local function is_name(word)
  local base = word:lower():gsub("^npm:", ""):gsub("@[%w.^~*-]+$", "")
  return base:find("^orcs$") ~= nil or base:find("[/\\]orcs$") ~= nil or base:find("^orcs%.%a+$") ~= nil
    or base:find("[/\\]orcs%.%a+$") ~= nil or base:find("orcs[/\\]dist[/\\]cli[/\\]main%.js$") ~= nil
end

-- options: { verbs = name → true or { flags } or { unless }, routes = paths of the service, is_program = function }
return function(options)
  local function is_orcs(word, cwd)
    if is_name(word) then return true end
    if not word:find("/", 1, true) then return false end
    local real = path.real(word, cwd)
    return real ~= nil and options.is_program(real) and (is_name(real) or real:find("/main%.js$") ~= nil)
  end

  -- The words behind the name of orcs, and the position of that name; nil for another command.
  local function arguments(command, cwd)
    local argv = command.argv
    local first = argv[1] or ""
    local at = is_orcs(first, cwd) and 1 or nil
    if not at and LAUNCHERS[command.program:lower()] then
      for i = 2, #argv do
        if is_orcs(argv[i], cwd) then
          at = i
          break
        end
      end
    end
    return at and table.move(argv, at + 1, #argv, 1, {}), at
  end

  local function has(args, flags)
    for _, word in ipairs(args) do
      if word == "--" then return false end
      for _, flag in ipairs(flags) do
        if word == flag or word:sub(1, #flag + 1) == flag .. "=" then return true end
      end
    end
    return false
  end

  -- Whether these words behind `orcs` loosen; "unknown" when nobody can tell.
  local function loosens(args, is_unknown)
    local verb
    for i, word in ipairs(args) do
      if is_unknown(i) then return "unknown" end
      if word:sub(1, 1) ~= "-" then
        verb = word
        break
      end
    end
    local rule = verb and options.verbs[verb]
    if not rule or has(args, { "--help", "-h" }) then return false end
    if rule == true then return true end
    if rule.unless then return not has(args, rule.unless) end
    if has(args, rule.flags) then return true end
    for i in ipairs(args) do
      if is_unknown(i) then return "unknown" end
    end
    return false
  end

  -- Whether a piece of a program, or keys that are typed, would run a verb that loosens.
  local function in_code(text)
    local lower = text:lower()
    if not lower:find("orcs", 1, true) then return false end
    local calls = false
    for _, pattern in ipairs(CALLS) do calls = calls or text:find(pattern) ~= nil end
    if not calls then return false end
    local found = {}
    for word in text:gmatch("[%w_./\\@:=%-]+") do found[#found + 1] = word end
    for i, word in ipairs(found) do
      local args = is_name(word) and table.move(found, i + 1, math.min(i + 12, #found), 1, {})
      if args and loosens(args, function() return false end) == true then return true end
    end
    return false
  end

  -- Whether the service is asked for what loosens.
  local function asks_route(command)
    for _, route in ipairs(options.routes) do
      for at = 2, #command.argv do
        local asked = command.argv[at]:match("^%a+://[^/]+(/[^?#]*)") or command.argv[at]:match("^[%w.]+:%d+(/[^?#]*)")
        if asked and asked:sub(1, #route) == route then return true end
      end
    end
    return false
  end

  -- Whether a service is ended by name, or by a number that is looked up by name.
  local function ends_service(command, line)
    local program = command.program:lower()
    if program == "systemctl" or program == "launchctl" or program == "service" then
      local stops, names = false, false
      for at = 2, #command.argv do
        stops = stops or STOPS[command.argv[at]] or command.argv[at] == "bootout" or command.argv[at] == "unload"
        names = names or command.argv[at]:lower():find("%f[%w]orcs") ~= nil
      end
      return stops and names
    end
    if not KILLERS[program] then return false end
    for at = 2, #command.argv do
      if command.argv[at]:lower():find("%f[%w]orcs%f[%W]") then return true end
    end
    return line:find("pgrep[^|;&\n]*%f[%w]orcs") ~= nil or line:find("pidof[^|;&\n]*%f[%w]orcs") ~= nil
  end

  local function takes_program(command)
    if not MANAGERS[command.program:lower()] then return false end
    local taken, named = false, false
    for at = 2, #command.argv do
      local word = command.argv[at]
      taken = taken or TAKES_AWAY[word] or false
      named = named or (taken and is_name(word))
    end
    return named
  end

  local self = { in_code = in_code }

  -- What a command would loosen: "verb", "ask" when that is not known, "program", "service", "route"; nil for nothing.
  function self.of_command(command, line, cwd)
    local args, at = arguments(command, cwd)
    if args then
      local unknown = {}
      for _, i in ipairs(command.unknown) do unknown[i - at] = true end
      local found = loosens(args, function(i) return unknown[i] end)
      if found then return found == true and "verb" or "ask" end
    elseif command.unknown[1] == 1 and #command.argv > 1 then
      -- `$X trust --yes`: whatever it is, it may be orcs.
      local rest = table.move(command.argv, 2, #command.argv, 1, {})
      if command.argv[1]:lower():find("orcs", 1, true) and loosens(rest, function() return false end) then return "verb" end
    end
    if takes_program(command) then return "program" end
    if ends_service(command, line) then return "service" end
    if asks_route(command) then return "route" end
    if CODE[command.program:lower()] then
      local read = #command.argv == 1 or command.argv[2] == "-" or command.argv[2] == "-f"
      if in_code(table.concat(command.argv, " ", 2)) or (read and in_code(line)) then return "verb" end
    end
    return nil
  end

  return self
end
