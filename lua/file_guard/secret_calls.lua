-- Finds calls that would read, copy or send a secret, see hooks/secret-guard.lua: rules over the effects of tools and of
-- the commands of lines.
local path = require "file_guard.path"
local secret_paths = require "file_guard.secret_paths"
local words = require "file_guard.words"
local stores = require "file_guard.stores"
local refusal, command_text, is_above_home = secret_paths.refusal, secret_paths.command_text, secret_paths.is_above_home

local READS_ALL = "%s would show or send all files below the working directory, and the secrets among them (.env). "
  .. "Name the files, search for something, or leave out .env (--exclude='.env*', ! -name '.env*')."
local SHOWS_ALL = "it would show the environment, including values loaded from a file. "
  .. "Read single variables that are not secret."
local WRITES = "%s would write %s, which is guarded. Ask the user to do it."
local UNKNOWN = "it is unknown where %s leads to: %s."
local UNNAMED = { argv = {} }
-- Programs that send an archive to another machine, or show it.
local SENDS = words.set [[
  curl wget http https xh nc ncat netcat socat telnet base64 base32 basenc xxd od hexdump hd strings cat tac openssl ]]
local COUNTS = words.set "grep egrep fgrep rg ag"

-- Who does something: a command, or an argument of a tool.
local function said(command, effect)
  return effect and effect.arg and ('the argument "%s"'):format(effect.arg) or command_text(command)
end

local function folder_of(text) return text:match("^(.*)/[^/]*$") or "" end

-- Whether an effect is on a secret; the quoted pattern of a target is no name.
local function is_secret(effect, paths)
  local target = effect.target
  if target then return not target:find("\\[*?[]") and paths:named(target) end
  return effect.word ~= nil and paths:named(effect.word, effect.cwd)
end

-- Whether a copy shows nothing: it is in the same folder, under a name that is guarded as well.
local function is_beside(effect, paths)
  local target = effect.target
  return target and folder_of(target) == folder_of(effect.from) and paths:rule(target) ~= nil
end

-- Whether a glob that leaves files out leaves out .env in every folder.
local function covers(glob)
  local lead, last = glob:match("^(.*)/([^/]*)$")
  if lead and lead:find("[^.*/]") then return false end
  return words.fits(last or glob, ".env")
end

-- Whether an effect reads everything in the folder that the line starts in, or in one that it goes to.
local function takes_project(effect, command, cwd)
  if effect.kind ~= "read" or not (effect.recursive and effect.sure and cwd) then return false end
  if words.any(effect.except or {}, covers) then return false end
  local target = effect.target or path.normal(effect.word)
  if target == "." or target == ".." or path.inside(target, cwd) then return true end
  return target == command.cwd and path.inside(cwd, target) == nil
end

-- Whether a later command in the pipe of command `i` only counts what it prints.
local function is_counted(commands, i)
  return words.any(commands, function(command)
    local argv = command.argv
    local function counts(word, at)
      return argv[at - 1] ~= "-e" and word:find("^%-%a*[cq]") or word == "--count" or word == "--quiet"
    end
    return orcs.contains(command.from, commands[i].program)
      and (command.program == "wc" or COUNTS[command.program] and words.any(argv, counts, 2))
  end, i + 1)
end

-- Whether the archive that command `i` makes is sent or shown, by a later command or its own redirect.
local function is_sent(commands, i)
  local files, is_printed, into_host = {}, true, false
  for _, effect in ipairs(commands[i].effects) do
    local target = effect.kind == "write" and effect.target
    if target then
      local function is_to(redirect) return redirect.target == effect.word end
      is_printed = is_printed and words.any(commands[i].redirects, is_to)
      into_host = into_host or target:find("^/dev/[tu][cd]p/") ~= nil
      files[target] = true
    end
  end
  if is_printed and into_host then return true end
  return words.any(commands, function(command)
    if not SENDS[command.program:lower()] or orcs.contains(command.via, "ssh") then return false end
    return next(files) == nil and orcs.contains(command.from, commands[i].program)
      or words.any(command.effects, function(effect) return effect.kind == "read" and files[effect.target] end)
  end, i + 1)
end

-- Returns why a command, or a tool, is denied for one of its effects, or nil.
local function judge(effect, command, paths)
  if effect.kind == "write" and effect.from and effect.sure then
    local from = { target = effect.from, word = effect.from }
    local is_one = is_secret(from, paths) or paths:linked(effect.from, effect.cwd)
    return is_one and not is_beside(effect, paths) and refusal(said(command, effect), effect.from) or nil
  end
  if effect.kind ~= "read" or (effect.target or ""):find("^env:") then return nil end
  local word = effect.word or effect.target
  -- Files of any folder below it: `/root/**/*.json`.
  local folder = effect.recursive and effect.target or (effect.target or ""):match("^(.*)/%*%*/")
  folder = folder == "" and "/" or folder
  if folder and (is_above_home(folder) or is_above_home(path.real(folder) or folder)) then
    return secret_paths.takes(said(command, effect), folder)
  end
  if effect.shows == "nothing" then return nil end
  if is_secret(effect, paths) then return refusal(said(command, effect), word) end
  if not (effect.sure and effect.target and effect.cwd) then return nil end
  local rule, why = paths:linked(word, effect.cwd)
  if rule then return refusal(said(command, effect), word .. " (a link)") end
  return command.is_tool and why and UNKNOWN:format(said(command, effect), why) or nil
end

