-- Finds texts in a line that are run as code: here-documents and the output of echo, as standard
-- input of an interpreter or in a file that the line writes and then runs.

local paths = require "shell_guard.paths"
local words = require "shell_guard.words"

local texts = {}

local SHELLS = words.set "sh bash zsh dash ksh ash fish csh tcsh mksh eval source . su ssh pwsh powershell"
local COPIES = words.set "cp mv ln install"
local PRINTS = words.set "echo printf"

--- Returns a path of a command as one that can be compared: in a folder that is not known, as it is written, and without
--- the variables within it, which may be empty.
function texts.placed(command, path)
  path = path:gsub("(.)%${[%a_][%w_]*}", "%1"):gsub("(.)%$[%a_][%w_]*", "%1")
  return paths.from(command.cwd, path) or (path:gsub("^%./+", ""))
end

local placed = texts.placed

-- Options of interpreters whose value is a word of its own, by the letters of the name.
local VALUED = {
  python = words.set "-W -X", pypy = words.set "-W -X",
  node = words.set "-r --require --import --loader --experimental-loader",
  ruby = words.set "-r -I", perl = words.set "-I", bash = words.set "-o -O --rcfile --init-file",
}
-- Python modules that run the file behind them.
local RUNNERS = words.set "pdb cProfile profile trace runpy"

-- The word of an interpreter that is the file it runs.
local function script_of(argv, program)
  local valued, at = VALUED[program:match("^%a*")] or {}, 2
  while argv[at] and argv[at]:sub(1, 1) == "-" do
    local value = argv[at + 1] or ""
    if argv[at] == "-m" and (program:find("^python") or program:find("^pypy")) then
      return RUNNERS[value] and argv[at + 2] or value:gsub("%.", "/") .. ".py"
    end
    -- What is loaded by its path is run as well: `node -r ./x.js`.
    at = at + (valued[argv[at]] and not value:find("^[./]") and 2 or 1)
  end
  return argv[at]
end

--- Returns the file that a command runs, resolved by paths.from; as it is written if its folder is not known; nil if there is
--- none.
--- @param runs_files whether the program is an interpreter, so that its first operand is the file
function texts.file_run(command, runs_files)
  local first = command.argv[1]
  local file
  if runs_files or SHELLS[command.program] then
    file = script_of(command.argv, command.program)
  elseif first and first:find("/") then
    file = first
  end
  for _, redirect in ipairs(not file and (runs_files or SHELLS[command.program]) and command.redirects or {}) do
    if redirect.op == "<" then file = redirect.target end
  end
  return file and placed(command, file)
end

-- Returns the here-documents and here-strings of a line: a list of { header, body }.
-- The header is the text line that contains the `<<`.
local function documents(line)
  local found, at = {}, 1
  while true do
    local from, to, word = line:find("<<%-?%s*[\"'\\]?([%w_]+)[\"']?", at)
    if not from then break end
    at = to + 1
    local header_from = line:sub(1, from):match("()[^\n]*$")
    local header_to = line:find("\n", to, true)
    if header_to then
      local _, ends = line:find("\n%s*" .. word .. "%f[^%w_]", header_to)
      found[#found + 1] = { header = line:sub(header_from, header_to), body = line:sub(header_to + 1, ends and ends - #word) }
      at = ends or at
    end
  end
  if not line:find("<<<") then return found end
  for before, ansi, _, body, behind in line:gmatch("([^\n]*)<<<%s*(%$?)([\"'])(.-)%3([^\n<]*)") do
    local header = before .. behind
    if ansi ~= "" then body = body:gsub("\\([nt])", { n = "\n", t = "\t" }) end
    found[#found + 1] = { header = header, body = body }
  end
  return found
end

local function add_documents(into, line, mark)
  if not mark or not line:find("<<") then return end
  for _, one in ipairs(documents(line)) do
    if one.header:find(mark, 1, true) then into[#into + 1] = one.body end
  end
end

local function with_line_breaks(text) return (text:gsub("\\n", "\n")) end

-- The text that echo or printf prints, and the other one that it may print: some versions of echo print `\n` as a line break.
local function printed(command)
  local argv = command.argv
  local text = table.concat(argv, " ", 2)
  if command.program ~= "printf" then return with_line_breaks(text), text:find("\\n", 1, true) and text or nil end
  if not (argv[3] and argv[2]:find("%%[sb]")) or argv[2]:gsub("%%[sb]", ""):find("%%") then return with_line_breaks(text) end
  -- printf repeats its format: `printf '%s\n' a b`.
  local format, parts, at = with_line_breaks(argv[2]), {}, 3
  while argv[at] do
    parts[#parts + 1] = format:gsub("%%[sb]", function(kind)
      at = at + 1
      local word = argv[at - 1] or ""
      return kind == "%b" and with_line_breaks(word) or word
    end)
  end
  return table.concat(parts)
end

local function add_printed(given, command)
  local text, other = printed(command)
  given[#given + 1] = text
  given[#given + 1] = other
end

--- Returns the texts that a command gets on standard input, as far as the line contains them.
function texts.input(command) return { command.stdin } end

--- Whether a program reads a text as code of a shell: it is a shell, or the first line of the text names one.
function texts.is_shell(program, text)
  if SHELLS[program] then return true end
  local path, argument = text:match("^#![ \t]*(%S+)[ \t]*(%S*)")
  local name = path and path:match("[^/]*$") or ""
  return SHELLS[name == "env" and argument or name] == true
end

-- Adds what echo and printf print in a group whose output goes to a file: `{ echo a; echo b; } > FILE`.
local function add_group(given, command, from)
  local parts = {}
  for at = from + 1, command.at - 1 do
    local other = command.all[at]
    if not PRINTS[other.program] then break end
    parts[#parts + 1] = (printed(other))
  end
  if parts[1] then given[#given + 1] = table.concat(parts, "\n") end
end

-- The file that a command copies or moves to another one: `mv FROM FILE`.
local function copied_from(other, file)
  local argv = other.argv
  if not COPIES[other.program] or not argv[3] then return nil end
  local from, to = argv[#argv - 1], argv[#argv]
  if placed(other, to) ~= file and placed(other, to .. "/" .. from:match("[^/]*$")) ~= file then return nil end
  return placed(other, from)
end

--- Returns the texts that the line writes to a file before a command, as far as it contains them.
function texts.written(command, file)
  local given = {}
  -- What a file writes and runs is read with it.
  if command.in_file then return given end
  for at = command.at - 1, 1, -1 do file = copied_from(command.all[at], file) or file end
  for at = 1, command.at - 1 do
    local other = command.all[at]
    local target
    for _, redirect in ipairs(other.redirects) do
      if placed(other, redirect.target) == file then target = redirect.target end
    end
    if other.program == "tee" then
      for n = 2, #other.argv do
        if placed(other, other.argv[n]) == file then target = other.argv[n] end
      end
    end
    if target and #other.argv == 0 then add_group(given, command, at) end
    if target then
      add_documents(given, command.line, target:match("[^/]*$"))
      if PRINTS[other.program] then add_printed(given, other) end
      for _, name in ipairs(other.from) do
        if PRINTS[name] and at > 1 and command.all[at - 1].program == name then add_printed(given, command.all[at - 1]) end
      end
    end
  end
  return given
end

return texts
