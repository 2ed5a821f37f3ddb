-- Judges the commands in a Makefile or a package.json that the line writes and then runs.

local paths = require "shell_guard.paths"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local build_files = {}

local MAKES = words.set "make gmake"
local MAKEFILES = words.list "Makefile makefile GNUmakefile"
local RUNS_SCRIPTS = words.set "npm yarn pnpm bun"
local JUSTFILES = words.list "justfile Justfile .justfile"

-- The value of an option that names the file: `make -f FILE`.
local function named(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word == "-f" or word == "--file" or word == "--makefile" then return { command.argv[at + 1] } end
    local joined = word:match("^%-f(.+)$") or word:match("^%-%-m?a?k?e?file=(.+)$")
    if joined then return { joined } end
  end
end

local function judge_each(text, pattern, command, judge_line)
  for line in text:gmatch(pattern) do
    local reason = judge_line(line, command)
    if reason then return reason end
  end
end

local function judge_makefile(text, command, judge_line)
  text = text:gsub("\\t", "\t")
  return judge_each(text, "\n?\t%s*[@-]*([^\n]+)", command, judge_line)
    or judge_each(text, "[^\n=:]+:[^;\n=]*;%s*[@-]*([^\n]+)", command, judge_line)
    or judge_each(text, "%$%(shell%s+(.-)%)", command, judge_line)
end

-- Judges scripts that `npm pkg set scripts.x=…` has written earlier on the line.
local function judge_settings(command, judge_line)
  for at = 1, command.at - 1 do
    local argv = command.all[at].argv
    for n = 3, RUNS_SCRIPTS[command.all[at].program] and argv[2] == "pkg" and #argv or 0 do
      local script = argv[n]:match("^scripts%.[^=]*=(.*)$")
      local reason = script and judge_line(script, command)
      if reason then return reason end
    end
  end
end

-- Calls a function with each text that the line writes to one of the files.
local function each_written(command, files, judge)
  for _, name in ipairs(files) do
    local file = paths.from(command.cwd, name)
    for _, text in ipairs(file and texts.written(command, file) or {}) do
      local reason = judge(text)
      if reason then return reason end
    end
  end
end

--- Returns a reason to deny a command, or nil.
--- @param judge_line function(line, command) that judges a command line
function build_files.judge(command, program, judge_line)
  if MAKES[program] then
    local files = named(command) or MAKEFILES
    for _, text in ipairs((files[1] == "-" or files[1] == "/dev/stdin") and texts.input(command) or {}) do
      local reason = judge_makefile(text, command, judge_line)
      if reason then return reason end
    end
    return each_written(command, files, function(text) return judge_makefile(text, command, judge_line) end)
  end
  if program == "just" then
    return each_written(command, JUSTFILES, function(text)
      return judge_each(text, "\n[ \t]+[@-]*([^\n]+)", command, judge_line)
    end)
  end
  if RUNS_SCRIPTS[program] then
    return judge_settings(command, judge_line) or each_written(command, { "package.json" }, function(text)
      return judge_each(text, '"[^"]*"%s*:%s*"([^"]*)"', command, judge_line)
    end)
  end
end

return build_files
