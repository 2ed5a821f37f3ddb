-- The places that self-guard protects, and which of them a target path reaches. Case is ignored: on
-- many file systems `.LOCAL` is `.local`.
local path = require "file_guard.path"
local words = require "file_guard.words"
local set = words.set

-- Replaces a part of a target that is only known to the shell.
local UNKNOWN = "\1"
-- Files in the state folder: a target with one of these names is assumed to be there if its folder
-- is unknown.
local OWN_FILES = set "trust.json seals state.jsonl"
-- The same for the user's configuration, and for dev-trusted projects.
local CONFIGURATION = set "orcs.toml orcs.local.toml orcs.lock"

-- The segments of a path, in lower case.
local function segments(text)
  local list = {}
  for segment in text:lower():gmatch("[^/]+") do list[#list + 1] = segment end
  return list
end

-- Whether a segment of a target, which may be a glob or partly unknown, could match a name.
local function fits(segment, name)
  if segment == name then return true end
  local unknown = segment:find(UNKNOWN) ~= nil
  if not unknown and not segment:find("[*?[]") and not segment:find("[!+@]%(") then return false end
  -- Wildcards don't match a leading dot.
  if not unknown and name:sub(1, 1) == "." and not segment:find("^[.[]") then return false end
  local pattern = segment:gsub("[!+@?*]%b()", "*"):gsub("%[[^%]]*%]", "?"):gsub("[%^$().+%-%%%[%]]", "%%%0")
  return name:find("^" .. pattern:gsub("[*\1]", ".*"):gsub("%?", ".") .. "$") ~= nil
end

-- Files in the places, for patterns that match at any depth.
local WITHIN = { "trust.json", "seals", "state.jsonl", "orcs.toml", "settings.json" }

-- Relation of a target to a place: "in" (inside, or the place itself), "above" (a folder that
-- contains the place), or nil.
-- from, to: the first segments to compare, of the target and of the place
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
      local last = target[#target]
      -- `x` stands for any other file.
      return (fits(last, "x") or words.any(WITHIN, function(name) return fits(last, name) end)) and "in" or nil
    end
    if k > #place then return "in" end
    if target[i] ~= place[k] and not fits(target[i], place[k]) then return nil end
  end
  return to + #target - from == #place and "in" or "above"
end

local function is_exact(target, place)
  return not words.any(target, function(segment, i) return i <= #place and segment ~= place[i] end)
end

local Places = {}
Places.__index = Places

Places.SETTINGS = { name = "settings", asks = true, what = "settings of a coding agent, which call orcs" }

-- kinds: a list of tables with these fields
--   name      the name of the kind
--   folders   absolute paths
--   asks      whether a change needs approval instead of being denied
--   what      a description for messages
--   exact     whether globs and folders above the place are ignored
--   loose     whether folders above the place are ignored if the project contains the place
-- settings: rules of orcs.name_rules for settings of coding agents
local function places(kinds, settings)
  local self = setmetatable({
    folders = {}, needles = {}, tails = {}, bases = {}, prefixes = {}, inside = {},
    home = segments(path.home or "/"),
  }, Places)
  local function needle(text) self.needles[text] = true end
  -- Settings with an absolute path are handled like the other places.
  local rules, whole = {}, {}
  for _, rule in ipairs(settings) do
    local list = rule:sub(1, 1) == "/" and whole or rules
    list[#list + 1] = rule
  end
  local all = { table.unpack(kinds) }
  all[#all + 1] = { name = "settings", asks = true, what = Places.SETTINGS.what, folders = whole }
  settings = rules
  self.settings = orcs.name_rules(settings)
  for _, kind in ipairs(all) do
    for _, folder in ipairs(kind.folders) do
      local place = segments(folder)
      self.folders[#self.folders + 1] = { kind = kind, segments = place }
      self.prefixes[#self.prefixes + 1] = "/" .. table.concat(place, "/") .. "/"
      if kind.name == "settings" and #place > 1 then
        self.bases[place[#place]] = true
        if place[#place - 1]:sub(1, 1) == "." then self.bases[place[#place - 1]] = true end
      end
      -- The last segment names the place; the two folders above it do too if they begin with a dot
      -- and are not part of the home directory.
      for i = #place, 1, -1 do
        if i < #place - 2 or self.home[i] == place[i] then break end
        if i == #place or place[i]:sub(1, 1) == "." then needle(place[i]) end
      end
    end
  end
  for _, rule in ipairs(settings) do
    local place = segments(rule)
    if #place > 1 then
      for _, segment in ipairs(place) do
        needle(segment)
        self.bases[segment] = true
      end
      self.tails[#self.tails + 1] = place
      if rule:sub(-1) == "/" then self.inside[#self.inside + 1] = "/" .. rule end
    end
  end
  needle("trust.json")
  needle("seals")
  return self
end

-- Fast check before the exact ones: whether a text contains any name of a protected place.
function Places:glanced(text)
  if text == self.last then return self.last_found end
  local lower, found = text:lower(), false
  for needle in pairs(self.needles) do found = found or lower:find(needle, 1, true) ~= nil end
  -- Cached, because each command of a line checks the whole line.
  if #text > 80 then self.last, self.last_found = text, found end
  return found
end

-- Whether a path, in lower case and with a slash at its end, names a folder of which every file is settings.
function Places:is_inside(within)
  return words.any(self.inside, function(folder) return within:find(folder, 1, true) end)
end

-- Whether such a path is in a place, or a folder above one.
function Places:is_at(within)
  return words.any(self.prefixes, function(prefix)
    return within:sub(1, #prefix) == prefix or prefix:sub(1, #within) == within
  end)
end

-- Fast check before the exact one: whether a path may reach any place.
function Places:is_near(text)
  local lower = text:lower()
  if self.bases[lower:match("[^/]*$")] or lower:find("[*?[\1\x80-\xff]") or lower:find("[!+@]%(")
    or lower:find("[. ]%f[/%z]") then
    return true
  end
  local within = lower == "/" and lower or lower .. "/"
  return self:is_inside(within) or self:is_at(within)
end

-- Whether a folder neither contains a place nor is in one: files in it can reach a place only
-- through links, or be settings by their name.
function Places:is_far(folder)
  local within = folder == "/" and folder or folder:lower() .. "/"
  return not (within:find("[^%w_./-]") or within:find("%./") or self:is_inside(within) or self:is_at(within))
end

-- Returns the kind of place that a target reaches (nil if none), and whether it is certain that the
-- place changes. Kinds that are denied take precedence over kinds that need approval.
-- text: absolute, normalized path
-- how: "gone" if the target is removed or moved with its contents, "below" if anything may be
--   unpacked into it, "tree" if a folder is copied onto it; otherwise nil
-- root: the working directory of the agent
function Places:reached(text, how, root)
  if not self:is_near(text) then return nil, true end
  local target, asked, certain = segments(text), nil, true
  for _, folder in ipairs(self.folders) do
    local kind, place = folder.kind, folder.segments
    local where = relation(target, place)
    -- A loose place inside the project may be removed together with a folder that contains it.
    local held = kind.loose and root and path.inside(root, "/" .. table.concat(place, "/")) and true or false
    local exact = kind.exact or held or (kind.name == "dev" and how ~= "gone")
    if where and not (exact and not is_exact(target, place)) then
      if where == "in" then
        if not kind.asks then return kind, true end
        asked = asked or kind
      else
        local counts = how == "gone" and not kind.exact and not held
        -- The copied folder may contain files that replace those of the place.
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
  -- `.*` matches every folder of settings, also `.claude`. In the folders of a project there are none.
  if how == "gone" and text:find("/%.[*?]+$") and (path.inside(root or "/", text) or "/"):find("^[^/]*/?$") then
    rule = true
  end
  if not rule and how then
    rule = self.settings:below(text, true)
    -- Only `.claude` itself counts, not folders above it.
    if rule and how == "below" and not self.bases[target[#target]] then rule = nil end
  end
  return rule and Places.SETTINGS or nil, true
end

-- Returns the kind of settings if the path is a folder, such as `.claude`, that contains them.
function Places:holds_settings(text)
  local base = text:lower():match("[^/]*$")
  return self.bases[base] and self.settings:below(text, true) and Places.SETTINGS or nil
end

-- Returns the kind of place that the end of a target names, whose beginning is unknown: the end
-- must contain the last two names of a place in a row.
-- bare: whether the last name alone may be enough, and the names after an unknown folder
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
  if self.settings:match(path.normal(tail)) then return Places.SETTINGS end
  local last = found[#found]
  if not bare or not last then return nil end
  if OWN_FILES[last] then return self:kind("state") end
  if CONFIGURATION[last] then return self:kind("config") or self:kind("dev") end
  -- The unknown folder may be the one above a place: `$D/orcs/seals`.
  for _, folder in ipairs(#found > 2 and found[1] == UNKNOWN and self.folders or {}) do
    local kind = folder.kind
    local counts = kind.name == "state" or kind.name == "config"
    if counts and found[2] == folder.segments[#folder.segments] then return kind end
  end
  if #found > 1 and not how then return nil end
  for _, folder in ipairs(self.folders) do
    local kind = folder.kind
    local counts = how and (kind.name == "state" or kind.name == "config")
    if counts and last == folder.segments[#folder.segments] then return kind end
  end
  if how and self.settings:below(last, true) then return Places.SETTINGS end
  return nil
end

-- Returns the kind with a name, or nil if there are no folders of it.
function Places:kind(name)
  for _, folder in ipairs(self.folders) do
    if folder.kind.name == name then return folder.kind end
  end
  return nil
end

-- Returns the kind of place that a target with unknown parts could reach, or nil.
-- text: absolute path with UNKNOWN for each unknown part; how: as for reached, or "made" for mkdir
function Places:could_reach(text, how)
  local target, first = segments(text), 1
  while target[first] and not target[first]:find(UNKNOWN) do first = first + 1 end
  if not target[first] then return (self:reached(text, how)) end
  for _, folder in ipairs(self.folders) do
    local place, kind = folder.segments, folder.kind
    -- An unknown folder directly in the home directory could be any: it is ignored, unless it is
    -- the last segment of the place.
    local deep = first > #self.home + 1 or (first > 1 and first == #place)
    if deep and not kind.exact and not kind.loose and kind.name ~= "dev" then
      local where = relation(target, place)
      if where == "in" and (how ~= "made" or #target > #place) then return kind end
      if where == "above" and how == "gone" then return kind end
    end
  end
  local globbed = text:gsub(UNKNOWN, "*")
  return self.settings:match(globbed) and Places.SETTINGS or nil
end

-- Whether a glob matches one of a list of names.
local function matches_one(pattern, list)
  return words.any(list, function(name) return words.fits(pattern, name) end)
end

-- Whether a glob matches the name of a place, or of a file in one.
function Places:is_named(pattern)
  return matches_one(pattern, WITHIN)
    or words.any(self.folders, function(folder) return words.fits(pattern, folder.segments[#folder.segments]) end)
end

-- Whether a search below a folder for names that match a glob could find a place or a file in one.
function Places:found_below(text, pattern)
  local start = text:lower()
  return words.any(self.prefixes, function(prefix)
    local place = prefix:sub(1, -2)
    local below = path.inside(start, place)
    return path.inside(place, start) or below and (matches_one(pattern, segments(below)) or matches_one(pattern, WITHIN))
  end)
end

-- Returns the kind of place that a word of a text names, by a path or by one of its names (nil if
-- none), and whether the text names only a folder above the place.
-- seen: function that returns the absolute path of a word, or nil
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
  if OWN_FILES[lower] or (#lower > 4 and ("trust.json"):sub(1, #lower) == lower) then return self:kind("state") end
  if self.bases[lower] then return Places.SETTINGS end
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

-- Returns the kind of place that literals name when code joins them in this order:
-- `"~" / ".claude" / "settings.json"`.
function Places:joined(texts)
  local found = segments(table.concat(texts, "/"))
  for i = 2, #found do
    local function ends(place) return #place > 1 and found[i] == place[#place] and found[i - 1] == place[#place - 1] end
    for _, folder in ipairs(self.folders) do
      if not folder.kind.loose and ends(folder.segments) then return folder.kind end
    end
    if words.any(self.tails, ends) then return Places.SETTINGS end
  end
  return nil
end

return places
