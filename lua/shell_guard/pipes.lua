-- Judges commands that get lists from another command of the line: files that git, grep or rg list and rm removes, processes
-- that ps lists and kill ends, a difference of git that is applied backwards.

local derived = require "shell_guard.derived_args"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local words = require "shell_guard.words"

local pipes = {}

-- Programs that hand on all that they read, in another order or form.
local PASSES_ON = words.set "sort uniq tr cat tee tail xargs gxargs parallel rev nl awk gawk mawk nawk sed gsed cut"
local GREPS = words.set "grep egrep"
local EVERYTHING = words.set ". ./ :/ * '*' **"

local function refuse(id, command, other, because, instead)
  return reasons.refusal(id, reasons.shown(other.argv) .. " … " .. reasons.shown(command.argv), because, instead)
end

-- Whether awk, sed or tail selects some of the lines that it reads. To leave out a heading selects nothing.
local function selects(other)
  local program = other.program
  local text = table.concat(other.argv, " ", 2):gsub("NR%s*[>!]=?%s*[12]%f[%D]", ""):gsub("%f[%w]1d%f[%W]", "")
  if program == "tail" then return not text:find("%+2%f[%D]") end
  if program:find("awk$") then return text:find("[/~<>]") ~= nil or text:find("==") ~= nil or text:find("NR") ~= nil end
  if program:find("sed$") then return text:find("%-n") ~= nil or text:find("d%f[^%w]") ~= nil end
  return false
end

-- Whether grep selects only by the state that git gives a file: `grep '^??'`.
local function selects_state(other)
  if not GREPS[other.program] or #other.argv ~= 2 then return false end
  return other.argv[2]:find("^%^[%s?MADURC\\%[%].|]+$") ~= nil
end

-- The command that lists what another gets through a pipe or in a substitution, if nothing selects among it: nil otherwise.
local function lister(command, programs)
  local by_pipe = #derived.from(command) > 0
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if programs[other.program] and not selects_state(other) then
      local substitutes = derived.has(other.via, "$()") or derived.has(other.via, "<()")
      if substitutes or (by_pipe and derived.has(derived.from(command), other.program)) then return other end
      return nil
    end
    local hands_on = PASSES_ON[other.program] and not selects(other) or selects_state(other)
    if not hands_on and other.program ~= command.program then return nil end
  end
end

local OPTION = "^%-%a*"

local function has_option(argv, letter, long)
  for at = 2, #argv do
    if argv[at] == "--" then return false end
    if argv[at]:find(OPTION .. letter) and not argv[at]:find("^%-%-") or (long and argv[at] == long) then return true end
  end
  return false
end

local FLAGS = words.set "-- --files --files-with-matches --files-without-match --recursive --hidden --null --ignore-case"

local function takes_value(word)
  return word:find("^%-%a*e$") ~= nil or word:find("^%-[gtmfABCxX]$") ~= nil or word:find("^%-%-%a+%-?%a*$") ~= nil and not FLAGS[word]
end

