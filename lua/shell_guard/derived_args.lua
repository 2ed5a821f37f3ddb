-- Where a command gets arguments from that are not in the line itself: find -exec, xargs, or a
-- variable that holds the output of find.

local artefacts = require "shell_guard.artefacts"
local words = require "shell_guard.words"

local derived = {}

local FEEDERS = words.set "xargs gxargs parallel"
local FINDS = words.set "find gfind bfs"

--- Whether a list holds a name.
function derived.has(list, name)
  for _, one in ipairs(list) do
    if one == name then return true end
  end
  return false
end

--- Returns the programs whose output a command reads, directly or as arguments from xargs.
function derived.from(command)
  for n = #command.via, 1, -1 do
    if FEEDERS[command.via[n]] then
      for at = command.at - 1, 1, -1 do
        if FEEDERS[command.all[at].program] then return command.all[at].from end
      end
    end
  end
  return command.from
end

local function has_find(list)
  for _, one in ipairs(list) do
    if FINDS[one] then return true end
  end
  return false
end

--- Returns the find that a command gets its files from, by -exec or through a pipe; nil if none.
function derived.finder(command)
  if not has_find(command.via) and not has_find(derived.from(command)) then return nil end
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if FINDS[other.program] then return other end
  end
end

--- Whether find runs the command by -exec.
function derived.by_exec(command) return has_find(command.via) end

-- Whether a grep passes only generated files: `grep -E '__pycache__|\.pyc$'`.
local function narrows(argv)
  local expression
  for at = 2, #argv do
    local word = argv[at]
    if word:find("^%-%a*v") or word == "--invert-match" then return false end
    if word:sub(1, 1) ~= "-" then
      if expression then return false end
      expression = word
    end
  end
  if not expression then return false end
  local count = 0
  for part in expression:gsub("\\|", "|"):gsub("\\?[()]", ""):gmatch("[^|]+") do
    count = count + 1
    local plain = part:gsub("\\%.", "."):gsub("%$$", ""):gsub("/$", "")
    plain = plain:sub(1, 1) == "." and artefacts.name("*" .. plain) and "*" .. plain or plain:gsub("^/", "")
    if not artefacts.name(plain) then return false end
  end
  return count > 0
end

local GREPS = words.set "grep egrep rg"

--- Whether a grep between find and the command passes only generated files.
function derived.is_narrowed(command)
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if FINDS[other.program] then return false end
    if GREPS[other.program] and derived.has(other.from, "find") and narrows(other.argv) then return true end
  end
  return false
end

--- Whether a word is exactly the output of a find: `$(find . -name dist)`.
function derived.is_found(word)
  return (word:find("^[\"']?%$%(%s*find%s[^;|&\n]*%)[\"']?$") or word:find("^`%s*find%s[^;|&\n]*`$")) ~= nil
end

--- Whether a word is a variable that the line sets to the output of a find.
function derived.is_filled_by_find(line, word)
  local name = word:match("^[\"']?%${?([%w_]+)[%[@%]*]*}?[\"']?$")
  if not name or not line:find("find%s") then return false end
  return line:find("%f[%w_]for%s+" .. name .. "%s+in%s+[\"']?[$`]%(?%s*find%s") ~= nil
    or line:find("%f[%w_]" .. name .. "=%(?[\"']?[$`]%(?%s*find%s") ~= nil
    or line:find("%f[%w_]mapfile%s[^;&|\n]*" .. name .. "%s+<%s*<%(%s*find%s") ~= nil
    or line:find("%f[%w_]readarray%s[^;&|\n]*" .. name .. "%s+<%s*<%(%s*find%s") ~= nil
end

return derived
