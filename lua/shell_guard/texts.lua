-- Texts of a line that come to run otherwise than as the line itself: here-documents and what echo prints, as the
-- program of an interpreter, or as a file that the line writes and then runs.

local paths = require "shell_guard.paths"
local words = require "shell_guard.words"

local texts = {}

local SHELLS = words.set "sh bash zsh dash ksh ash fish csh tcsh mksh eval source . su ssh"
local PRINTS = { echo = true, printf = true }

--- The file that a command runs, as seen from where the line starts; nil when it runs none that is known.
--- @param runs_files whether the program is a shell or an interpreter, which are given one
function texts.file_run(command, runs_files)
  local first = command.argv[1]
  local file
  if runs_files or SHELLS[command.program] then
    local at = 2
    while command.argv[at] and command.argv[at]:sub(1, 1) == "-" do at = at + 1 end
    file = command.argv[at]
  elseif first and first:find("/", 1, true) then
    file = first
  end
  return file and paths.from(command.cwd, file)
end

-- What stands in here-documents and here-strings: a list of { header, body }.
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
  if not line:find("<<<", 1, true) then return found end
  for header, _, body in line:gmatch("([^\n]*)<<<%s*([\"'])(.-)%2") do found[#found + 1] = { header = header, body = body } end
  return found
end

local function add_documents(into, line, mark)
  if not line:find("<<", 1, true) then return end
  for _, one in ipairs(documents(line)) do
    if one.header:find(mark, 1, true) then into[#into + 1] = one.body end
  end
end

-- What echo and printf are given; `\n` is a line break to most of them.
local function printed(command) return (table.concat(command.argv, " ", 2):gsub("\\n", "\n")) end

--- What the line gives a command as its standard input, as far as it is written out.
function texts.input(command)
  local given = {}
  add_documents(given, command.line, command.argv[1])
  for at = 1, command.at - 1 do
    local other = command.all[at]
    for _, name in ipairs(command.from) do
      if name == other.program and PRINTS[name] then given[#given + 1] = printed(other) end
      if name == other.program and name == "cat" then add_documents(given, command.line, name) end
    end
  end
  return given
end

--- What the line writes to a file before a command, as far as it is written out.
function texts.written(command, file)
  local given = {}
  for at = 1, command.at - 1 do
    local other = command.all[at]
    local target
    for _, redirect in ipairs(other.redirects) do
      if paths.from(other.cwd, redirect.target) == file then target = redirect.target end
    end
    if other.program == "tee" then
      for n = 2, #other.argv do
        if paths.from(other.cwd, other.argv[n]) == file then target = other.argv[n] end
      end
    end
    if target then
      add_documents(given, command.line, target:match("[^/]*$"))
      if PRINTS[other.program] then given[#given + 1] = printed(other) end
      for _, name in ipairs(other.from) do
        if PRINTS[name] and at > 1 and command.all[at - 1].program == name then given[#given + 1] = printed(command.all[at - 1]) end
      end
    end
  end
  return given
end

return texts
