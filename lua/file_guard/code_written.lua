-- Files that a piece of code writes. The path must be a string literal, or a variable that one was
-- assigned to. The code is not parsed: patterns match the calls that people and agents write.
local sed = require "shell_guard.sed"
local set = require("file_guard.words").set

local CODE = set [[
  python python2 python3 pypy pypy3 node nodejs bun deno tsx ts-node perl ruby php lua luajit julia rscript elixir ]]
local AWK = set "awk gawk mawk nawk"
local SED = set "sed gsed"

-- Calls that write the path in their first argument.
local FIRST = {
  "writeFileSync", "writeFile", "appendFileSync", "appendFile", "createWriteStream", "outputFileSync", "outputFile",
  "unlinkSync", "rmSync", "rmdirSync", "mkdirSync", "truncateSync", "chmodSync", "fs%.rm", "fs%.unlink", "fs%.mkdir",
  "fs%.rmdir", "fs%.chmod", "fs%.truncate", "promises%.rm", "promises%.unlink", "promises%.mkdir",
  "os%.remove", "os%.unlink", "os%.mkdir", "os%.rmdir", "os%.truncate", "os%.chmod", "makedirs", "rmtree",
  "File%.write", "File%.delete", "File%.unlink", "File%.truncate", "IO%.write", "FileUtils%.rm[%a_]*", "FileUtils%.touch",
  "FileUtils%.mkdir[%a_]*", "Dir%.mkdir", "Bun%.write", "Deno%.remove%a*", "Deno%.mkdir%a*",
  "writeTextFileSync", "writeTextFile", "file_put_contents", "%f[%w.]unlink", "%f[%w.]rmdir",
}
-- Calls with two paths: they write the second, and some of them remove the first (MOVES).
local BOTH = {
  "renameSync", "fs%.rename", "os%.rename", "os%.replace", "shutil%.move", "File%.rename", "FileUtils%.mv",
  "copyFileSync", "copyFile", "cpSync", "fs%.cp", "shutil%.copy%w*", "FileUtils%.cp", "symlinkSync", "linkSync",
  "os%.symlink", "os%.link", "%f[%w.]rename",
}
local MOVES = set "replace move mv"
-- Methods of path objects that write the path.
local METHODS = set "write_text write_bytes unlink touch mkdir rmdir rename symlink_to"

-- Removes comments: those that fill a whole line, and those behind code without quotes.
local function uncommented(text)
  if text:find("#") then
    text = text:gsub("%f[^%z\n]%s*#[^\n]*", ""):gsub("%f[^%z\n]([^\n'\"`#]*)%s# [^\n]*", "%1")
  end
  if text:find("//") then text = text:gsub("%f[^%z\n]%s*//[^\n]*", "") end
  return text
end

local LITERAL = "[\"'`]([^\"'`\n]+)[\"'`]"

-- The text of an argument that is a string literal, or a variable that one was assigned to; nil for
-- any other argument.
local function text_of(argument, given)
  argument = argument:match("^%s*(.-)%s*$")
  local text = argument:match("^[rbuf]?" .. LITERAL .. "$")
  if text then return not text:find("[${]") and text or nil end
  return given[argument]
end

local function names_given(code)
  local given = {}
  for name, text in code:gmatch("([%a_$][%w_]*)%s*=%s*[%a_.]*%(?%s*" .. LITERAL) do given[name] = text end
  return given
end

-- Calls add(text, how) for each file; `how` is "gone" for the source of a move.
local function written(code, add)
  code = uncommented(code)
  local given = names_given(code)
  local function found(argument, how)
    local text = argument and text_of(argument, given)
    if text then add(text, how) end
  end
  for _, name in ipairs(FIRST) do
    for argument in code:gmatch(name .. "%s*%(%s*([^,()]+)") do found(argument) end
  end
  for _, name in ipairs(BOTH) do
    for from, to in code:gmatch(name .. "%s*%(%s*([^,()]+),%s*([^,()]+)") do
      found(to)
      if MOVES[name:match("%a+$")] or name:find("rename") then found(from, "gone") end
    end
  end
  for argument, mode in code:gmatch("open%s*%(%s*([^,()]+),%s*m?o?d?e?%s*=?%s*[\"']([^\"']+)[\"']") do
    if mode:find("^[rwaxbt+]+$") and mode:find("[wax+]") then found(argument) end
  end
  for text, method in code:gmatch("Path%s*%(%s*" .. LITERAL .. "%s*%)%.([%w_]+)") do
    if METHODS[method] then add(text) end
  end
  for name, method in code:gmatch("([%a_][%w_]*)%.([%w_]+)%s*%(") do
    if METHODS[method] and given[name] then add(given[name]) end
  end
  -- Perl.
  for text in code:gmatch("open[%s(]+[%w%s$]+,%s*[\"']>+[^\"']*[\"']%s*,%s*" .. LITERAL) do add(text) end
  for text in code:gmatch("open[%s(]+[%w%s$]+,%s*[\"']>+%s*([^>\"'\n]+)[\"']") do add(text) end
  for text in code:gmatch("%f[%w]unlink%s+" .. LITERAL) do add(text) end
end

-- Calls add(text, how) for each file that the code in a command writes. The code is in the
-- command's arguments, or in a here-document or a pipe before it.
-- line: the whole command line
local function of_command(command, line, add)
  local program, argv = command.program:lower(), command.argv
  if AWK[program] then
    for at = 2, #argv do
      for text in argv[at]:gmatch('>%s*"([^"\n]+)"') do add(text) end
    end
  elseif SED[program] then
    sed.each(argv, { writes = function(text) add(text) end })
  elseif CODE[program] then
    for at = 2, #argv do
      if argv[at]:find("[('\"]") then written(argv[at], add) end
    end
    if #argv == 1 or argv[2] == "-" then written(line, add) end
  end
end

return { each = written, of_command = of_command, uncommented = uncommented }
