-- The places that self-guard keeps, and which of them a target reaches. Case does not count: on many disks
-- `.LOCAL` is `.local`.
local names = require "file_guard.names"
local path = require "file_guard.path"
local set = require("file_guard.words").set

-- What stands for a part of a target that nobody knows.
local UNKNOWN = "\1"
-- Names of files in the state: a bare one of them is meant for it.
local OWN_FILES = set "trust.json seals state.jsonl"

local function segments(text)
  local list = {}
  for segment in text:lower():gmatch("[^/]+") do list[#list + 1] = segment end
  return list
end

-- Whether a segment of a target, which may be a glob of the shell's or not wholly known, could be this name.
local function fits(segment, name)
  if segment == name then return true end
  local unknown = segment:find(UNKNOWN, 1, true) ~= nil
  if not unknown and not names.is_glob(segment) then return false end
  -- No wildcard stands for a dot in front.
  if not unknown and name:sub(1, 1) == "." and not segment:find("^[.[]") then return false end
  local pattern = segment:gsub("[!+@?*]%b()", "*"):gsub("%[[^%]]*%]", "?"):gsub("[%^$().+%-%%%[%]]", "%%%0")
  return name:find("^" .. pattern:gsub("[*\1]", ".*"):gsub("%?", ".") .. "$") ~= nil
end

-- What is in the places, where a name may stand at any depth.
local WITHIN = { "trust.json", "seals", "state.jsonl", "orcs.toml", "settings.json", "x" }

-- Where a target is, seen from a place: "in" it (or it itself), or "above" it; nil elsewhere. from, to: the segments
-- that are compared first.
local function relation(target, place, from, to)
  from, to = from or 1, to or 1
  for i = from, #target do
    local k = to + i - from
    if target[i] == "**" then
      if i == #target then return "in" end
      for at = k, #place do
        local where = relation(target, place, i + 1, at)
        if where then return where end
      end
      for _, name in ipairs(WITHIN) do
        if fits(target[#target], name) then return "in" end
      end
      return nil
    end
    if k > #place then return "in" end
    if target[i] ~= place[k] and not fits(target[i], place[k]) then return nil end
  end
  return to + #target - from == #place and "in" or "above"
end

local function is_exact(target, place)
  for i = 1, math.min(#target, #place) do
    if target[i] ~= place[i] then return false end
  end
  return true
end

local Places = {}
Places.__index = Places

Places.UNKNOWN = UNKNOWN
Places.SETTINGS = { name = "settings", asks = true, what = "settings of a coding agent, which call orcs" }

-- kinds: list of { name, folders = absolute paths, asks = whether a person may allow it, what = what it is, exact =
--   whether globs and folders above do not count, loose = whether folders above it do not count in a project that
--   holds it }
-- settings: rules of file_guard.names for settings of coding agents
local function places(kinds, settings)
  local self = setmetatable({
    folders = {}, needles = {}, tails = {}, bases = {}, prefixes = {},
    home = segments(path.home or "/"),
  }, Places)
  local seen = {}
  local function needle(text)
    if #text > 1 and not seen[text] then
      seen[text] = true
      self.needles[#self.needles + 1] = text
    end
  end
  -- Settings whose whole path is known are a place like others.
  local rules, whole = {}, {}
  for _, rule in ipairs(settings) do
    local list = rule:sub(1, 1) == "/" and whole or rules
    list[#list + 1] = rule
  end
  local all = { table.unpack(kinds) }
  all[#all + 1] = { name = "settings", asks = true, what = Places.SETTINGS.what, folders = whole }
  settings = rules
  self.settings = names.table(settings)
  for _, kind in ipairs(all) do
    for _, folder in ipairs(kind.folders) do
      local place = segments(folder)
      self.folders[#self.folders + 1] = { kind = kind, segments = place }
      self.prefixes[#self.prefixes + 1] = "/" .. table.concat(place, "/") .. "/"
      if kind.name == "settings" and #place > 1 then
        self.bases[place[#place]] = true
        if place[#place - 1]:sub(1, 1) == "." then self.bases[place[#place - 1]] = true end
      end
      -- What lies between the home directory and the place names it as well.
      for i = #place, 1, -1 do
        if i < #place - 2 or self.home[i] == place[i] then break end
        if i == #place or place[i]:sub(1, 1) == "." then needle(place[i]) end
      end
    end
  end
  for _, rule in ipairs(settings) do
    local place = segments(rule)
    if #place > 1 then
      needle(place[#place - 1])
      needle(place[#place])
      self.tails[#self.tails + 1] = place
      self.bases[place[#place - 1]] = true
      self.bases[place[#place]] = true
    end
  end
  needle("trust.json")
  needle("seals")
  return self
end

-- Whether a text holds any name of what is kept at all: a quick look before all others.
function Places:glanced(text)
  if text == self.last then return self.last_found end
  local lower, found = text:lower(), false
  for _, needle in ipairs(self.needles) do
    if lower:find(needle, 1, true) then
      found = true
      break
    end
  end
  -- Each command of a line asks the same of the whole of it.
  if #text > 80 then self.last, self.last_found = text, found end
  return found
end

-- Whether a path may reach anything at all: a quick look before the exact one.
function Places:is_near(text)
  local lower = text:lower()
  if self.bases[lower:match("[^/]*$")] or lower:find("[*?[\1\x80-\xff]") or lower:find("[!+@]%(")
    or lower:find("[. ]%f[/%z]") then
    return true
  end
  local within = lower == "/" and lower or lower .. "/"
  for _, prefix in ipairs(self.prefixes) do
    if within:sub(1, #prefix) == prefix or prefix:sub(1, #within) == within then return true end
  end
  return false
end

-- Whether no place is below a folder, nor the folder in one: what is in it reaches nothing but by links, or by its name.
function Places:is_far(folder)
  local within = folder == "/" and folder or folder:lower() .. "/"
  if within:find("[^%w_./-]") or within:find("%./") then return false end
  for _, prefix in ipairs(self.prefixes) do
    if within:sub(1, #prefix) == prefix or prefix:sub(1, #within) == within then return false end
  end
  return true
end

-- The kind of place that a target reaches; nil when it reaches none. What is denied comes first.
-- text: absolute and normal; how: "gone" when it is taken away with all that is below, "below" when anything may be
-- unpacked into it, "tree" when a folder is copied onto it; root: the folder that the agent works in
-- Second result: whether it is certain that what is kept changes.
function Places:reached(text, how, root)
  if not self:is_near(text) then return nil, true end
  local target, asked, certain = segments(text), nil, true
  for _, folder in ipairs(self.folders) do
    local kind, place = folder.kind, folder.segments
    local where = (target[1] == nil or place[1] == target[1] or fits(target[1], place[1])) and relation(target, place)
    -- What a project holds may go with its folder.
    local held = kind.loose and root and path.inside(root, "/" .. table.concat(place, "/")) and true or false
    local exact = kind.exact or held or (kind.name == "dev" and how ~= "gone")
    if where and not (exact and not is_exact(target, place)) then
      if where == "in" then
        if not kind.asks then return kind, true end
        asked = asked or kind
      elseif where == "above" then
        local counts = how == "gone" and not kind.exact and not held
        -- A folder that is copied may hold what is meant for the place.
        local perhaps = how == "tree" and #target > #self.home and not kind.loose and not kind.exact
        local beside = how == "below" and #target == #place - 1
        counts = counts or (beside and (kind.name == "state" or kind.name == "dev"))
        if counts and not kind.asks then return kind, true end
        if (counts or perhaps) and not asked then asked, certain = kind, counts end
      end
    end
  end
  if asked then return asked, certain end
  local rule = self.settings:match(text)
  if not rule and how then
    rule = self.settings:below(text, true)
    -- `.claude` itself, not what stands above it.
    if rule and how == "below" and not self.bases[target[#target]] then rule = nil end
  end
  return rule and Places.SETTINGS or nil, true
end

-- The kind of a folder that settings of coding agents are in.
function Places:holds_settings(text)
  local base = text:lower():match("[^/]*$")
  return self.bases[base] and self.settings:below(text, true) and Places.SETTINGS or nil
end

-- The same of what stands behind a part of a target that nobody knows: two names of a place, one after the other; or
-- one of them, where the folder that it is in is not known.
function Places:ends_in(tail, bare, how)
  local found = segments(tail)
  for _, folder in ipairs(self.folders) do
    local place = folder.segments
    for i = 2, #place > 1 and #found or 0 do
      if found[i - 1] ~= UNKNOWN and found[i] ~= UNKNOWN and fits(found[i - 1], place[#place - 1])
        and fits(found[i], place[#place]) then
        return folder.kind
      end
    end
  end
  if #found > 1 and self.settings:match(path.normal(tail)) then return Places.SETTINGS end
  local last = found[#found]
  if not bare or not last then return nil end
  if OWN_FILES[last] then return self:state() end
  if #found > 1 and not how then return nil end
  for _, folder in ipairs(self.folders) do
    local kind = folder.kind
    local counts = how and (kind.name == "state" or kind.name == "config")
    if counts and last == folder.segments[#folder.segments] then return kind end
  end
  if how and self.settings:below("/" .. last, true) then return Places.SETTINGS end
  return nil
end

function Places:state()
  for _, folder in ipairs(self.folders) do
    if folder.kind.name == "state" then return folder.kind end
  end
  return nil
end

-- The kind of place that a target with unknown parts could reach, whose beginning is known.
-- text: absolute, with UNKNOWN in it
function Places:could_reach(text, how)
  local target = segments(text)
  local first
  for i, segment in ipairs(target) do
    if segment:find(UNKNOWN, 1, true) then
      first = i
      break
    end
  end
  if not first then return (self:reached(text, how)) end
  for _, folder in ipairs(self.folders) do
    local place, kind = folder.segments, folder.kind
    -- What stands for a folder of the home directory stands for any.
    local deep = first > #self.home + 1 or (first > 1 and first == #place)
    if deep and first <= #place and not kind.exact and not kind.loose and kind.name ~= "dev" then
      local where = relation(target, place)
      if where == "in" and (how ~= "made" or #target > #place) then return kind end
      if where == "above" and how == "gone" then return kind end
    end
  end
  local globbed = text:gsub(UNKNOWN, "*")
  return self.settings:match(globbed) and Places.SETTINGS or nil
end

-- Whether what is looked for below a folder by a name could be one of the places, or in one.
function Places:found_below(text, pattern)
  local start = text:lower()
  for _, prefix in ipairs(self.prefixes) do
    local place = prefix:sub(1, -2)
    local below = path.inside(start, place)
    if path.inside(place, start) then return true end
    for segment in (below or ""):gmatch("[^/]+") do
      if orcs.glob_match(pattern, segment) then return true end
    end
    for i = 1, below and #WITHIN - 1 or 0 do
      if orcs.glob_match(pattern, WITHIN[i]) then return true end
    end
  end
  return false
end

-- What a piece of text names of what is kept: a word that is a path to it, or one of its names; second result: whether
-- it names a folder above it alone.
-- seen: gives the absolute path of a word, nil where it has none
function Places:named(text, seen)
  if not self:glanced(text) then return nil end
  local above
  for word in text:gmatch("[^%s\"'`;|&()<>,]+") do
    local kind, only_above = self:named_word(word, seen)
    if kind and not only_above then return kind, false end
    above = above or kind
  end
  return above, above ~= nil
end

function Places:named_word(word, seen)
  local base = word:match("([^/=:]+)/*$")
  if not base or not self:glanced(word) then return nil end
  local lower = base:lower():gsub("[*?]+$", "")
  if OWN_FILES[lower] or (#lower > 4 and ("trust.json"):sub(1, #lower) == lower) then return self:state() end
  if self.bases[lower] and (lower ~= "settings" or base:find("*", 1, true)) then return Places.SETTINGS end
  for part in word:gmatch("[^=:]+") do
    local whole = seen(part)
    if whole then
      local target = segments(whole:gsub("/[*]+$", ""))
      for _, folder in ipairs(self.folders) do
        local kind = folder.kind
        local where = not kind.loose and not kind.exact and relation(target, folder.segments)
        if where == "in" then return kind, false end
        if where == "above" and #target > #self.home then return kind, true end
      end
    end
    local kind = self:ends_in(part)
    if kind then return kind, false end
    if self.settings:below(part, true) then return Places.SETTINGS, true end
  end
  return nil
end

-- What texts come to that are put together one after the other: `"~" / ".claude" / "settings.json"`.
function Places:joined(texts)
  local found = {}
  for _, text in ipairs(texts) do
    for segment in text:lower():gmatch("[^/]+") do found[#found + 1] = segment end
  end
  for i = 2, #found do
    for _, folder in ipairs(self.folders) do
      local place = folder.segments
      if not folder.kind.loose and #place > 1 and found[i] == place[#place] and found[i - 1] == place[#place - 1] then
        return folder.kind
      end
    end
    for _, rule in ipairs(self.tails) do
      if found[i] == rule[#rule] and found[i - 1] == rule[#rule - 1] then return Places.SETTINGS end
    end
  end
  return nil
end

return places
