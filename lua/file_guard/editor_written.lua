-- Files that the scripts of editors write: Ex commands of vi, vim, nvim and ex (`-c 'w x'`, `+'w x'`),
-- and the commands of ed. They are in the arguments, or in a here-document or a pipe.
local code_written = require "file_guard.code_written"
local path = require "file_guard.path"
local set = require("file_guard.words").set

local EX = set "vi vim nvim ex view rvim rview gvim mvim vimdiff nvi vim.basic vim.tiny"
local OF_ARGUMENT = set "-c --cmd"
-- Ex commands, with their abbreviations, whose argument is a file that they write or edit.
local WRITE = set [[
  w wr wri writ write wq x xi xit exi exit up upd upda update sav save savea saveas wn wnext e ed edi edit ex
  mks mksession mkv mkvi mkvie mkview mkvim mkvimr mkvimrc mk mkexrc redi redir new sp split vs vsplit tabe tabedit
  tabnew W f fi file ]]
-- Ex commands whose argument is another Ex command.
local LEAD = set "sil silent exe execute noa noautocmd keepalt keepj keepjumps bufdo argdo windo tabdo"
local READ = set "r re rea read"
local RANGE = "^[%s:]*[%d.,$%%'<>+;-]*%s*"

-- The file in the argument of an Ex command, without `++enc=…`, `>>` and quotes; nil for none, and for
-- a name that only the editor knows (`%`).
local function file_in(rest)
  rest = rest:gsub("^%s*>*%s*", "")
  while rest:find("^%+%+%S+%s") do rest = rest:gsub("^%+%+%S+%s+", "") end
  rest = rest:match("^(.-)%s*$"):gsub("\\(.)", "%1")
  if rest == "" or rest:find("^[%%#]") then return nil end
  return path.given(rest)
end

-- Judges one command. add(text): called for a file; run(line): called for a line that a shell runs.
local function one(text, add, run)
  local rest = text:gsub(RANGE, "", 1)
  if rest:sub(1, 1) == "!" then return run(rest:sub(2)) end
  local name, after = rest:match("^(%a+)(.*)$")
  if not name then return end
  if LEAD[name] then
    after = after:match("^!?%s*(.-)%s*$")
    return one(after:match("^['\"](.*)['\"]$") or after, add, run)
  end
  local shell = (WRITE[name] or READ[name]) and after:match("^%s*!%s*(%S.*)$")
  -- `w! x` overwrites x, and `w !x` runs x.
  if shell and (READ[name] or after:find("^%s+!")) then return run(shell) end
  local file = WRITE[name] and file_in((after:gsub("^!", "", 1)))
  if file then add(file) end
end

local function each_ex(text, add, run)
  -- A bar within a pattern also ends a command here: a part of a pattern is hardly ever a command.
  for line in text:gmatch("[^\n]+") do
    for part in line:gmatch("[^|]+") do one(part, add, run) end
    local shell = line:match("^[%s:]*!(.*)$")
    if shell and shell:find("|") then run(shell) end
  end
  for file in text:gmatch("writefile%s*%(.-,%s*['\"]([^'\"]+)['\"]") do add(path.given(file)) end
  code_written.each(text, add)
end

-- The lines of a script that a line contains, in a here-document, a here-string or the words of
-- printf.
local function script_in(line)
  return (line:gsub("\\n", "\n"):gsub("[\"']", "\n"))
end

-- Removes the text that ed inserts: from a, i or c to a single dot.
local function without_text(script)
  local kept, inserts = {}, false
  for line in (script .. "\n"):gmatch("([^\n]*)\n") do
    if inserts then
      inserts = line ~= "."
    elseif line:find("^[%d,$.+-]*[aic]$") then
      inserts = true
    else
      kept[#kept + 1] = line
    end
  end
  return table.concat(kept, "\n")
end

-- Calls add(text) for each file that the script of a command writes, and run(line) for each line that
-- it passes to a shell.
-- line: the whole command line
return function(command, line, add, run)
  local program, argv = command.program:lower(), command.argv
  if program == "ed" or program == "red" then
    for text in without_text(script_in(line)):gmatch("[^\n]+") do one(text, add, run) end
  elseif EX[program] then
    for at = 2, #argv do
      local word = argv[at]
      local script = OF_ARGUMENT[argv[at - 1]] and word or word:match("^%+(.+)$") or word:match("^%-c(.+)$")
      if script then each_ex(script, add, run) end
    end
    if program == "ex" or orcs.contains(argv, "-es") or orcs.contains(argv, "-e") then
      for text in script_in(line):gmatch("[^\n]+") do one(text, add, run) end
    end
  end
end
