-- Reads the arguments of a tool call: its strings, the command lines and their working directory.
-- It doesn't depend on the names that a coding agent gives to its tools.
local path = require "file_guard.path"
local set = require("file_guard.words").set
local dialect = require "policy.dialect"

-- Argument names, in lower case and without `_` and `-`.
local COMMAND = set [[
  command cmd commands commandline commandstring shellcommand shellcmd shellscript scriptcontent bash argv ]]
-- These count as a command only next to a list of words (args, arguments or argv).
local EXECUTABLE = set "program executable binary exe bin file app"
local DIRECTORY = set "cwd workdir workingdirectory workingdir dirpath directory dir currentdirectory startdirectory"
-- In a tool whose name says that it runs something (RUNS): arguments with the code to run, or with
-- the input of a running program.
local SCRIPT = set [[
  script code input chars text sourcecode snippet javascript python function expression line lines keys scriptcontent
  source ]]
local RUNS = set [[
  shell bash sh zsh terminal console exec execute run eval evaluate python node javascript repl interpreter process
  stdin pty tmux ssh powershell jupyter ]]
local ASKS = set "agent subagent task prompt workflow"
-- Text to write, search for or display. It may mention a file but doesn't open it.
local TEXT = set [[
  content contents text filetext newstring oldstring newstr oldstr newtext oldtext newsource insertline inserttext
  body message prompt description query explanation instruction instructions summary reason thought thinking comment
  title subject question questions header label options todos plan answer answers expression replacement search
  regex code sourcecode codeedit systemprompt q filter key keys step element selector locator sql statement chars
  stdin labels topic exclude excludes excludepattern excludepatterns excludeglob ignore ignored ignorepatterns ]]
local PATTERN = set "pattern regex regexp query search searchterm expression"
local PATCH = set "patch diff input patchtext unifieddiff changes command text"
local PATH = set [[
  path paths filepath filepaths filename filenames file files targetfile target targets destination dest dst to from
  source src oldpath newpath uri url directory dir folder relativepath absolutepath output out outfile outputfile
  notebookpath targetnotebook attachment attachments include includes glob globpattern image images ]]
-- Arguments whose value must be a string or a table.
local STRICT = set "command cmd path filepath notebookpath"

local MOST_TEXTS, DEEPEST = 20000, 16

local call = { TEXT = TEXT, PATTERN = PATTERN, PATCH = PATCH, COMMAND = COMMAND }

local function is_path(key)
  return PATH[key] or key:find("^path") or key:find("uris?$") or key:find("path$") or key:find("paths$") or key:find("file$") or key:find("files$")
    or key:find("folder$") or key:find("director[yi]e?s?$") or key:find("filename$")
end

-- The set of words in a tool's name, in lower case: `mcp__fs__readFile` has mcp, fs, read, file.
local function name_words(name)
  local found = {}
  name = name:gsub("(%l)(%u)", "%1_%2"):gsub("(%u)(%u%l)", "%1_%2")
  for word in name:gmatch("%a+") do found[word:lower()] = true end
  return found
end

-- The normalized form of an argument name.
local function normal(name) return (name:lower():gsub("[_-]", "")) end

-- An argument name, its normalized form, and whether it stands for a path.
-- known: the names of the call so far: many recur
local function key_of(name, known)
  if not known[name] then
    local key = normal(name)
    known[name] = { key = key, name = name, path = is_path(key) and true or false }
  end
  return known[name]
end

local NO_KEY = { key = "", name = "", path = false }

local function collect(value, name, top, texts, depth, lenient, known)
  local kind = type(value)
  if kind == "string" then
    if #texts == MOST_TEXTS then error("a call with more than " .. MOST_TEXTS .. " texts", 0) end
    texts[#texts + 1] = { key = name.key, name = name.name, top = top, text = value, path = name.path }
  elseif kind == "table" then
    if depth == DEEPEST then error("a call that is nested more than " .. DEEPEST .. " levels deep", 0) end
    for written, item in pairs(value) do
      local own = type(written) == "string" and key_of(written, known) or name
      collect(item, own, depth == 0 and own.key or top, texts, depth + 1, lenient, known)
    end
  elseif STRICT[name.key] and value ~= nil and not lenient then
    error(("%s is a %s, which is not a string"):format(name.name, kind), 0)
  end
end

-- Whether a value is a non-empty list of strings.
local function is_words(value)
  if type(value) ~= "table" or #value == 0 then return false end
  for i = 1, #value do
    if type(value[i]) ~= "string" then return false end
  end
  return true
end

local function copy(list) return table.move(list, 1, #list, 1, {}) end

-- The command lines in the arguments: strings or lists of words. nil when there are none.
local function commands(args, depth)
  local found
  for name, value in pairs(args) do
    local key = type(name) == "string" and normal(name) or ""
    local rest = args.args or args.arguments or args.argv
    if COMMAND[key] or (EXECUTABLE[key] and type(value) == "string" and is_words(rest)) then
      found = found or {}
      if type(value) == "string" then
        found[#found + 1] = value
        if is_words(rest) then
          local words = copy(rest)
          table.insert(words, 1, value)
          found[#found + 1] = words
        elseif type(rest) == "string" then
          found[#found + 1] = value .. " " .. rest
        end
      elseif is_words(value) then
        found[#found + 1] = copy(value)
        if key == "commands" then
          for i = 1, #value do found[#found + 1] = value[i] end
        end
      elseif type(value) == "table" then
        for _, item in pairs(value) do
          if type(item) == "table" then
            local lines = is_words(item) and { copy(item) } or commands(item, depth) or {}
            for _, line in ipairs(lines) do found[#found + 1] = line end
          elseif type(item) == "string" then
            found[#found + 1] = item
          end
        end
      end
    elseif type(value) == "table" and depth < 4 then
      for _, line in ipairs(commands(value, depth + 1) or {}) do
        found = found or {}
        found[#found + 1] = line
      end
    end
  end
  return found
end

-- The strings that a tool runs; nil unless the tool's name says that it runs something.
local function scripts(read)
  local runs, found = false, nil
  for word in pairs(read.words) do
    if ASKS[word] then return nil end
    runs = runs or RUNS[word]
  end
  for i = 1, runs and #read.texts or 0 do
    local entry = read.texts[i]
    if SCRIPT[entry.key] then
      found = found or {}
      found[#found + 1] = entry.text
    end
  end
  return found
end

-- Reads a call. Raises an error when an argument has an invalid type, unless `lenient` is set.
-- Returns { words = words of the tool's name, dialect = the language of its lines, cwd, texts = list of { key, name, top, text, path },
-- commands = list or nil, scripts = list or nil, command_cwd }. `name` is the argument that a text
-- belongs to, `key` its normalized name, and `top` the top-level argument that contains it.
-- `scripts` are strings that the tool runs, as a command line or as a program in some language.
function call.read(payload, lenient)
  local args = payload.args
  local texts = {}
  collect(args, NO_KEY, "", texts, 0, lenient, {})
  local cwd = payload.cwd or payload.sandbox_root
  local read = {
    words = name_words(payload.tool_name),
    dialect = dialect(payload.tool_name),
    cwd = type(cwd) == "string" and cwd:sub(1, 1) == "/" and path.normal(cwd) or path.real("."),
    texts = texts,
    commands = commands(args, 0),
  }
  read.scripts = scripts(read)
  read.command_cwd = read.cwd
  if read.commands or read.scripts then
    for _, text in ipairs(texts) do
      if DIRECTORY[text.key] then
        read.command_cwd = path.resolve(path.given(text.text), read.cwd)
      end
    end
  end
  return read
end

return call
