-- Finds the code that a command runs: in an argument, on standard input, or in a file that the line
-- has written before. The code is not parsed: patterns match the calls that people and agents
-- usually write.
local set = require("file_guard.words").set

local code = {}

-- Code without comments that fill a line, or follow code without quotes.
local function uncommented(text)
  if text:find("#") then
    text = text:gsub("%f[^%z\n]%s*#[^\n]*", ""):gsub("%f[^%z\n]([^\n'\"`#]*)%s# [^\n]*", "%1")
  end
  if text:find("//") then text = text:gsub("%f[^%z\n]%s*//[^\n]*", "") end
  return text
end

code.uncommented = uncommented

local INTERPRETERS = set [[
  python pypy ipython bpython node nodejs bun deno tsx ts-node perl ruby irb php lua luajit julia rscript r elixir iex
  awk gawk mawk nawk osascript tclsh wish expect vim vi nvim ex view emacs emacsclient gdb lldb sqlite sed gsed groovy
  scala kotlin swift guile racket sbcl clojure jshell ipython jupyter jsc qjs raku ]]
-- Interpreters that don't read code from standard input.
local NO_INPUT = set "sed gsed awk gawk mawk nawk vim vi nvim ex view emacs emacsclient"
-- Programs that start an interpreter named in their arguments.
local STARTERS = set "pipx hatch rye pixi nix nix-shell mise asdf direnv rtx volta fnm nvm pyenv rbenv"
local AWK = set "awk gawk mawk nawk"
-- Options of interpreters that take the next argument as value, so that it is not the script.
local VALUED = set [[
  -W -X -m -r --require --import --loader --experimental-loader -C --conditions --env-file -I -M -S --input-type -v -F
  -d -l -L ]]

-- Returns the name of an interpreter without its version (`python3.12` → `python`), or nil.
function code.interpreter(program)
  local name = program:lower():gsub("%.exe$", ""):gsub("%-?[%d.]+%a?$", "")
  return INTERPRETERS[name] and name or nil
end

-- Whether an argument looks like code, not like a file name.
local function is_code(word) return word:find("[(\"'`;{!]") ~= nil or word:find("%s") ~= nil end

