-- Whether code may change files, and the literals in it. The code is not parsed: patterns match the calls that
-- people and agents usually write.
local words = require "file_guard.words"
local set = words.set

local code = {}

-- Code without comments that fill a line, or follow code without quotes.
function code.uncommented(text)
  if text:find("#") then
    text = text:gsub("%f[^%z\n]%s*#[^\n]*", ""):gsub("%f[^%z\n]([^\n'\"`#]*)%s# [^\n]*", "%1")
  end
  if text:find("//") then text = text:gsub("%f[^%z\n]%s*//[^\n]*", "") end
  return text
end

local INTERPRETERS = set [[
  python pypy ipython bpython node nodejs bun deno tsx ts-node perl ruby irb php lua luajit julia rscript r elixir iex
  awk gawk mawk nawk osascript tclsh wish expect vim vi nvim ex view emacs emacsclient gdb lldb sqlite sed gsed groovy
  scala kotlin swift guile racket sbcl clojure jshell ipython jupyter jsc qjs raku uv ]]
-- Programs that start an interpreter named in their arguments.
local STARTERS = set "pipx hatch rye pixi nix nix-shell mise asdf direnv rtx volta fnm nvm pyenv rbenv"

-- Returns the name of an interpreter without its version (`python3.12` → `python`), or nil.
function code.interpreter(program)
  local name = program:lower():gsub("%.exe$", ""):gsub("%-?[%d.]+%a?$", "")
  return INTERPRETERS[name] and name or nil
end

-- Returns the code that a command runs, with its other arguments, and a list of these; nil if it runs none.
function code.of_command(command)
  local argv = command.argv
  if not code.interpreter(command.program) and not (STARTERS[command.program] and words.any(argv, code.interpreter, 2)) then
    return nil
  end
  local texts, given = { table.unpack(argv, 2) }, nil
  for _, text in ipairs(texts) do
    if given then
      given[#given + 1] = text
    elseif text:find("[(\"'`;{!%s]") then
      -- Not the name of a file.
      given = {}
    end
  end
  -- Otherwise its input is data.
  if not given then texts[#texts + 1] = command.stdin end
  return (given or command.stdin) and table.concat(texts, "\n") or nil, given or {}
end

local RUNS = set "system popen run call exec execute spawn eval subprocess check_call check_output"

-- Whether code runs a program with its own arguments: `os.system(sys.argv[1])`.
function code.runs_arguments(text)
  local lower = text:lower()
  if not lower:find("argv") and not lower:find("%f[%w]shift%f[%W]") then return false end
  for name in lower:gmatch("[%a_]+") do
    if RUNS[name] then return true end
  end
  return false
end

-- Lua patterns for calls that write, remove or move files.
local CHANGES = {
  "write", "append", "create", "truncate", "unlink", "remove", "rmtree", "rmsync", "rmdir", "rm_r", "rm_rf", "rm%(",
  "rename", "replace%(", "move", "mv%(", "copy", "cp%(", "cpsync", "chmod", "chown", "mkdir", "makedirs", "symlink",
  "link%(", "linksync", "touch", "dump%(", "save", "delete", "put", "utime", "setattr", "'>+", '">+',
  ">%s*\"", "fileutils", "shutil", "%-i", "inplace", "os%.open", "print[^\n]->",
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

-- Calls that open a file, and options with their flags.
local OPENS = {
  "open%w*%s*(%b())", "open%s+([^(\n;]+)", "%f[%w][fm][lo][ad][ge]s?[\"']?%s*[:=]%s*([\"'][^\"'\n]*[\"'])",
}

local function opens_to_write(text)
  for _, pattern in ipairs(OPENS) do
    for inside in text:gmatch(pattern) do
      if has_mode(inside) then return true end
    end
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

-- Whether code may change files, judged by the calls that it contains.
function code.changes(text)
  local lower = code.uncommented(text):lower()
  if opens_to_write(lower) then return true end
  for _, pattern in ipairs({ "path%b()%.replace%(", "path[%w_]*%.replace%(", "os%.replace%(" }) do
    lower = lower:gsub(pattern, "rename(")
  end
  for _, pattern in ipairs(HARMLESS) do lower = lower:gsub(pattern, "") end
  return words.matches(lower, CHANGES)
end

-- Lua patterns for calls that remove or move files and folders.
local REMOVES = { "rm[tsd%(_]", "%.rm", "move", "unlink", "rename", "delete" }

-- Whether code may remove or move what it names.
function code.removes(text) return words.matches(text:lower(), REMOVES) end

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
function code.ordered(text)
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

return code
