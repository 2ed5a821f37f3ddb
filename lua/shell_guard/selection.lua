-- Selects which rules are on: those of the level, with `enable` and `disable` applied on top.

local packs = require "shell_guard.packs"
local row_rules = require "shell_guard.row_rules"
local rules = require "shell_guard.rules"

local selection = {}

-- Rules that others have taken in, by their ids of before.
local ALIASES = { ["server.accounts"] = "system.accounts", ["server.accounts-change"] = "system.accounts" }

local function current(names)
  local list = {}
  for at, name in ipairs(names) do list[at] = ALIASES[name] or name end
  return list
end

-- All ids, and the names of all packs. Loads every pack.
local function all_names()
  local names = { "*" }
  for _, pack in ipairs(rules.packs) do
    names[#names + 1] = pack[1]
    rules.each(pack, function(id) names[#names + 1] = id end)
  end
  for _, name in ipairs(packs.names) do
    names[#names + 1] = name
    packs.each(name, function(id) names[#names + 1] = id end)
  end
  table.sort(names)
  return names
end

-- How many letters have to be changed to make one text of another.
local function distance(a, b)
  local row = {}
  for n = 0, #b do row[n] = n end
  for m = 1, #a do
    local diagonal = row[0]
    row[0] = m
    for n = 1, #b do
      local same = a:byte(m) == b:byte(n)
      local best = math.min(row[n] + 1, row[n - 1] + 1, diagonal + (same and 0 or 1))
      diagonal, row[n] = row[n], best
    end
  end
  return row[#b]
end

local function nearest(name)
  local best, least
  for _, known in ipairs(all_names()) do
    local far = distance(name, known)
    -- `push-force` is meant as `git.push-force`.
    if known:match("[^.]*$") == name then far = 0 end
    if not least or far < least then best, least = known, far end
  end
  return best
end

-- Returns the packs of the options by name: id → level for each of their rules.
local function known_packs(level, lists)
  local found = {}
  for _, pack in ipairs(rules.packs) do
    local levels = {}
    rules.each(pack, function(id, lowest) levels[id] = lowest end)
    found[pack[1]] = levels
  end
  for _, name in ipairs(packs.names) do
    local is_named = level >= rules.levels.strict
    for _, list in ipairs(lists) do
      for _, text in ipairs(list) do is_named = is_named or text == "*" or text:match("^[^.]*") == name end
    end
    if is_named then
      local levels = {}
      packs.each(name, function(id, rule) levels[id] = rule.strict and "strict" or levels[id] or "off" end)
      found[name] = levels
    end
  end
  return found
end

--- Switches rules on. Raises an error for a name that is neither a rule nor a pack.
--- @param level 1 to 3, as in rules.levels
--- @param enable, disable lists of ids and names of packs; "*" in `enable` is all packs of other programs. Ids count
---   more than packs, and
--- `disable` more than `enable`. Rules that only level "paranoid" switches on must be named by their id.
--- @param must function(holds, option, given, expected) that raises an error
function selection.use(level, enable, disable, must)
  enable, disable = current(enable), current(disable)
  local found = known_packs(level, { enable, disable })
  local on = {}
  for _, levels in pairs(found) do
    for id, lowest in pairs(levels) do on[id] = level >= (rules.levels[lowest] or math.huge) end
  end
  local function set(list, option, value)
    for _, name in ipairs(list) do
      -- The rules of the guard's own code follow the level.
      local is_all = name == "*" and option == "enable"
      if not (is_all or found[name] or on[name] ~= nil) then
        must(false, option, name, 'names of packs or rules; did you mean "' .. nearest(name) .. '"?')
      end
      for pack, levels in pairs(found) do
        for id, lowest in pairs((pack == name or is_all and packs.has(pack)) and levels or {}) do
          if not value or lowest ~= "paranoid" then on[id] = value end
        end
      end
    end
  end
  local function set_ids(list, value)
    for _, name in ipairs(list) do
      if on[name] ~= nil then on[name] = value end
    end
  end
  set(enable, "enable", true)
  set(disable, "disable", false)
  set_ids(enable, true)
  set_ids(disable, false)
  rules.use(on)
  row_rules.use_own()
  -- In the order of their names, so that the same rule is named each time.
  for _, name in ipairs(packs.names) do
    if found[name] then row_rules.use(name, rules.on) end
  end
end

return selection