local function operands_of(argv, from)
  local found = {}
  for at = from, #argv do
    if argv[at - 1] == "--" or argv[at]:sub(1, 1) ~= "-" and not takes_value(argv[at - 1]) then
      found[#found + 1] = argv[at]
    end
  end
  return found
end

local LISTERS = words.set "git grep egrep rg ag ls tree"
local SHOW_FIRST = "Look at the list first, and name what is to go"

-- What `git ls-files`, `git status` and `git diff` list.
local function judge_git_list(command, other)
  local args = other.args
  if not args then return nil end
  local on, operands = args.options, {}
  for n, at in ipairs(args.operands) do operands[n] = other.argv[at] end
  local function unknown_go()
    return refuse(
      "git.clean", command, other, "removes files that git does not have, and cannot bring back",
      "git clean -n shows what would go"
    )
  end
  if args.name == "git/status" then return (on["--short"] or on["--porcelain"]) and not operands[1] and unknown_go() or nil end
  if args.name == "git/diff" then
    local is_all = on["--name-only"] and on["--diff-filter"] ~= "D"
    for _, word in ipairs(operands) do is_all = is_all and word == "HEAD" end
    return is_all and refuse("files.find-delete", command, other, "removes files with their uncommitted changes", SHOW_FIRST) or nil
  end
  local is_tree = args.name == "git/ls-tree" and (on["-r"] or on["--full-tree"])
  if not is_tree and args.name ~= "git/ls-files" or on["--deleted"] then return nil end
  -- The first operand of ls-tree is a revision.
  for n, word in ipairs(operands) do
    if not EVERYTHING[word] and not (is_tree and n == 1) then return nil end
  end
  if on["--others"] then return unknown_go() end
  return refuse(
    "files.find-delete", command, other, "removes the files of the repository with their uncommitted changes", SHOW_FIRST
  )
end

local WIDE_PATTERNS = words.set ". ^ $ .* ^.* .+ \\."
local FAR = words.set "root top home above outside"

-- Whether one of the patterns of the options -e and --regexp matches any line, and whether there are such options.
local function is_wide(argv)
  local wide, given = false, false
  for at = 2, #argv do
    local joined = argv[at]:match("^%-%-regexp=(.*)$")
    local pattern = joined or (argv[at - 1]:find("^%-%a*e$") or argv[at - 1] == "--regexp") and argv[at]
    if pattern then wide, given = wide or pattern == "" or WIDE_PATTERNS[pattern], true end
  end
  return wide, given
end

-- What grep -l and rg list: below a folder that is not of the project, or all that there is.
local function judge_search(command, other)
  local argv = other.argv
  local lists_all = has_option(argv, "%z", "--files")
  if not lists_all and not has_option(argv, "l", "--files-with-matches") and not has_option(argv, "L", "--files-without-match") then return nil end
  if has_option(argv, "g", "--glob") or has_option(argv, "t", "--type") then return nil end
  local operands = operands_of(argv, 2)
  local wide, given = is_wide(argv)
  local first = (lists_all or given) and 1 or 2
  for n = first, #operands do
    local kind = paths.look(command.place, other.cwd, operands[n])
    if FAR[kind] then
      return refuse("files.find-outside-roots", command, other, "removes files outside of what may be removed (" .. operands[n] .. ")", SHOW_FIRST)
    end
  end
  wide = lists_all or wide or (not given and (operands[1] == "" or WIDE_PATTERNS[operands[1]]))
  for n = first, #operands do wide = wide and EVERYTHING[operands[n]] end
  if wide then
    return refuse("files.find-delete", command, other, "removes all files that it finds", SHOW_FIRST)
  end
end

local TREE_VALUES = words.set "-L -P -I -o -T -H --filelimit --charset --timefmt --sort"

-- What tree lists with the paths of the files: all files of a folder, unless a pattern selects among them.
local function judge_tree(command, other)
  local argv, wide = other.argv, true
  if not has_option(argv, "f") or has_option(argv, "P") then return nil end
  for at = 2, #argv do
    if argv[at]:sub(1, 1) ~= "-" and not TREE_VALUES[argv[at - 1]] then
      wide = EVERYTHING[argv[at]] or FAR[paths.look(command.place, other.cwd, argv[at])]
    end
  end
  return wide and refuse("files.find-delete", command, other, "removes all files that it finds", SHOW_FIRST) or nil
end

--- Judges a command that removes files which another one lists. Returns a reason to deny it, or nil.
function pipes.removes_listed(command)
  local other = lister(command, LISTERS)
  if not other then return nil end
  if other.program == "git" then return judge_git_list(command, other) end
  if other.program == "tree" then return judge_tree(command, other) end
  if other.program ~= "ls" then return judge_search(command, other) end
end

local PS = words.set "ps pgrep"
local PS_NARROWS = words.set "-C -p --pid --ppid -q -t --tty -g -G -s"

-- Whether a list of processes is one of all, or of all of a user.
local function lists_everything(other)
  local argv = other.argv
  if other.program == "pgrep" then
    local operands = operands_of(argv, 2)
    for at = 2, #argv do
      if argv[at]:find("^%-[uUGgPst]$") and argv[at + 1] then return argv[at + 2] == nil end
    end
    return operands[1] ~= nil and operands[1]:find("^%^?%.?[*+]?%$?$") ~= nil
  end
  for at = 2, #argv do
    if PS_NARROWS[argv[at]] or argv[at]:find("^%-%-p?pid=") or argv[at]:find("^%d+$") then return false end
  end
  return #argv > 1
end

--- Judges kill, behind a list of processes. Returns a reason to deny it, or nil.
function pipes.kill(command)
  local other = lister(command, PS)
  if other and lists_everything(other) then
    return refuse("processes.kill-all", command, other, "ends everything that runs", "Name the process by its id")
  end
end

local REVERSES = words.set "-R --reverse"
local CHANGES_NOTHING = words.set "--check --stat --numstat --summary --cached --dry-run"

--- Judges git apply and patch that undo the difference which git shows. Returns a reason to deny them, or nil.
function pipes.reverses(command)
  local argv = command.argv
  local reverses = false
  if command.program ~= "patch" and not derived.has(argv, "apply") then return nil end
  for at = 2, #argv do
    if CHANGES_NOTHING[argv[at]] then return nil end
    reverses = reverses or REVERSES[argv[at]] or false
  end
  local other = reverses and command.at > 1 and command.all[command.at - 1]
  if not other or other.program ~= "git" or other.argv[2] ~= "diff" or not derived.has(command.from, "git") then return nil end
  local revisions = 0
  for at = 3, #other.argv do
    local word = other.argv[at]
    if word == "--cached" or word == "--staged" or word:find("..", 1, true) then return nil end
    if word == "--" then break end
    if word:sub(1, 1) ~= "-" and not word:find("[/.]") and word ~= "HEAD" and word ~= "@" then revisions = revisions + 1 end
  end
  if revisions > 0 then return nil end
  return refuse("git.restore-files", command, other, "throws away uncommitted changes of files", "Commit or stash them first")
end

--- Judges tar that extracts what git archives over the files of the project. Returns a reason to deny it, or nil.
function pipes.extracts(command)
  local first = command.argv[2] or ""
  local extracts = first:find("^%-?%a*x") ~= nil or derived.has(command.argv, "--extract") or derived.has(command.argv, "--get")
  local other = extracts and command.at > 1 and command.all[command.at - 1]
  if not other or other.program ~= "git" or other.argv[2] ~= "archive" or not derived.has(command.from, "git") then return nil end
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word:find("^%-%a*[CO]") or word:find("^%-%-directory") or word == "--to-stdout" then return nil end
  end
  for at = 3, #other.argv do
    if other.argv[at]:find("^%-%-prefix") then return nil end
  end
  return refuse("git.checkout-files", command, other, "overwrites files with their uncommitted changes", "Extract into another folder: tar -x -C")
end

return pipes
