-- Finds commands that weaken the protection by orcs: its own subcommands (verbs), however they are
-- started, and commands that remove or replace its program or stop its service.
local path = require "file_guard.path"
local words = require "file_guard.words"
local set = words.set

-- Programs that start another program named in their arguments.
local LAUNCHERS = set [[
  orcs-hook node nodejs bun deno tsx ts-node npm npx pnpm pnpx yarn yarnpkg bunx corepack nix ]]
-- Package managers, and coding agents that have orcs as a plugin.
local MANAGERS = set "npm pnpm yarn yarnpkg bun volta brew claude copilot gemini"
local TAKES_AWAY = set "uninstall remove rm un r unlink disable"
-- Programs that get command lines, keys or rules, to run them later or in another session.
local HANDED = set [[
  crontab at batch atq tmux screen zellij npm pnpm yarn make gmake just task expect xterm gnome-terminal konsole kitty
  alacritty wezterm systemd-run launchctl schtasks entr watchexec nodemon git ]]
-- Programs that read such lines from files, or from their input.
local READS_RULES = {
  make = "akefile", gmake = "akefile", just = "[Jj]ustfile", task = "Taskfile", crontab = "", at = "", batch = "",
}
local KILLERS = set "kill pkill killall skill"
-- Programs that stop services, and how; and names of the service.
local MANAGES = set "systemctl launchctl service"
local STOPS = set "stop kill disable mask bootout unload"
local UNITS = { "^orcs$", "^orcs[.@]", "[./]orcs$", "[./]orcs%." }

local NAMES = {
  "^orcs$", "^orcs@", "[/\\#]orcs$", "^orcs%.%a+$", "[/\\]orcs%.%a+$", "orcs[/\\]dist[/\\]cli[/\\]main%.?[cm]?j?s?$",
}

-- Whether a word is the name of orcs or of its script, with or without a path or version.
local function is_name(word)
  local base = word:lower():gsub("^npm:", ""):gsub("(.)@[%w.^~*-]+$", "%1")
  return not base:find("^@[^/]+/[^/]+$") and words.matches(base, NAMES)
end

