-- The places that self-guard keeps, and which of them a target reaches. Case does not count: on many disks
-- `.LOCAL` is `.local`.
local names = require "file_guard.names"
local path = require "file_guard.path"

local function segments(text)
  local list = {}
  for segment in text:lower():gmatch("[^/]+") do list[#list + 1] = segment end
  return list
end

-- Whether a segment of a target, which may be a glob of the shell's, could be this name.
local function fits(segment, name)
  if segment == name then return true end
  if not names.is_glob(segment) then return false end
  -- No wildcard stands for a dot in front.
  if name:sub(1, 1) == "." and not segment:find("^[.[]") then return false end
  local pattern = segment:gsub("[!+@?*]%b()", "*"):gsub("%[[^%]]*%]", "?"):gsub("[%^$().+%-%%%[%]]", "%%%0")
  return name:find("^" .. pattern:gsub("%*", ".*"):gsub("%?", ".") .. "$") ~= nil
end

-- Where a target is, seen from a place: "in" it (or it itself), or "above" it; nil elsewhere.
local function relation(target, place)
  for i = 1, #target do
    if target[i] == "**" or i > #place then return "in" end
    if not fits(target[i], place[i]) then return nil end
  end
  return #target == #place and "in" or "above"
end

local Places = {}
Places.__index = Places

-- kinds: list of { name, folders = absolute paths, asks = whether a person may allow it, what = what it is }
-- settings: rules of file_guard.names for settings of coding agents
local function places(kinds, settings)
  local self = setmetatable({ folders = {}, settings = names.table(settings) }, Places)
  for _, kind in ipairs(kinds) do
    for _, folder in ipairs(kind.folders) do
      self.folders[#self.folders + 1] = { kind = kind, segments = segments(folder) }
    end
  end
  return self
end

-- The kind of place that a target reaches; nil when it reaches none. What is denied comes first.
-- text: absolute and normal; how: "gone" when it is taken away with all that is below, as in file_guard.written
function Places:reached(text, how)
  local target, asked = segments(text), nil
  for _, folder in ipairs(self.folders) do
    local where = relation(target, folder.segments)
    -- What is unpacked beside a place may be meant for it.
    local beside = how == "below" and #target == #folder.segments - 1
    if where == "in" or (where == "above" and (how == "gone" or beside)) then
      if not folder.kind.asks and not beside then return folder.kind end
      asked = asked or folder.kind
    end
  end
  if asked then return asked end
  local rule = self.settings:match(text)
  if not rule and how == "gone" then rule = self.settings:below(text, true) end
  return rule and Places.SETTINGS or nil
end

-- The same of what stands behind a part of a target that nobody knows: two names of a place, one after the other.
function Places:ends_in(tail)
  local found = segments(tail)
  for _, folder in ipairs(self.folders) do
    local place = folder.segments
    for i = 2, #place > 1 and #found or 0 do
      if fits(found[i - 1], place[#place - 1]) and fits(found[i], place[#place]) then return folder.kind end
    end
  end
  return #found > 1 and self.settings:match(path.normal(tail)) and Places.SETTINGS or nil
end

Places.SETTINGS = { name = "settings", asks = true, what = "settings of a coding agent, which call orcs" }

return places
