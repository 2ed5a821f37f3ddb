-- Judges what find removes: allowed if it can only reach generated files or temporary folders.

local artefacts = require "shell_guard.artefacts"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local words = require "shell_guard.words"

local find = {}

local WITH_ARGUMENT = words.set [[
  -amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -inum -ipath -iregex -iwholename -links
  -lname -maxdepth -mindepth -mmin -mtime -newer -newerXY -perm -printf -regex -regextype -samefile -size -type -uid -used
  -user -xtype -fls -fprint -fprint0 -newermt -newerct -newerat -newermm -flags -Bmin -Bnewer -Btime
]]
local NAMES = words.set "-name -iname"
local PATHS = words.set "-path -ipath -wholename -iwholename"
local RUNS = words.set "-exec -execdir -ok -okdir"
local AGES = words.set "-mtime -mmin -atime -amin -ctime -cmin"
local OR = words.set "-o -or ,"

-- Returns the position of the first starting point, and the position where the expression begins;
-- both are equal if there is no starting point.
local function expression(argv)
  local at = 2
  while argv[at] do
    local word = argv[at]
    if word == "-D" or word == "-O" then
      at = at + 1
    elseif not (word == "-H" or word == "-L" or word == "-P" or word:find("^%-O%d")) then
      break
    end
    at = at + 1
  end
  local first = at
  while argv[at] and not argv[at]:find("^[-(!,]") do at = at + 1 end
  return first, at
end

-- Walks through the expression as find evaluates it. Tests before an action, joined by "and",
-- narrow it. `narrow`: whether only generated files reach this part of the expression. The methods
-- return whether only generated files pass the part that they have read.
local DEEPEST = 100
local Walk = {}
Walk.__index = Walk

function Walk:next()
  local word = self.argv[self.at]
  self.at = self.at + 1
  return word
end

-- For nesting that no real command has: assumes that the find removes everything.
function Walk:give_up()
  self.at = #self.argv + 1
  self.open, self.open_delete, self.deletes = true, true, true
  return false
end

-- Reads one term; returns whether only generated files pass it.
function Walk:term(narrow)
  local word = self:next()
  if word == "!" or word == "-not" then
    if self.argv[self.at] then self:term(narrow) end
    return false
  end
  if word == "(" then
    self.depth = self.depth + 1
    if self.depth > DEEPEST then return self:give_up() end
    local inner = self:any(narrow)
    self.depth = self.depth - 1
    self.at = self.at + 1
    return inner
  end
  if NAMES[word] or PATHS[word] then
    local pattern = self:next() or "*"
    if pattern:find("%w") then self.filtered = true end
    return NAMES[word] and artefacts.name(pattern) or artefacts.path(pattern)
  end
  if word == "-empty" or word == "-false" then return true end
  if AGES[word] then self.filtered = true end
  if RUNS[word] then
    repeat local one = self:next() until one == nil or one == ";" or one == "+"
    self.open = self.open or not narrow
  elseif word == "-delete" then
    self.deletes = true
    self.open_delete = self.open_delete or not narrow
  elseif word == "-fprintf" then
    self.at = self.at + 2
  elseif WITH_ARGUMENT[word] or word:find("^%-newer..$") then
    self.at = self.at + 1
  end
  return false
end

function Walk:all(narrow)
  while self.argv[self.at] and not OR[self.argv[self.at]] and self.argv[self.at] ~= ")" do
    local word = self.argv[self.at]
    if word == "-a" or word == "-and" then
      self.at = self.at + 1
    else
      narrow = self:term(narrow) or narrow
    end
  end
  return narrow
end

function Walk:any(narrow)
  local every = self:all(narrow)
  while OR[self.argv[self.at]] do
    self.at = self.at + 1
    every = self:all(narrow) and every
  end
  return every
end

local REFUSED = "removes files that cannot be got back"

local function refuse(id, other, because, instead)
  return reasons.refusal(id, reasons.shown(other.argv), because, instead)
end

local LIST = "List it with -print first, and remove by name what you mean"
local NEVER = words.set "root top home above git outside"

-- Judges one starting point. Returns a reason to deny it, or nil and whether the result is unclear.
-- unknown: whether the word is only known to the shell; open: whether the find removes files that
-- are not generated; filtered: whether a name, path or age limits what it removes
local function judge_start(other, command, word, unknown, open, filtered)
  if unknown then
    local guessed, known = paths.guess(command.place, word)
    if guessed == "temporary" then return nil end
    if guessed == "to" and artefacts.folder(known) then return nil end
    if guessed ~= "path" and guessed ~= "in" then return nil, open end
    word = known
  end
  local kind, path, _, inner = paths.look(command.place, other.cwd, word)
  if kind == "unclear" then return nil, open and not artefacts.path(path) end
  if NEVER[kind] then
    return refuse("files.find-outside-roots", other, "removes files outside of what may be removed (" .. word .. ")", LIST)
  end
  if kind == "temporary" or (kind == "temp" and filtered) then return nil end
  if kind == "below" and artefacts.path(inner) then return nil end
  if open then return refuse("files.find-delete", other, REFUSED, LIST) end
end

--- Returns the positions of the starting points in argv; an empty list means the working directory.
function find.starts(other)
  local first, at = expression(other.argv)
  local positions = {}
  for start = first, at - 1 do positions[#positions + 1] = start end
  return positions
end

--- Judges the files that a find removes, itself or through another program. Returns a reason to
--- deny it, or nil and what is unclear.
--- @param other the find, as orcs.shell lists it
--- @param command the command that is judged; the find itself for "-delete"
--- @param how "-delete", "-exec" or "-print" (another command gets the output of the find)
function find.judge(other, command, how)
  local argv = other.argv
  local first, at = expression(argv)
  local walk = setmetatable({ argv = argv, at = at, depth = 0, open = false }, Walk)
  while argv[walk.at] do
    walk:any(false)
    -- Skip a surplus closing parenthesis.
    walk.at = walk.at + 1
  end
  local by_itself = how == "-delete"
  if by_itself and not walk.deletes then return nil end
  local refused = refuse("files.find-any", other, REFUSED, "Let the user do it")
  if refused then return refused end
  local open
  if by_itself then
    open = walk.open_delete
  elseif how == "-exec" then
    open = walk.open
  else
    -- All files that pass the whole expression go to the command.
    local printed = setmetatable({ argv = argv, at = at, depth = 0 }, Walk)
    open = not printed:any(false)
  end
  local unclear
  if first == at then return judge_start(other, command, ".", false, open, walk.filtered) end
  for start = first, at - 1 do
    local reason, not_known = judge_start(other, command, argv[start], other.unknown[start], open, walk.filtered)
    if reason then return reason end
    unclear = unclear or (not_known and reasons.shown(argv)) or nil
  end
  return nil, unclear
end

return find
