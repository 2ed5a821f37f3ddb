-- Validates the options of a policy when it is loaded: a misspelled option must not silently
-- disable a guard.

-- Formats a value for an error message.
local function shown(value)
  if type(value) == "string" then return '"' .. value .. '"' end
  if type(value) == "table" then return "a table" end
  return tostring(value)
end

-- Describes what was expected instead of a value; nil when it is a valid list of globs or folders.
local function no_globs(value, kind)
  if type(value) ~= "table" then return "a list of " .. kind end
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  for i = 1, count do
    local glob = value[i]
    if type(glob) ~= "string" then return ("a list of %s, each a text"):format(kind) end
    local wrong = glob == "" or glob:find("\0", 1, true)
    if kind == "globs" then
      wrong = wrong or glob:sub(1, 1) == "!" or not pcall(orcs.glob_match, glob, "x")
    else
      wrong = wrong or glob:find("[*?]")
    end
    if wrong then return ("a list of %s, of which %s is none"):format(kind, shown(glob)) end
  end
  return nil
end

-- Returns the options, with defaults for those that are not set.
-- spec: name → { kind = "globs" | "folders" | "boolean", default } or { of = the choices, the default first }
return function(policy, spec)
  local given = orcs.options or {}
  local names = {}
  for name in pairs(spec) do names[#names + 1] = name end
  table.sort(names)
  for name in pairs(given) do
    if not spec[name] then
      error(("%s: unknown option %s; known options: %s"):format(policy, shown(name), table.concat(names, ", ")), 0)
    end
  end
  local options = {}
  for _, name in ipairs(names) do
    local value, entry, expected = given[name], spec[name], nil
    if value == nil then
      value = entry.of and entry.of[1] or entry.default
    elseif entry.kind == "globs" or entry.kind == "folders" then
      expected = no_globs(value, entry.kind)
    elseif entry.kind == "boolean" then
      expected = type(value) ~= "boolean" and "true or false" or nil
    elseif not orcs.contains(entry.of, value) then
      expected = "one of " .. table.concat(entry.of, ", ")
    end
    if expected then
      error(("%s: option %s is %s, expected %s"):format(policy, name, shown(value), expected), 0)
    end
    options[name] = value
  end
  return options
end
