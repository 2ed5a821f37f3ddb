-- Words that nobody knows before a command runs. Those that xargs, parallel and find put into it decide what runs where
-- they are options or code.

local words = require "file_guard.words"

local read_words = {}

local READERS = words.set "xargs parallel find fd fdfind"
-- Programs that print names of files, branches and the like: not code, and no options.
local LISTS = words.set "find fd fdfind bfs ls git rg grep egrep fgrep ag ack locate tree"

--- Whether a word is not known because another program reads it: not by a variable or a substitution.
function read_words.is_read(command, at)
  return command.unknown[at] == true and READERS[command.via[#command.via]] == true and not command.argv[at]:find("[$`]")
end

--- Whether what is read are names from a listing in the same line: `find . -name '*.js' | xargs node`.
function read_words.are_listed(command)
  local by = command.via[#command.via]
  if by ~= "xargs" and by ~= "parallel" then return true end
  return words.any(command.all, function(other, at) return at < command.at and LISTS[other.program] end)
end

local NAMES_INPUT = words.set "-a --arg-file ::: ::::"

--- Whether nothing in the line writes what xargs or parallel reads, and no file is named for it.
function read_words.are_unwritten(command)
  local by = command.via[#command.via]
  if by ~= "xargs" and by ~= "parallel" then return false end
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if other.program == by then
      local names_input = words.any(other.argv, function(word)
        return NAMES_INPUT[word] or word:find("^%-%-arg%-file=") or word:find("^%-a.")
      end)
      return not names_input and #other.from == 0 and #other.redirects == 0 and not command.line:find("<<")
    end
  end
  return false
end

--- Whether such input stands at the end of a command, where a word of it may be an option.
function read_words.are_appended_unwritten(command)
  return command.argv[#command.argv] == "…" and read_words.are_unwritten(command)
    and not words.any(command.argv, function(word) return word == "--" end, 2)
end

--- Whether such words stand behind others at the end of the command, however many there are.
function read_words.are_appended(command)
  local last = #command.argv
  return last > 2 and command.argv[last] == "…" and read_words.is_read(command, last)
end

-- Options whose value is code, or what to load as code.
local TAKES_CODE = {
  python = words.set "-c -m", node = words.set "-e -p -pe --eval --print -r --require --import --loader --experimental-loader",
  ruby = words.set "-e -r", perl = words.set "-e -E -M -m -I", php = words.set "-r -B -R -E", lua = words.set "-e -l",
  awk = words.set "-f --file -e --source -i --include -l --load",
}

-- Options whose value is neither code nor a script.
local TAKES_DATA = words.set "-W -X --title --conditions --env-file --max-old-space-size -F -v --field-separator --assign"
-- Options with which an interpreter only looks for mistakes.
local ONLY_CHECKS = { node = words.set "-c --check", ruby = words.set "-c", perl = words.set "-c", php = words.set "-l --syntax-check" }

-- The option that a word begins with its value in: `-rx`, `--import=x`.
local function option_in(word)
  return word:match("^(%-%-[%a-]+)=") or word:match("^%-%a")
end

local function family(program)
  return program:find("awk$") and "awk" or program:find("^node") and "node" or program:match("^%a+") or ""
end

--- Whether words that are read become the code of an interpreter, one of its options, or, if they are not the names of
--- a listing, the script that it runs.
function read_words.become_code(command, program)
  local argv, name = command.argv, family(program)
  local takes, checks = TAKES_CODE[name] or TAKES_CODE.python, ONLY_CHECKS[name] or {}
  -- Whether the code or the script has been named before.
  local is_named, has_operand = false, false
  -- Options may stand behind the code, except for Python.
  local may_go_on = TAKES_CODE[name] ~= nil and name ~= "python" and read_words.are_unwritten(command)
  for at = 2, #argv do
    local word, before = argv[at], argv[at - 1]
    local is_value = takes[before] == true
    if checks[word] and not is_named then return false end
    if TAKES_DATA[before] and not is_named then
      -- The value of an option.
    elseif read_words.is_read(command, at) then
      local is_whole = not word:find("[%s(\"']")
      if is_value then return is_whole or not read_words.are_listed(command) end
      if not is_named and word:sub(1, 1) == "-" then return true end
      if not is_named then return name == "awk" or not read_words.are_listed(command) end
      if may_go_on and not has_operand and word == "…" then return true end
    end
    if is_value or takes[option_in(word)] or (word:sub(1, 1) ~= "-" and not TAKES_DATA[before]) then is_named = true end
    has_operand = has_operand or word == "--" or (word:sub(1, 1) ~= "-" and not is_value and not TAKES_DATA[before])
  end
  return false
end

--- Whether a word that is read sets git's configuration, which can name programs to run: `git -c {} status`.
--- @param at the position of the subcommand
function read_words.sets_git_config(command, at)
  return words.any(command.argv, function(word, position)
    local before = command.argv[position - 1]
    local is_config = before == "-c" or before == "--config-env" or word:find("^%-c.") or word:find("^%-%-config%-env=")
    return position < at and is_config and read_words.is_read(command, position)
  end, 2)
end

local CHANGES = words.set "reset push stash worktree clean checkout switch restore merge rebase"

--- Whether words that are read may be options of a git subcommand that discards work with some of them.
--- @param at the position of the subcommand
function read_words.may_be_git_options(command, at)
  if not CHANGES[command.argv[at]] or read_words.are_listed(command) then return false end
  for position = at + 1, #command.argv do
    if command.argv[position] == "--" then return false end
    if read_words.is_read(command, position) then return true end
  end
  return false
end

-- Parts of names of variables that usually hold options.
local OPTIONS = words.list "FLAG OPT ARG FORCE PARAM"
-- Programs whose output is typically a constant, so that it can be an option.
local CONSTANTS = words.set "echo printf base64 rev tr sed cut xxd"

--- Whether a word that is only known to the shell is likely to be an option.
function read_words.may_be_option(word)
  local inner = word:match("^%$%(%s*([%w_./-]+)") or word:match("^`%s*([%w_./-]+)")
  if inner then return CONSTANTS[inner] == true end
  local name = word:match("^%${?([%w_@*!]+)")
  if not name then return false end
  return name:find("^[%d@*]") ~= nil or words.matches(name:upper(), OPTIONS)
end

--- Whether an option may contain letters or names that are only known to the shell: `-$X`.
function read_words.has_open_option(command)
  local args = command.args or { at = 1, operands = {} }
  for at in pairs(command.unknown) do
    local word = command.argv[at]
    local is_open = word:find("^%-[^-]") or word:find("^%-%-[^=]*[$`{]")
    if is_open and at > args.at and not orcs.contains(args.operands, at) then return true end
  end
  return false
end

return read_words