-- Returns the variables that effects show, and whether one is a whole environment.
local function variables(effects)
  local list, all = {}, false
  for _, effect in ipairs(effects) do
    local name = effect.kind == "read" and (effect.target or ""):match("^env:(.*)")
    if name then list[#list + 1] = effect end
    all = all or name == "*"
  end
  return list, all
end

-- A line without its quoted patterns, which are no names.
local function without_quoted(commands, text)
  for _, command in ipairs(commands) do
    for _, at in ipairs(command.quoted or {}) do
      local from, to = text:find(command.argv[at], 1, true)
      if from then text = text:sub(1, from - 1) .. " " .. text:sub(to + 1) end
    end
  end
  return text
end

-- Returns a text in the arguments of a call that names a secret, or nil.
local function named_in(value, paths, cwd)
  if type(value) == "string" then
    local is_prose = value:find("\n") or value:find("^[^/\\]*%s")
    return not is_prose and paths:named(path.given(value), cwd) and value or nil
  end
  for _, item in pairs(type(value) == "table" and value or {}) do
    local found = named_in(item, paths, cwd)
    if found then return found end
  end
  return nil
end

-- opted: { strict, write, allowed, denied }; allowed and denied are from file_guard.globs, nil for none
return function(opted)

  -- The option `write = false`.
  local function writes(effects, command, paths)
    for _, effect in ipairs(opted.write and {} or effects) do
      local changes = effect.kind == "write" or effect.kind == "remove" or effect.kind == "attributes"
      if changes and is_secret(effect, paths) then
        return WRITES:format(said(command, effect), secret_paths.shortened(effect.word))
      end
    end
    return nil
  end

  -- The option `level = "strict"`.
  local function names(command, list, paths)
    local word = secret_paths.named_anywhere(command, paths)
    return word and refusal(command_text(command), word) or stores.shows_environment(command, list)
  end

  -- Whether the commands of a call have to be looked at: one of its effects may be about a secret.
  local function concerns(effects, paths)
    return not opted.write or words.any(effects, function(effect)
      local kind, target = effect.kind, effect.target
      local is_many = not target or effect.recursive or target:find("^env:") or target:find("*", 1, true)
      return kind == "run" and (not target or stores.concerns(target))
        or kind == "read" and effect.word ~= "…" and is_many or (kind == "read" or effect.from) and judge(effect, UNNAMED, paths)
    end)
  end

  -- Returns why a tool is denied for what it does beside the command lines in its arguments; nil when it is not.
  local function judge_own(effects, tool, paths)
    local own = {}
    for _, effect in ipairs(effects) do
      if not effect.program and not effect.file then own[#own + 1] = effect end
    end
    for _, effect in ipairs(own) do
      local reason = judge(effect, tool, paths)
      if reason then return reason end
    end
    return stores.shows_variables(variables(own)) or writes(own, tool, paths)
  end

  -- Returns why a command line is denied; nil when it is not.
  -- line: of orcs.effects
  local function judge_line(line, paths)
    local text, cwd = line.line, line.cwd
    local commands = orcs.shell(text, cwd, line.dialect and { dialect = line.dialect } or nil)
    local guards_env = paths:named(".env", cwd) ~= nil
    local uses_env, dumps, loaded, shown, reads_unknown = false, false, false, text:find("<<") ~= nil, false
    for i, command in ipairs(commands) do
      if #command.argv == 0 and command.opaque then
        local word = paths:mentioned(text, cwd) or paths:mentioned(text:gsub("\\", "/"), cwd)
        if word then return refusal("a command line that cannot be read", word) end
      end
      local loads = not opted.strict and stores.loads(command)
      local list, all = variables(command.effects)
      for _, effect in ipairs(loads and {} or command.effects) do
        local reason = judge(effect, command, paths)
        if reason then return reason end
        if guards_env and takes_project(effect, command, cwd) then
          local is_shown = not effect.shows and not is_counted(commands, i)
          if is_shown or effect.shows == "archive" and is_sent(commands, i) then
            return READS_ALL:format(said(command, effect))
          end
        end
        local is_unknown = effect.sure and not effect.target and not effect.elsewhere and effect.word ~= "…"
        reads_unknown = reads_unknown or (effect.kind == "read" and is_unknown)
      end
      local reason = stores.prints(commands, i) or stores.shows_variables(list)
        or writes(command.effects, command, paths) or opted.strict and names(command, list, paths)
      if reason then return reason end
      local uses = stores.uses_environment(command)
      loaded, dumps = loaded or loads, dumps or all or (uses and stores.shows_secret(list))
      uses_env = uses_env or loads or uses
      shown = shown or stores.shows_variable(command)
    end
    if (uses_env and dumps) or (loaded and shown) then return SHOWS_ALL end
    local word = reads_unknown and paths:mentioned(without_quoted(commands, text), cwd)
    return word and refusal("a command that reads what only the shell will know", word) or nil
  end

  -- Returns why a call is denied; nil when it is not.
  return function(payload)
    local effects, unread, is_malformed, lines = orcs.effects(payload)
    if is_malformed then error(unread, 0) end
    local cwd = path.start(payload)
    local paths = secret_paths.new(opted, cwd)
    -- What cannot be read may do anything.
    local is_concerned = #lines > 0 and (unread or concerns(effects, paths))
    for _, line in ipairs(is_concerned and lines or {}) do
      local reason = not line.code and judge_line(line, paths)
      if reason then return reason end
    end
    local tool = { argv = { payload.tool_name }, is_tool = true }
    local reason = judge_own(effects, tool, paths)
    if reason or not opted.strict or #effects > 0 then return reason end
    -- A tool that lists, say: it has no effect on files.
    local word = named_in(payload.args, paths, cwd)
    return word and refusal(command_text(tool), word) or nil
  end
end