-- Returns the code that a command runs: a list of { text, language, words = further arguments }.
function code.of_command(command)
  local argv, found = command.argv, {}
  local language, from = code.interpreter(command.program), 2
  if command.program == "uv" and argv[2] == "run" then language, from = "python", 3 end
  if (language == "deno" or language == "bun") and argv[2] == "run" then from = 3 end
  if STARTERS[command.program] then
    for at = 2, #argv do
      if not language and code.interpreter(argv[at]) then language, from = code.interpreter(argv[at]), at + 1 end
    end
  end
  if not language then return found end
  local script, given
  local rest = {}
  for at = from, #argv do
    local word = argv[at]
    if AWK[language] and word:find("^[%a_][%w_]*=") then
      rest[#rest + 1] = word:match("=(.*)$")
    elseif is_code(word) and (not given or word:find("^[-+]") or argv[at - 1]:find("^%-.") or language == "sqlite") then
      found[#found + 1] = { text = word, language = language, words = rest }
      given = true
    elseif script or given then
      rest[#rest + 1] = word
    elseif word:sub(1, 1) ~= "-" or word == "-" then
      local valued = VALUED[argv[at - 1]]
      if not valued then script = word end
    end
  end
  if given or NO_INPUT[language] then return found end
  if command.stdin and (language == "sqlite" or not script or script == "-" or script == "/dev/stdin") then
    found[#found + 1] = { text = command.stdin, language = language, words = rest }
  end
  return found
end

-- Functions that run a program, by the last part of their name in lower case.
local RUNS = set [[
  system popen run call check_call check_output getoutput getstatusoutput exec execsync execfile execfilesync spawn
  spawnsync execa execasync execacommand execv execve execvp execvpe execl execle execlp execlpe spawnl spawnlp spawnv
  spawnvp posix_spawn passthru shell_exec proc_open pcntl_exec qx command sh bash zsh capture2 capture2e capture3 open3
  popen3 spawnsync create_subprocess_exec create_subprocess_shell os.execute execute shellexecute cmd runcommand popen2
  fork shell ]]
-- Lua patterns for calls that write, remove or move files.
local CHANGES = {
  "write", "append", "create", "truncate", "unlink", "remove", "rmtree", "rmsync", "rmdir", "rm_r", "rm_rf", "rm%(",
  "rename", "replace%(", "move", "mv%(", "copy", "cp%(", "cpsync", "chmod", "chown", "mkdir", "makedirs", "symlink",
  "link%(", "linksync", "touch", "dump%(", "save", "delete", "put", "utime", "setattr", "'>+", '">+', ">%s*\"", "fileutils", "shutil", "%-i", "inplace", "os%.open", "print[^\n]->",
}
-- Lua patterns for text that would match CHANGES but changes no file; it is removed first.
local HARMLESS = {
  "stdout%.write", "stderr%.write", "copyright", "%.replace%(", "re%.sub", "%.copy%(%)", "%.append%(", "output",
  "input", "compute", "recreate", "createelement", "create_engine", "%-in",
}

-- Whether a text of a call or an option is a mode in which files are written: `"w"`, `'rb+'`.
local function has_mode(text)
  for mode in text:gmatch("[\"']([rwaxbt]+%+?[bt]?)[\"']") do
    if mode:find("[wax+]") then return true end
  end
  return false
end

local function opens_to_write(text)
  for inside in text:gmatch("open%w*%s*(%b())") do
    if has_mode(inside) then return true end
  end
  for inside in text:gmatch("open%s+([^(\n;]+)") do
    if has_mode(inside) then return true end
  end
  for inside in text:gmatch("%f[%w][fm][lo][ad][ge]s?[\"']?%s*[:=]%s*([\"'][^\"'\n]*[\"'])") do
    if has_mode(inside) then return true end
  end
  return false
end

-- Removes what replaces a part of the contents of a file: it is text, not a path.
function code.without_replacements(text)
  local contents = {}
  for name in text:gmatch("([%a_][%w_]*)%s*=[^\n;=]*[%a.]read[%w_]*%s*%(") do contents[name] = true end
  local function kept(inside)
    local last = inside:match(",%s*([%a_][%w_]*)%s*%)$")
    if contents[last] or inside:find("read[%w_]*%s*%(") then return "re.sub()" end
  end
  text = text:gsub("re%.sub(%b())", kept)
  local count
  repeat
    local first
    text, first = text:gsub("(read[%w_]*%s*%b())%.replace%b()", "%1")
    text = text:gsub("([%a_][%w_]*)%.replace%b()", function(name) return contents[name] and name end)
    -- A name that is no contents is counted as well, but stays.
    count = first
    for name in pairs(contents) do
      if text:find("%f[%w_]" .. name .. "%.replace%b()") then count = count + 1 end
    end
  until count == 0
  return text
end

-- Whether code runs a program with its own arguments: `os.system(sys.argv[1])`.
function code.runs_arguments(text, language)
  local lower = text:lower()
  if AWK[language] and lower:find("system") then return true end
  if not lower:find("argv") and not (language == "perl" and lower:find("%f[%w]shift%f[%W]")) then return false end
  for name in lower:gmatch("[%a_][%w_]*") do
    if RUNS[name] or name == "eval" then return true end
  end
  return false
end

-- Whether code may change files, judged by the calls that it contains.
function code.changes(text)
  local lower = uncommented(text):lower()
  if opens_to_write(lower) then return true end
  lower = lower:gsub("path%b()%.replace%(", "rename("):gsub("path[%w_]*%.replace%(", "rename("):gsub("os%.replace%(", "rename(")
  for _, pattern in ipairs(HARMLESS) do lower = lower:gsub(pattern, "") end
  for _, pattern in ipairs(CHANGES) do
    if lower:find(pattern) then return true end
  end
  return false
end

-- Lua patterns for calls that remove or move files and folders.
local REMOVES = { "rm[tsd%(_]", "%.rm", "move", "unlink", "rename", "delete" }

-- Whether code may remove or move what it names.
function code.removes(text)
  local lower = text:lower()
  for _, pattern in ipairs(REMOVES) do
    if lower:find(pattern) then return true end
  end
  return false
end

-- Calls add(text) for each quoted literal. Each kind of quote is searched for on its own: a literal
-- may contain quotes of the other kinds.
function code.literals(text, add)
  for _, quote in ipairs({ '"', "'", "`" }) do
    if text:find(quote, 1, true) then
      for found in text:gmatch(quote .. "([^" .. quote .. "\n]*)" .. quote) do add(found) end
    end
  end
end

-- Returns the quoted literals in the order of the text.
local function ordered(text)
  local found, at = {}, 1
  while true do
    local from, _, quote = text:find("([\"'`])", at)
    if not from then return found end
    local to = text:find(quote, from + 1, true)
    if not to then return found end
    found[#found + 1] = text:sub(from + 1, to - 1)
    at = to + 1
  end
end

code.ordered = ordered

local BACKTICKS = set "perl ruby irb php raku"
local PLAIN_CALLS = set "perl ruby irb tclsh expect elixir"

-- Calls add(line) for each command line that code runs, or add(words) with the words of a command.
function code.runs(text, language, add)
  text = uncommented(text)
  -- Variables that are assigned a literal.
  local given = {}
  for name, value in text:gmatch("([%a_$][%w_]*)%s*=%s*[\"'`]([^\"'`\n]+)[\"'`]") do given[name] = value end
  local function arguments(inside)
    local list = ordered(inside)
    for name in inside:gmatch("[%a_$][%w_]*") do
      if given[name] then add(given[name]) end
    end
    if #list == 0 then return end
    for _, one in ipairs(list) do
      if one:find("%s") then add(one) end
    end
    if #list > 1 or not list[1]:find("%s") then
      -- `execvp("rm", ["rm", "-rf"])` names the program twice.
      local words = { table.unpack(list, 1, 64) }
      if words[1] == words[2] then table.remove(words, 1) end
      add(words)
    end
  end
  local at = 1
  while true do
    local from, to, name = text:find("([%a_$][%w_.:]*)%s*%(", at)
    if not from then break end
    at = to + 1
    local last = name:lower():match("[%w_$]+$")
    if last and RUNS[last] and not name:find("^re%.") then
      local inside = text:match("^%b()", to) or text:sub(to, to + 400)
      arguments(inside)
    end
  end
  -- The shells of zx and Bun: $`command`.
  for inside in text:gmatch("%$%s*`([^`]+)`") do add(inside) end
  if BACKTICKS[language] then
    for inside in text:gmatch("`([^`]+)`") do add(inside) end
    for _, quoted in ipairs({ "%b()", "%b{}", "%b[]", "/[^/]*/", "|[^|]*|" }) do
      for inside in text:gmatch("%f[%w]qx%s*(" .. quoted .. ")") do add(inside:sub(2, -2)) end
      for inside in text:gmatch("%%x(" .. quoted .. ")") do add(inside:sub(2, -2)) end
    end
    -- Word lists: qw(…) in Perl, %w[…] in Ruby.
    for _, list in ipairs({ "%b()", "%b{}", "%b[]" }) do
      for inside in text:gmatch("%f[%w]qw%s*(" .. list .. ")") do add(inside:sub(2, -2)) end
      for inside in text:gmatch("%%[wW](" .. list .. ")") do add(inside:sub(2, -2)) end
    end
  end
  if PLAIN_CALLS[language] then
    for name, inside in text:gmatch("%f[%w]([%a]+)%s+([\"'][^\n;]+)") do
      if RUNS[name] then arguments(inside) end
    end
    for name, inside in text:gmatch("%f[%w](%a+)%s+([%a/~.][^\n;%]]+)") do
      if (name == "spawn" or name == "exec") and (language == "expect" or language == "tclsh") then add(inside) end
    end
  end
  if language == nil or language == "osascript" then
    for inside in text:gmatch("shell script%s+\"([^\"]+)\"") do add(inside) end
  end
  if AWK[language] then
    for inside in text:gmatch('"([^"\n]+)"%s*|') do add(inside) end
    for inside in text:gmatch('|&?%s*"([^"\n]+)"') do add(inside) end
  elseif language == "vim" or language == "vi" or language == "nvim" or language == "ex" or language == "view" then
    for inside in text:gmatch("!([^|\n]+)") do add(inside) end
  elseif language == "emacs" or language == "emacsclient" then
    for inside in text:gmatch("%(%s*[%w-]*command[%w-]*%s+\"([^\"]+)\"") do add(inside) end
    for inside in text:gmatch("%(%s*[%w-]*process[%w-]*%s+([^()]+)") do arguments(inside) end
  elseif language == "gdb" or language == "lldb" or language == "sqlite" then
    for inside in text:gmatch("%f[%w]shell%s+([^\n]+)") do add(inside) end
    for inside in text:gmatch("%.system%s+([^\n]+)") do add(inside) end
    for inside in text:gmatch("!([^\n]+)") do add(inside) end
  elseif language == "sed" or language == "gsed" then
    for inside in ("\n" .. text):gmatch("[^%a_]e%s+([^\n]+)") do add(inside) end
  elseif not BACKTICKS[language] then
    -- IPython and notebooks: `!command`, `%sx command`.
    for inside in ("\n" .. text):gmatch("\n%s*[!%%]+%s*([^\n]+)") do add((inside:gsub("^s[xh]%s+", ""))) end
    -- A whole cell: `%%bash`.
    local cell = text:match("^%s*%%%%%a*sh%s*\n(.*)")
    if cell then add(cell) end
  end
end

return code
