-- Checks of options, which policies run at load time: a misspelt option must not silently weaken a
-- guard.

local options = {}

--- Returns a function that raises an error with the policy's name if an option is not as expected,
--- and returns `holds` otherwise.
function options.expect_of(policy)
  return function(holds, name, given, expected)
    if holds then return holds end
    local shown = given == nil and "missing" or orcs.json_encode(given)
    error(("%s: the option %s is %s, expected %s"):format(policy, name, shown, expected), 0)
  end
end

--- Returns the names of a set, sorted and joined, for messages.
function options.listed(names)
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, ", ")
end

--- Returns a function that tests whether a name matches a glob. A slash in a name is an ordinary
--- character, not a path separator. Globs with only `*` and `?` become Lua patterns, because
--- compiling a glob for paths takes time. Raises an error for an invalid glob.
function options.name_test(glob)
  if not glob:find("[%[%]{}()\\!]") then
    local pattern = "^" .. glob:gsub("%W", "%%%0"):gsub("%%%*", ".*"):gsub("%%%?", ".") .. "$"
    return function(name) return name:find(pattern) ~= nil end
  end
  local whole = "=" .. glob:gsub("/", "\1")
  orcs.glob_match(whole, "")
  return function(name) return orcs.glob_match(whole, "=" .. name:gsub("/", "\1")) end
end

--- Returns a function that tests whether the tool of a call is listed, by any of its names.
function options.tool_test(globs)
  local tests = {}
  for i, glob in ipairs(globs) do tests[i] = options.name_test(glob) end
  return function(payload)
    for _, name in ipairs(#tests > 0 and orcs.tool_names(payload) or {}) do
      for _, fits in ipairs(tests) do
        if fits(name) then return true end
      end
    end
    return false
  end
end

return options
