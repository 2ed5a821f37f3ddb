-- Which words of a command are files that it shows, sends, copies or archives.
local path = require "file_guard.path"
local reading = require "file_guard.reading"
local sed = require "shell_guard.sed"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has
local NAMES, SED, AWK, CODE, COPY = reading.NAMES, reading.SED, reading.AWK, reading.CODE, reading.COPY
local YQ = reading.YQ

local NO_OPTIONS = {}
local TAR = set "tar bsdtar gtar"
local YQ_COMMANDS = set "e eval ea eval-all"
local KEY_COMMANDS = set "rsa ec pkey dsa genrsa x509 req"

-- The possible paths in a word: the whole word, and its parts around the separators between a name
-- and a value.
local function parts(word, add)
  local address = word:find("^%a[%w+.-]*:/") and word:lower():find("^file:")
  if not address and word:find("^%a[%w+.-]*://") then return end
  add(word)
  if address then add(path.given(word)) end
  local joined = word:match("^%-%a(.+)$")
  if joined then add(joined) end
  local _, _, after = word:find("[=@](.+)$")
  if after then
    if after:find("^%a[%w+.-]*://") and not after:lower():find("^file:") then return end
    add(after)
  end
  for part in word:gmatch("[^=@:,;<]+") do
    if part ~= word then add(part) end
  end
end

