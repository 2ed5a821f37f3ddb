-- What policies check their options with when they are loaded: one that is misspelt must not silently open a guard.

local options = {}

--- A function that raises, in the policy's name, unless an option is as expected; it gives back what held.
function options.expect_of(policy)
  return function(holds, name, given, expected)
    if holds then return holds end
    local shown = given == nil and "missing" or orcs.json_encode(given)
    error(("%s: the option %s is %s, expected %s"):format(policy, name, shown, expected), 0)
  end
end

--- The names of a set, for messages.
function options.listed(names)
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, ", ")
end

--- A function that says whether a name fits a glob. A slash in a name is a character like others, and not what parts
--- of a path end with. Most take no glob of paths, which costs time to compile. A glob that is not valid raises here.
function options.name_test(glob)
  if not glob:find("[%[%]{}()\\!]") then
    local pattern = "^" .. glob:gsub("%W", "%%%0"):gsub("%%%*", ".*"):gsub("%%%?", ".") .. "$"
    return function(name) return name:find(pattern) ~= nil end
  end
  local whole = "=" .. glob:gsub("/", "\1")
  orcs.glob_match(whole, "")
  return function(name) return orcs.glob_match(whole, "=" .. name:gsub("/", "\1")) end
end

return options
