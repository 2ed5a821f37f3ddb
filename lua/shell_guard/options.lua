-- Reads the options of shell-guard, and switches its rules on. Invalid ones raise an error at load time, so that a typo
-- cannot weaken it.

local checks = require "policy.options"
local packs = require "shell_guard.packs"
local patterns = require "shell_guard.patterns"
local row_rules = require "shell_guard.row_rules"
local rules = require "shell_guard.rules"
local words = require "file_guard.words"

local options = {}

local must = checks.expect_of("shell-guard")
local LEVELS = rules.levels

-- Rules that others have taken in, by their ids of before.
local ALIASES = { ["server.accounts"] = "system.accounts", ["server.accounts-change"] = "system.accounts" }

local function current(names)
  local list = {}
  for at, name in ipairs(names) do list[at] = ALIASES[name] or name end
  return list
end

-- The names of all packs: those of the guard itself, and those of other programs.
local NAMES = {}
for _, pack in ipairs(rules.packs) do NAMES[#NAMES + 1] = pack[1] end
table.move(packs.names, 1, #packs.names, #NAMES + 1, NAMES)

-- All ids, and the names of all packs. Loads every pack.
local function all_names()
  local names = { "*", table.unpack(NAMES) }
  local function add(id) names[#names + 1] = id end
  for _, name in ipairs(NAMES) do rules.each(name, add) end
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
  for _, name in ipairs(NAMES) do
    local function is_of_it(text) return text == "*" or text:match("^[^.]*") == name end
    if rules.are_own(name) or level >= LEVELS.strict or words.any(lists, function(list) return words.any(list, is_of_it) end) then
      local levels = {}
      rules.each(name, function(id, lowest) levels[id] = lowest end)
      found[name] = levels
    end
  end
  return found
end

-- Switches on the rules of a level, with `enable` and `disable` applied on top: lists of ids and names of packs; "*" in
-- `enable` is all packs of other programs. Ids count more than packs, and `disable` more than `enable`. Rules that only
-- level "paranoid" switches on must be named by their id. Raises an error for a name that is neither a rule nor a pack.
-- @param level 1 to 3, as in rules.levels
local function switch_on(level, enable, disable)
  enable, disable = current(enable), current(disable)
  local found = known_packs(level, { enable, disable })
  local on = {}
  for _, levels in pairs(found) do
    for id, lowest in pairs(levels) do on[id] = level >= (LEVELS[lowest] or math.huge) end
  end
  local function set(list, option, value)
    for _, name in ipairs(list) do
      -- The rules of the guard's own code follow the level.
      local is_all = name == "*" and option == "enable"
      if not (is_all or found[name] or on[name] ~= nil) then
        must(false, option, name, 'names of packs or rules; did you mean "' .. nearest(name) .. '"?')
      end
      for pack, levels in pairs(found) do
        for id, lowest in pairs((pack == name or is_all and not rules.are_own(pack)) and levels or {}) do
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
    if found[name] then row_rules.use(name) end
  end
end

local TEXTS = { kind = "texts", default = {} }
local SPEC = {
  level = { of = { "default", "strict", "paranoid" } }, dynamic = { of = { "ask", "allow", "abort" } },
  roots = { kind = "texts", default = { "." } }, allow = TEXTS, enable = TEXTS, disable = TEXTS,
}

--- Returns `level` (1 to 3), `dynamic`, `roots`, and `allow` as a list of compiled patterns. Switches the rules
--- of `level`, `enable` and `disable` on.
function options.read(given)
  local opted, allow = checks.read("shell-guard", SPEC, given), {}
  for at, text in ipairs(opted.allow) do
    must(text:find("^%S*[^%s*]"), "allow", text, "patterns that begin with a program")
    allow[at] = patterns.allowed(text)
  end
  local level = LEVELS[opted.level]
  switch_on(level, opted.enable, opted.disable)
  local dynamic = given.dynamic == nil and level == LEVELS.paranoid and "abort" or opted.dynamic
  return { level = level, dynamic = dynamic, roots = opted.roots, allow = allow }
end

return options
