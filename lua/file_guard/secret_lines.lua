-- Finds command lines that would read or send a secret.
local command_lines = require "shell_guard.commands"
local patch = require "file_guard.patch"
local path = require "file_guard.path"
local names = require "file_guard.names"
local quoted = require "file_guard.quoted"
local reading = require "file_guard.reading"
local secret_paths = require "file_guard.secret_paths"
local sources = require "file_guard.sources"
local stores = require "file_guard.stores"
local wide_reads = require "file_guard.wide_reads"
local words = require "file_guard.words"
local set = words.set
local refusal, command_text, is_above_home = secret_paths.refusal, secret_paths.command_text, secret_paths.is_above_home

-- Programs that pass their own arguments or their input to other commands.
local HANDS_OVER = set "xargs parallel find"
-- Programs whose arguments all belong to the script or command that they run. Of other programs
-- that run a command, such as sudo, the arguments before that command are their own.
local TAKES_SCRIPT = set "sh bash zsh dash ksh ash eval su ssh xargs parallel find fish"
-- The command that a program runs is at most this many places after it in the list.
local SOON = 8
local PATCHES = set "apply_patch applypatch"
local CONTAINERS = set "docker podman nerdctl"
-- Programs whose last operand is the destination.
local TO_LAST = set "rsync scp cp"

local READS_ALL = "%s would show or send all files below the working directory, and the secrets among them (.env). "
  .. "Name the files, search for something, or leave out .env (--exclude='.env*', ! -name '.env*')."

