-- Reads the options of shell-guard. Invalid ones raise an error at load time, so that a typo
-- cannot weaken it.

local must = require("policy.options").expect_of("shell-guard")
local patterns = require "shell_guard.patterns"
local rules = require "shell_guard.rules"
local selection = require "shell_guard.selection"
local words = require "file_guard.words"

local options = {}

local LEVELS = rules.levels
local DYNAMIC = words.set "allow ask abort"

local function texts(name, value)
  must(type(value) == "table", name, value, "a list of texts")
  local count = 0
  for key, text in pairs(value) do
    count = count + 1
    must(type(key) == "number" and type(text) == "string" and text ~= "", name, value, "a list of texts")
  end
  return value, count
end

local KNOWN = words.set "level dynamic roots allow enable disable"

--- Returns `level` (1 to 3), `dynamic`, `roots`, and `allow` as a list of compiled patterns. Switches the rules
--- of `level`, `enable` and `disable` on.
function options.read(given)
  for name in pairs(given) do
    must(KNOWN[name], tostring(name), given[name], "level, enable, disable, dynamic, roots or allow")
  end
  local level = given.level == nil and "default" or given.level
  must(LEVELS[level], "level", level, '"default", "strict" or "paranoid"')
  local dynamic = given.dynamic
  if dynamic == nil then dynamic = level == "paranoid" and "abort" or "ask" end
  must(DYNAMIC[dynamic], "dynamic", dynamic, '"allow", "ask" or "abort"')
  local allow = {}
  for at, text in ipairs(texts("allow", given.allow or {})) do
    must(text:find("^%S*[^%s*]"), "allow", text, "patterns that begin with a program")
    allow[at] = patterns.allowed(text)
  end
  local roots = texts("roots", given.roots or { "." })
  selection.use(LEVELS[level], texts("enable", given.enable or {}), texts("disable", given.disable or {}), must)
  return { level = LEVELS[level], dynamic = dynamic, roots = roots, allow = allow }
end

return options