-- options: a table with
--   verbs       name → true, { flags = … }, { unless = … } or { below = name → the same }, as in hooks/self-guard.lua
--   routes      URL paths of the service
--   is_program  function that returns whether an absolute path is in a folder of orcs
return function(options)
  -- Whether a word names orcs. aliases: paths of links and copies of orcs that the line has made;
  -- launched: whether the word is an argument of a program that runs files
  local function is_orcs(word, cwd, aliases, launched)
    if is_name(word) then return true end
    if word == "" or word:sub(1, 1) == "-" then return false end
    local seen = path.resolve(word, cwd)
    if words.any(aliases or {}, function(alias) return path.inside(alias, seen) end) then return true end
    local script = launched and (word:find("^main") or word == "." or word:find("%.c?js$"))
    if not word:find("/") and not script then return false end
    if word:sub(1, 1) ~= "/" and not cwd then return false end
    if options.is_program(seen) then return launched or seen:find("/bin/") ~= nil or seen:find("/main%.js$") ~= nil end
    local real = path.real(word, cwd)
    return real ~= nil and options.is_program(real)
      and (launched or is_name(real) or real:find("/main%.js$") ~= nil or real:find("/bin/[^/]*$") ~= nil)
  end

  -- Returns the arguments of orcs and the position of its name; nil for other commands.
  local function arguments(command, cwd, aliases)
    local argv = command.argv
    local first = argv[1] or ""
    local at = is_orcs(first, cwd, aliases) and 1 or nil
    local program = command.program:lower():gsub("[%d.]+$", "")
    local runs_file = program ~= "npm" and program ~= "pnpm" and program ~= "yarn"
    for i = 2, not at and LAUNCHERS[program] and #argv or 0 do
      at = at or is_orcs(argv[i], cwd, aliases, runs_file) and i or nil
    end
    return at and table.move(argv, at + 1, #argv, 1, {}), at
  end

  -- is_sure: whether it counts only where it cannot be the value of the option before it: `--config --help`
  local function has(args, flags, is_sure)
    for i, word in ipairs(args) do
      if word == "--" then return false end
      local before = i > 1 and args[i - 1] or ""
      local may_be_value = is_sure and before:find("^%-") and not before:find("=")
      for _, flag in ipairs(may_be_value and {} or flags) do
        if word == flag or word:sub(1, #flag + 1) == flag .. "=" then return true end
      end
    end
    return false
  end

  -- Whether these arguments of orcs weaken the protection; "unknown" if only the shell knows them.
  local function loosens(args, is_unknown)
    local verb
    for i, word in ipairs(args) do
      if is_unknown(i) then return "unknown" end
      -- An argument after an option may be the value of the option.
      local perhaps_value = i > 1 and args[i - 1]:find("^%-") ~= nil and not args[i - 1]:find("=")
      if word:sub(1, 1) ~= "-" and (options.verbs[word] or not perhaps_value) then
        verb = word
        break
      end
    end
    local rule = verb and options.verbs[verb]
    -- The command below it may stand anywhere after it.
    if type(rule) == "table" and rule.below then
      local below = rule.below
      rule = nil
      for i, word in ipairs(args) do
        if is_unknown(i) then return "unknown" end
        rule = rule or below[word]
      end
    end
    if not rule or has(args, { "--help", "-h" }, true) then return false end
    if rule == true then return true end
    if rule.unless then return not has(args, rule.unless, true) end
    if has(args, rule.flags) then return true end
    for i in ipairs(args) do
      if is_unknown(i) then return "unknown" end
    end
    return false
  end

  -- Whether a text contains a command of orcs that weakens the protection.
  local function in_words(text)
    if not text:lower():find("orcs") then return false end
    -- As printf writes it: `\torcs`.
    text = text:gsub("\\[nrt]", " ")
    local found = {}
    for word in text:gmatch("[%w_./\\@:=%-]+") do
      if word ~= "Space" then found[#found + 1] = word end
    end
    for i, word in ipairs(found) do
      local named = is_name(word) or is_name(word:match("[:=]([^:=]*)$") or "")
      local args = named and table.move(found, i + 1, math.min(i + 12, #found), 1, {})
      if args and loosens(args, function() return false end) == true then return true end
    end
    return false
  end

  -- Whether a URL in the arguments is a route of the service that weakens the protection.
  local function asks_route(command)
    return words.any(command.argv, function(word)
      local asked = word:match("^%a+://[^/]+(/[^?#]*)") or word:match("^[%w.]+:%d+(/[^?#]*)")
      return asked and words.any(options.routes, function(route) return asked:sub(1, #route) == route end)
    end, 2)
  end

  local SERVICE = {
    "[%s/'\"]orcs[%s'\"$]", "orcs/dist/cli/main", "orcs/bin/orcs", "orcs/[%w.*?-]+%.pid", "serve[%s.*+\\]+%-%-user",
  }

  local function names_service(word) return words.matches(" " .. word:lower() .. " ", SERVICE) end

  -- Whether the service is stopped by name, or by a process id that the line looks up by name.
  local function ends_service(command, line)
    local program = command.program:lower()
    if MANAGES[program] then
      return words.any(command.argv, function(word) return STOPS[word:lower()] end, 2)
        and words.any(command.argv, function(word) return words.matches(word:lower(), UNITS) end, 2)
    end
    if not KILLERS[program] then return false end
    if words.any(command.argv, names_service, 2) then return true end
    for looked in line:gmatch("p[gi][rd][eo][pf]%s+([^|;&\n)`]*)") do
      if names_service(looked) then return true end
    end
    return false
  end

  local GLOBAL = set "-g --global --location=global"
  local ADDS = set "i install add update upgrade up link ln"

  -- Returns "program" if a package manager removes orcs, "replaced" if it may install another one
  -- in its place, or nil.
  local function takes_program(command, cwd)
    local program = command.program:lower()
    if not MANAGERS[program] then return nil end
    local taken, named, adds, links = false, false, false, false
    local global = program == "volta" or program == "brew"
    local operands = 0
    for at = 2, #command.argv do
      local word = command.argv[at]
      taken = taken or TAKES_AWAY[word] or false
      global = global or GLOBAL[word] or word == "global" or false
      adds = adds or ADDS[word] or false
      links = links or word == "link" or word == "ln"
      local bare = word:gsub("#.*$", "")
      local archive = word:find("[/:]orcs[-.@%d]*%.tgz$") ~= nil
      if (taken or adds) and (is_name(bare) or archive) then named = true end
      if word:sub(1, 1) ~= "-" then operands = operands + 1 end
    end
    if taken and named then return "program" end
    if adds and named and (global or links) then return "replaced" end
    local here = cwd and (cwd:find("/orcs$") or options.is_program(cwd))
    if links and operands == 1 and here then return "replaced" end
    return nil
  end

  -- Lua patterns for the public modules, which offer nothing that turns the protection off, and for other texts.
  local PUBLIC = { "/dist/index%.", "/dist/adapters/", "/dist/testing/", "/package%.json$", "%s" }

  -- Whether a literal in code is the path of an internal module of orcs.
  local function is_module(word)
    local lower = word:lower():gsub("^file://", "")
    if words.matches(lower, PUBLIC) then return false end
    if lower:find("orcs/dist/") or lower:find("orcs/bin/") then return true end
    return lower:sub(1, 1) == "/" and options.is_program(path.normal(word)) and lower:find("%.[cm]?js$") ~= nil
  end

  local self = { in_words = in_words, is_module = is_module, is_name = is_name, is_orcs = is_orcs }

  -- Returns how a command weakens the protection: "verb", "program", "replaced", "service" or
  -- "route"; "ask" if it may be a verb; nil otherwise.
  function self.of_command(command, line, cwd, aliases)
    local args, at = arguments(command, cwd, aliases)
    if args then
      local unknown = {}
      for _, i in ipairs(command.unknown) do unknown[i - at] = true end
      local found = loosens(args, function(i) return unknown[i] end)
      if found then return found == true and "verb" or "ask" end
    elseif command.unknown[1] == 1 then
      -- `$ORCS trust --yes`: an unknown program whose variable or path contains `orcs`.
      local rest = table.move(command.argv, 2, #command.argv, 1, {})
      local named = command.argv[1]:lower():find("orcs") ~= nil
      if named and loosens(rest, function() return false end) then return "verb" end
    end
    local taken = takes_program(command, cwd)
    if taken then return taken end
    if ends_service(command, line) then return "service" end
    if asks_route(command) then return "route" end
    local program = command.program:lower()
    if HANDED[program] then
      local is_git = program == "git"
      local texts = is_git and {} or { table.concat(command.argv, " ", 2) }
      for i = 2, is_git and #command.argv or 0 do
        local configures = command.argv[i - 1] == "-c" or command.argv[i - 1] == "--config"
        if configures and command.argv[i]:find("^[%w.-]+=!") then texts[#texts + 1] = command.argv[i] end
      end
      if not is_git then texts[#texts + 1] = command.stdin end
      -- Rules and tables that the line writes, or that another command gives it.
      local rules = READS_RULES[program]
      if rules and (#command.from > 0 or line:find(">") and line:find(rules)) then texts[#texts + 1] = line end
      if words.any(texts, in_words) then return "verb" end
    end
    return nil
  end

  return self
end