local function same_end(long, short)
  if #long < #short then return false end
  for i = 0, #short - 1 do
    -- A long option may be abbreviated in one of them.
    local word, other = long[#long - i], short[#short - i]
    local name = word:match("^%-%-[^=]+")
    if word ~= other and not (name and other:sub(1, #name) == name) then return false end
  end
  return true
end

-- How many words of a command are its own, and not part of a command that it runs.
local function own(commands, i)
  local command = commands[i]
  for k = i + 1, math.min(i + SOON, #commands) do
    local inner = commands[k]
    for _, via in ipairs(inner.via) do
      if via == command.program then
        if TAKES_SCRIPT[via] then return 1 end
        if same_end(command.argv, inner.argv) then return #command.argv - #inner.argv end
      end
    end
  end
  return #command.argv
end

-- Whether a command processes everything below a folder.
local function is_recursive(command, program)
  if not reading.RECURSIVE[program] then return false end
  if program ~= "cp" and program ~= "scp" and not program:find("grep$") then return true end
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word:find("^%-%a*[rRa]") or word:find("^%-%-recursive") or word == "--archive" then return true end
  end
  return false
end

local function folder_of(text)
  return text:match("^(.*)/[^/]*$") or ""
end

local function look_at_redirects(command, paths)
  for _, redirect in ipairs(command.redirects) do
    local target = redirect.target
    if (redirect.op == "<" or redirect.op == "<>") and command.program ~= "wc" then
      if paths:named(target, command.cwd) or (command.cwd and paths:linked(target, command.cwd)) then
        return refusal("<", target)
      end
    end
  end
  return nil
end

-- Returns why a command is denied for its words, or nil. The first `count` words are its own, and those
-- at the positions in `patterns` are quoted patterns, which the shell does not expand. `shell_text` is the whole line. Sets
-- `state.unknown_read` when the command reads a file whose name is known only to the shell.
local function look_at_words(command, count, patterns, paths, state, shell_text)
  local found
  local argv, cwd = command.argv, command.cwd
  local unknown = words.unknown(command)
  local program = command.program:lower()
  local follows = cwd and reading.FOLLOWED[program]
  local recursive = is_recursive(command, program)
  if CONTAINERS[program] then
    for _, folder in ipairs(sources.volumes(command)) do
      if is_above_home(path.resolve(folder, cwd)) then return secret_paths.takes(command_text(command), folder) end
    end
  end
  local function add(text, at, target)
    if found or text == "" or #text > secret_paths.LONGEST_PATH then return end
    if at and patterns[at] and names.is_glob(text) then return end
    if at and unknown[at] and not state.sought then
      state.unknown_read = state.unknown_read or sources.is_reader(command)
    end
    -- A text with a line break, or with a space before the first slash, is prose: "fix .env".
    if not follows and (text:find("\n") or text:find("^[^/]*%s")) then return end
    if paths:named(text, cwd) then
      -- A copy in the same folder, under a name that is guarded as well, reveals nothing.
      local beside = target and path.resolve(target, cwd)
      if beside and folder_of(beside) == folder_of(path.resolve(text, cwd)) and paths:rule(beside) then return end
      found = refusal(command_text(command), text)
    elseif recursive and at and not (at == #argv and at > 2 and TO_LAST[program])
      and is_above_home(path.resolve(text, cwd)) then
      found = secret_paths.takes(command_text(command), text)
    elseif at and follows and not unknown[at] and argv[at]:sub(1, 1) ~= "-" and paths:linked(text, cwd) then
      found = refusal(command_text(command), text .. " (a link)")
    end
  end
  if reading.FOREIGN[program] then
    for at = 2, #argv do
      local word = paths:mentioned(argv[at], cwd)
      if word and not (reading.SPARED[program] or {})[argv[at - 1]] then add(word) end
    end
  end
  for _, line in ipairs(sources.meta_commands(command, shell_text)) do
    local word = paths:mentioned(line, cwd)
    if word then add(word) end
  end
  sources.lists(command, add)
  sources.each(command, function(text, at, target)
    if not (at and at > count) then add(text, at, target) end
  end)
  return found
end

-- A secret that any word or redirect of a command names.
local function named_anywhere(command, paths)
  local found
  for at = 2, #command.argv do
    sources.parts(command.argv[at], function(text)
      if not found and text ~= "" and paths:named(text, command.cwd) then found = text end
    end)
  end
  for _, redirect in ipairs(command.redirects) do
    if not found and paths:named(redirect.target, command.cwd) then found = redirect.target end
  end
  return found
end

-- A secret that find searches for, or a start folder that contains many. Excluded patterns are
-- skipped, and so is everything from -exec or -ok on.
local function sought(command, paths)
  local argv, starts = command.argv, true
  for at = 2, #argv do
    local word = argv[at]
    if word:find("^%-exec") or word:find("^%-ok") then return nil end
    local before = argv[at - 2]
    local left_out = argv[at - 1] == "-not" or argv[at - 1] == "!" or before == "-not" or before == "!"
      or (argv[at + 1] == "-prune" and (argv[at + 2] == "-o" or argv[at + 2] == "-or"))
    starts = starts and not word:find("^[-(!]")
    if starts and is_above_home(path.resolve(word, command.cwd)) then return word end
    if not left_out then
      local found
      sources.parts(word:gsub("\\", ""), function(text)
        if not found and text ~= "" and paths:named(text, command.cwd) then found = text end
      end)
      if found then return found end
    end
  end
  return nil
end

-- Options of programs that list files with a pattern of those that are left out.
local LEAVES_OUT = { find = {}, fd = set "-E --exclude", fdfind = set "-E --exclude", ls = set "-I --ignore", tree = set "-I" }

-- A secret whose name a command prints.
local function printed(command, paths)
  local argv, options = {}, LEAVES_OUT[command.program] or {}
  for at, word in ipairs(command.argv) do
    if not options[command.argv[at - 1]] and not options[word:match("^%-%-[^=]+")] then
      -- The escapes of printf end a name.
      for part in word:gsub("\\[nt0]", "\n"):gmatch("[^\n]+") do argv[#argv + 1] = part end
    end
  end
  return named_anywhere({ argv = argv, redirects = command.redirects, cwd = command.cwd }, paths)
end

-- A secret that is named in the code of a command.
local function named_in_code(command, paths)
  local found
  for at = 2, #command.argv do
    sources.literals(command.argv[at], function(literal)
      if not found and paths:named(path.given(literal), command.cwd) then found = literal end
    end, true)
  end
  return found
end

-- A secret, or a folder with many, whose name one of the commands passes to another.
local function handed_over(commands, text, paths)
  for _, command in ipairs(commands) do
    local word
    if command.program == "find" then
      word = sought(command, paths)
    elseif reading.NAMES[command.program] or command.program == "git" then
      word = printed(command, paths)
    elseif sources.is_code(command.program) then
      word = named_in_code(command, paths)
    end
    if word then return word end
  end
  -- A list in the line itself: `cpio -o <<< .env`.
  local list = text:match("<<(.*)")
  return list and paths:mentioned(list, commands[1].cwd)
end

local function written_by(command, paths)
  local found
  -- Loaded on demand: the module is large and most calls don't need it.
  require("file_guard.write_targets").each(command, function(text)
    if not found and paths:named(text, command.cwd) then found = text end
  end)
  return found
end

-- Checks code that is not in the arguments of its command, but in a here-document or a pipe.
local function look_at_code(command, text, paths)
  if not sources.is_code(command.program) then return nil end
  local piped = #command.argv == 1 or command.argv[2] == "-"
  if not piped and not text:find("<<") then return nil end
  local found
  sources.literals(text, function(literal)
    if not found and paths:named(path.given(literal), command.cwd) then found = literal end
  end)
  return found and refusal(command_text(command), found)
end

local function look_at_patch(command, text, paths, may_write)
  if not PATCHES[command.program] or not patch.is_patch(text) then return nil end
  for _, file in ipairs(patch.files(text)) do
    local shown = file.verb == "update" or file.verb == "move"
    if (shown or not may_write) and paths:named(file.path, command.cwd) then return refusal("a patch", file.path) end
  end
  return nil
end

-- Checks uploads by a program that reads its commands from its input: sftp host <<< 'put .env'.
local function look_at_puts(command, text, paths)
  if not reading.FOREIGN[command.program] then return nil end
  for word in text:gmatch("%f[%a]m?put%s+(%S+)") do
    word = word:gsub("[\"';]", "")
    if paths:named(path.given(word), command.cwd) then return refusal(command_text(command), word) end
  end
  return nil
end

-- Additional checks for the options `write = false` and `level = "strict"`.
local function look_by_options(command, paths, opted)
  if not opted.write then
    local word = written_by(command, paths)
    if word then
      local what = command_text(command)
      return ("%s would write %s, which is guarded. Ask the user to do it."):format(what, secret_paths.shortened(word))
    end
  end
  if not opted.strict then return nil end
  local word = named_anywhere(command, paths)
  return word and refusal(command_text(command), word) or stores.shows_environment(command)
end

local TAKES_FOLDERS = set "robocopy xcopy copy-item move-item compress-archive"

-- Checks a command of PowerShell or cmd.
local function look_at_effects(command, paths, state)
  local cwd, target, moves = command.cwd, nil, command.program:find("^[mr][oe][vn][ea]m?e?%-item") ~= nil
  for _, effect in ipairs(command.effects) do
    if effect.kind == "write" then target = target or path.resolve(effect.word, cwd) end
  end
  for _, effect in ipairs(command.effects) do
    if effect.kind == "read" or (moves and effect.kind == "remove") then
      local text = effect.word
      if not effect.target then
        state.unknown_read = true
      elseif paths:named(text, cwd) or (cwd and paths:linked(text, cwd)) then
        local beside = target and folder_of(target) == folder_of(path.resolve(text, cwd)) and paths:rule(target)
        if not beside then return refusal(command_text(command), text) end
      elseif TAKES_FOLDERS[command.program] and is_above_home(path.resolve(text, cwd)) then
        return secret_paths.takes(command_text(command), text)
      end
    end
  end
  return nil
end

-- Returns why a command line (a string or a list of words) is denied; nil when it is not.
-- env: the values of its environment variables, as one string
-- dialect: the language of the line, if it is not that of POSIX shells
local function look_at_line(line, cwd, env, paths, opted, dialect)
  local text = type(line) == "table" and table.concat(line, " ") or line
  dialect = type(line) == "string" and dialect or nil
  local spans = not dialect and quoted.may_have(line) or nil
  local commands = command_lines.read(line, cwd, (spans or dialect) and { spans = spans, dialect = dialect } or nil)
  local state = { unknown_read = false }
  local guards_env = paths:named(".env", cwd) ~= nil
  local handed, uses_env, dumps, loaded, shown = false, false, false, false, text:find("<<") ~= nil
  for i, command in ipairs(commands) do
    -- Names that find and the like pass on are checked by `handed_over`, with their arguments.
    state.sought = false
    for lister in pairs(LEAVES_OUT) do
      state.sought = state.sought or orcs.contains(command.via, lister)
        or (i > 1 and orcs.contains(command.via, "xargs") and orcs.contains(commands[i - 1].from, lister))
    end
    if #command.argv == 0 and command.opaque then
      local word = paths:mentioned(text, cwd) or paths:mentioned(text:gsub("\\", "/"), cwd)
      if word then return refusal("a command line that cannot be read", word) end
    end
    local loads = not opted.strict and stores.loads(command)
    loaded, uses_env = loaded or loads, uses_env or loads
    shown = shown or stores.shows_variable(command)
    local reason = look_at_redirects(command, paths)
      or (command.dialect and look_at_effects(command, paths, state))
      or (not command.dialect and not loads and look_at_words(command, own(commands, i), quoted.positions(command, text), paths, state, text))
      or stores.prints(commands, i)
      or stores.prints_environment(commands, i)
      or (guards_env and wide_reads.reads(commands, i, cwd) and READS_ALL:format(command_text(command)))
      or look_at_code(command, text, paths)
      or look_at_puts(command, text, paths)
      or look_at_patch(command, text, paths, opted.write)
      or look_by_options(command, paths, opted)
    if reason then return reason end
    for _, via in ipairs(command.via) do
      handed = handed or (HANDS_OVER[via] and sources.takes(command))
    end
    handed = handed or ((i > 1 or text:find("<<")) and sources.is_listed(command))
    uses_env = uses_env or reading.LOADS[command.program]
    for _, word in ipairs(command.argv) do
      uses_env = uses_env or word:sub(1, 10) == "--env-file" or word == "dotenv/config"
        or (sources.is_code(command.program) and word:find("%f[%w]dotenv%f[%W]") ~= nil)
    end
    dumps = dumps or stores.dumps(command)
  end
  local word = handed and handed_over(commands, text, paths)
  if word then return refusal("a command line that hands it over", word) end
  if (uses_env and dumps) or (loaded and shown) then
    return "it would show the environment, including values loaded from a file. Read single variables that are not secret."
  end
  if not state.unknown_read then return nil end
  word = paths:mentioned((spans and quoted.without(commands, text) or text) .. " " .. env, cwd)
  return word and refusal("a command that reads what only the shell will know", word) or nil
end

return look_at_line