-- Calls and operators that only show a name, or look for a file.
local ONLY_NAMED = {}
for _, call in ipairs({
  "%f[%w_.]print", "console%.%a+", "%f[%w]puts", "existsSync", "path%.exists", "path%.isfile", "path%.isdir",
  "File%.%a+%?", "file_exists", "%f[%w]Path",
}) do
  for _, quote in ipairs({ "'", '"' }) do
    local literal = "%s*" .. quote .. "[^'\"\n]*" .. quote .. "%s*"
    ONLY_NAMED[#ONLY_NAMED + 1] = call .. "%(" .. literal .. "%)" .. (call:find("Path") and "%.exists" or "")
  end
end
for _, quote in ipairs({ "'", '"' }) do
  local literal = quote .. "[^'\"\n]*" .. quote
  ONLY_NAMED[#ONLY_NAMED + 1] = literal .. "%s+in%s"
  -- Tests of Perl: `print 1 if -e ".env"`.
  for _, before in ipairs({ "%f[%w]if%s+", "%f[%w]unless%s+", "%f[%w]print%s+", "[(!&|]%s*" }) do
    ONLY_NAMED[#ONLY_NAMED + 1] = before .. "%-[edfrwxsz]%s*" .. literal
  end
end

-- Code without the names that it only shows, or looks for: print('.env').
local function without_names(code)
  for _, pattern in ipairs(ONLY_NAMED) do code = code:gsub(pattern, "") end
  return code
end

-- The strings in a piece of code: in quotes, or in literals such as %w(...).
-- all: also those that the code only shows, or looks for
local function literals(code, add, all)
  if not all then code = without_names(code) end
  for _, quote in ipairs({ "'", '"', "`" }) do
    for text in code:gmatch(quote .. "([^" .. quote .. "\n]+)" .. quote) do add(text) end
  end
  for text in code:gmatch("%%[qwQW]?[({[/]([^)}/%]]+)") do add(text) end
end

local GIT = {
  names = set [[
    status check-ignore check-attr rm ls-files ls-tree update-index clean restore checkout switch reset branch tag fetch
    pull push init clone remote merge rebase cherry-pick revert gc prune worktree submodule sparse-checkout rev-parse
    rev-list bisect describe count-objects fsck ]],
  -- Of these, only a file with the message is read.
  messages = set "tag merge",
  global = set "-C -c --git-dir --work-tree --namespace --exec-path --config-env",
}

-- Adds the sources of a copy with their target: a copy beside the original, under a name that is
-- guarded as well, shows nothing.
local function copied(argv, add)
  local operands, options = split(argv, set "-t --target-directory -S --suffix -m --mode -o -g")
  local target = words.value(options, set "-t --target-directory")
  if not target and #operands > 1 then target = table.remove(operands).text end
  for _, operand in ipairs(operands) do
    add(operand.text, operand.at, target)
  end
end

-- The subcommand of git, and its position in argv.
local function git_words(argv)
  local at = 2
  while argv[at] and argv[at]:sub(1, 1) == "-" do
    at = at + (GIT.global[argv[at]] and 2 or 1)
  end
  return argv[at], at
end

-- Parts of an awk program that reads, writes or runs what a variable names, and options that add to a program.
local USES_NAMES = { "getline", "ARGV", "system", "|", ">", "@" }
local MORE_PROGRAM = set "-f --file -i --include -E --exec -l --load"

-- Whether an awk program only uses its variables as text: `awk -v name=.env '{ print name, $1 }'`.
local function has_plain_variables(program, first, options, unknown)
  if #program == 0 or has(options, MORE_PROGRAM) or (first and unknown[first.at]) then return false end
  for _, option in ipairs(options) do
    if unknown[option.at] then return false end
  end
  for _, text in ipairs(program) do
    for _, part in ipairs(USES_NAMES) do
      if text:find(part, 1, true) then return false end
    end
  end
  return true
end

-- has_input: whether a pipe or a redirect supplies its input; unknown: positions of words that only the shell knows
local function search(argv, spec, add, has_input, unknown)
  local operands, options = split(argv, spec.valued)
  if spec.quiet and has(options, spec.quiet) then return end
  local program, rest, files = {}, {}, false
  for _, option in ipairs(options) do
    if spec.from[option.name] then
      files = true
      if option.text then add(option.text, option.at) end
    elseif spec.pattern[option.name] then
      files = true
      program[#program + 1] = option.text
    elseif spec.seen and spec.seen[option.name] and option.text and option.text:sub(1, 1) ~= "!" then
      add(option.text, option.at)
    end
  end
  local in_place = spec == SED and has(options, set "-i --in-place")
  if spec == YQ then
    if operands[1] and YQ_COMMANDS[operands[1].text] then table.remove(operands, 1) end
    -- Without a filter, it shows the whole file.
    files = files or (#operands == 1 and not has_input)
  end
  local first = not files and table.remove(operands, 1) or nil
  if first then program[1] = first.text end
  local plain = spec == AWK and has_plain_variables(program, first, options, unknown)
  for _, operand in ipairs(operands) do
    local value = spec == AWK and operand.text:match("^[%a_][%w_]*=(.*)$")
    if not value then
      rest[#rest + 1] = operand
    elseif not plain then
      parts(value, function(text) add(text, operand.at) end)
    end
  end
  if spec == AWK and not plain then
    words.each_value(options, set "-v --assign", function(value, at)
      parts(value, function(text) add(text, at) end)
    end)
  end
  for _, text in ipairs(program) do
    if text:find("/dev/") then in_place = false end
  end
  for _, operand in ipairs(in_place and {} or rest) do add(operand.text, operand.at) end
  for _, text in ipairs(program) do
    if spec == AWK then literals(text, add) end
  end
  if spec == SED then sed.each(argv, { reads = function(text) add(text:match("^[^%s;}]*")) end }) end
end

local function git(argv, add)
  local sub, at = git_words(argv)
  if not sub or (GIT.names[sub] and not GIT.messages[sub]) then return end
  local rest = table.move(argv, at, #argv, 1, {})
  if sub == "grep" then
    return search(rest, reading.PATTERN_FIRST["git-grep"], function(text, i) add(text, at + i - 1) end)
  end
  if sub == "mv" then return copied(rest, function(text, i, target) add(text, i and at + i - 1, target) end) end
  if sub == "stash" and rest[2] ~= "show" then return end
  local operands, options = split(rest, set [[
    -m --message -F --file -C --reuse-message -c --format --pretty --author --date --since --until -S -G --grep -L ]])
  if sub == "log" or sub == "shortlog" then
    if not has(options, set "-p --patch -u -L -S -G --stat-p") then return end
  end
  for _, option in ipairs(options) do
    local file = option.name == "-F" or option.name == "--file"
    if file or option.name == "-L" then
      if option.text then parts(option.text, function(text) add(text, at + option.at - 1) end) end
    end
  end
  if GIT.messages[sub] then return end
  for _, operand in ipairs(operands) do
    local is_left_out = operand.text:find("^:[!^]") or operand.text:find("^:%(exclude")
    if not is_left_out then parts(operand.text, function(text) add(text, at + operand.at - 1) end) end
  end
end

-- Whether a pipe or a redirect supplies the input of a command.
local function has_input(command)
  for _, redirect in ipairs(command.redirects) do
    if redirect.op:sub(1, 1) == "<" then return true end
  end
  return #command.from > 0
end

-- Options with which tar makes an archive, or shows what it extracts.
local TAR_READS = set "-c -r -u -A --create --append --update --concatenate --catenate -O --to-stdout"

local function tar(argv, add)
  local first = argv[2] or ""
  if not first:find("^%-") then
    argv = table.move(argv, 1, #argv, 1, {})
    argv[2] = "-" .. first
  end
  local operands, options = split(argv, reading.TAR_VALUED)
  words.each_value(options, set "-T --files-from", add)
  if not has(options, TAR_READS) then return end
  local folder = words.value(options, set "-C --directory")
  for _, operand in ipairs(operands) do
    add(operand.text, operand.at)
    if folder then add(folder .. "/" .. operand.text, operand.at) end
  end
end

local function plain(argv, spared, add)
  local at, ended, by_all = 2, false, reading.SPARED_BY_ALL
  while at <= #argv do
    local word = argv[at]
    local name = word:match("^(%-%-?[^=]+)=") or word
    if by_all[name] then
      if name == word then at = at + 1 end
    elseif ended or word:sub(1, 1) ~= "-" then
      parts(word, function(text) add(text, at) end)
    elseif word == "--" then
      ended = true
    elseif spared[name] then
      if name == word then at = at + 1 end
    elseif not (word:sub(2, 2) ~= "-" and spared[word:sub(1, 2)]) then
      parts(word, function(text) add(text, at) end)
    end
    at = at + 1
  end
end

-- Whether openssl uses a private key without showing it.
local function hides_key(argv)
  if not KEY_COMMANDS[argv[2]] or orcs.contains(argv, "-text") then return false end
  return argv[2] == "genrsa" or orcs.contains(argv, "-noout") or orcs.contains(argv, "-pubout")
end

-- Whether perl or ruby only substitutes text in files, in place.
local function substitutes(argv)
  local _, options = split(argv, set "-e -E")
  if not has(options, set "-i") then return false end
  for _, option in ipairs(options) do
    local code = option.text
    local plain_one = code and code:find("^%s*s%p") and not code:find("STD")
    if code and (not plain_one or code:find("%p%l*e%l*%s*;?%s*$")) then return false end
  end
  return true
end

-- Adds the files from which xargs and parallel read arguments.
local function lists(command, add)
  local options = reading.HANDED[command.program]
  for at = 2, options and #command.argv or 0 do
    local name, value = command.argv[at]:match("^(%-%-[^=]+)=(.*)$")
    if options[name] then add(value) end
    if options[command.argv[at]] and command.argv[at + 1] then add(command.argv[at + 1]) end
  end
end

-- The folders that a container mounts.
local function volumes(command)
  local folders = {}
  for at, word in ipairs(command.argv) do
    if word == "-v" or word == "--volume" then word = "--volume=" .. (command.argv[at + 1] or "") end
    local folder = word:match("^%-%-volume=([^:]+):") or word:match("^%-v([^:]+):")
    if not folder and (word:find("^type=bind") or word:find("^%-%-mount=")) then
      folder = word:match("source=([^,]+)") or word:match("src=([^,]+)")
    end
    folders[#folders + 1] = folder
  end
  return folders
end

-- Calls add(text, at, target) for each text in a command that may be a file that it shows, sends,
-- copies or archives. `at` is its position in argv, nil for a string in code; `target` is the
-- destination of a copy.
local function each(command, add)
  local argv, program = command.argv, command.program:lower()
  if NAMES[program] then
    local short, long = reading.SHOWN_BY[program], reading.SHOWN_BY_LONG[program]
    for at = 2, short and #argv or 0 do
      if argv[at]:find(short) or (long and argv[at]:find(long)) then
        return plain(argv, reading.SPARED[program] or NO_OPTIONS, add)
      end
    end
    return
  end
  if program == "git" then return git(argv, add) end
  if COPY[program] then return copied(argv, add) end
  if TAR[program] then return tar(argv, add) end
  local spec = reading.PATTERN_FIRST[program]
  if spec then return search(argv, spec, add, has_input(command), words.unknown(command)) end
  if program == "openssl" and hides_key(argv) then return end
  if program == "dd" then
    for at = 2, #argv do
      if argv[at]:sub(1, 3) == "if=" then add(argv[at]:sub(4), at) end
    end
    return
  end
  if program == "env" then
    for at = 2, #argv do
      if not argv[at]:find("^[%w_]+=") then add(argv[at], at) end
    end
    return
  end
  -- An edit in place doesn't show the file.
  if (program == "perl" or program == "ruby") and substitutes(argv) then return end
  local code = CODE[program]
  if code then
    argv = table.move(argv, 1, #argv, 1, {})
    for at = 2, #argv do
      -- The environment is no file: `const e = process.env`.
      argv[at] = argv[at]:gsub("([%s=(])process%.env%f[^%w_.]", "%1")
      if argv[at]:find("[%s('\"]") then
        argv[at] = without_names(argv[at])
        literals(argv[at], add, true)
      end
    end
  end
  -- With -p, it prints the value of a variable.
  if (program == "dotenv" or program == "dotenv-cli") and orcs.contains(argv, "-p") then
    return plain(argv, NO_OPTIONS, add)
  end
  plain(argv, reading.SPARED[program] or NO_OPTIONS, add)
end

-- Whether a command shows the contents of the files that it names.
local function is_reader(command)
  local program = command.program:lower()
  if NAMES[program] or COPY[program] then return false end
  return reading.FOLLOWED[program] or reading.PATTERN_FIRST[program] ~= nil
end

-- Whether a command shows, sends, copies or archives files whose names another command passes to
-- it.
local function takes(command)
  local program = command.program:lower()
  if NAMES[program] then return false end
  if program == "git" then
    local sub = git_words(command.argv)
    return sub ~= nil and not GIT.names[sub]
  end
  local spec = reading.PATTERN_FIRST[program]
  if not spec or not spec.quiet then return true end
  local _, options = split(command.argv, spec.valued)
  return not has(options, spec.quiet)
end

-- The commands of a database's shell that name files without quotes: `\i x` of psql, `.read x` of sqlite3.
-- line: the whole command line, for those in a here-document
local function meta_commands(command, line)
  local mark = reading.META[command.program]
  if not mark then return {} end
  local found = {}
  local texts = table.move(command.argv, 2, #command.argv, 1, {})
  if line:find("<<") then texts[#texts + 1] = (line:gsub("<<<%s*[\"']", "\n")) end
  for _, text in ipairs(texts) do
    for part in text:gmatch("[^\n]+") do
      if part:find(mark) then found[#found + 1] = part end
    end
  end
  return found
end

-- Whether a command reads file names from a list, such as its input.
local function is_listed(command)
  -- The old form: `tar cT list`.
  if TAR[command.program] and (command.argv[2] or ""):find("^%a+T") then return true end
  local word = reading.LISTED[command.program]
  for at = 1, word and #command.argv or 0 do
    if command.argv[at]:find(word) then return true end
  end
  return false
end

return {
  each = each, lists = lists, volumes = volumes, literals = literals, parts = parts, is_reader = is_reader,
  takes = takes, is_listed = is_listed, meta_commands = meta_commands,
  is_code = function(program) return CODE[program] ~= nil end,
}
