-- Reads the options of policies when they are loaded: a misspelt option must not silently weaken a guard.

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

-- Whether a value is a list of texts that all hold.
local function is_list(value, holds)
  for key, text in pairs(type(value) == "table" and value or {}) do
    if type(key) ~= "number" or type(text) ~= "string" or not holds(text) then return false end
  end
  return type(value) == "table"
end

local function is_glob(text)
  return text ~= "" and not text:find("\0", 1, true) and text:sub(1, 1) ~= "!" and pcall(orcs.glob_match, text, "x")
end

local function is_folder(text) return text ~= "" and not text:find("[*?\0]") end

local function is_name_test(text) return (pcall(options.name_test, text)) end

local function is_count(value, least)
  return value == false or type(value) == "number" and value >= least and value < 2 ^ 31 and value % 1 == 0
end

-- Kind → what is expected, and whether a value is that.
local KINDS = {
  boolean = { "true or false", function(value) return type(value) == "boolean" end },
  name = { "letters, digits, _, - and .", function(value) return type(value) == "string" and value:find("^[%w_.-]+$") end },
  globs = { "a list of globs", function(value) return is_list(value, is_glob) end },
  folders = { "a list of folders", function(value) return is_list(value, is_folder) end },
  tools = { "a list of names or globs", function(value) return is_list(value, is_name_test) end },
  count = { "a whole number from %d, or false", is_count },
  number = { "a whole number from %d", function(value, least) return value ~= false and is_count(value, least) end },
  texts = { "a list of texts", function(value) return is_list(value, function(text) return text ~= "" end) end },
  text = { "a text", function(value) return type(value) == "string" and value ~= "" end },
  minutes = {
    "a number above 0, at most 525600",
    function(value) return type(value) == "number" and value > 0 and value <= 525600 end,
  },
  any = { "", function() return true end },
}

--- Returns the options of a policy, with defaults for those that are not set.
--- spec: name → { of = the choices, the default first }, or { kind = one of KINDS }; `default`, and of a count `least`
--- given: the options, if they are not those of the hook; `where` they stand in them, for errors
function options.read(policy, spec, given, where)
  local must, read = options.expect_of(policy), {}
  given, where = given or orcs.options, where and where .. "." or ""
  for name, value in pairs(given) do
    must(spec[name], where .. name, value, "no option of that name; known options: " .. options.listed(spec))
  end
  for name, entry in pairs(spec) do
    local value, kind = given[name], KINDS[entry.kind]
    if value == nil then
      value = entry.default
      if value == nil and entry.of then value = entry.of[1] end
    elseif kind then
      must(kind[2](value, entry.least), where .. name, value, kind[1]:format(entry.least))
    else
      local choices = {}
      for _, choice in ipairs(entry.of) do choices[choice] = true end
      must(choices[value], where .. name, value, "one of " .. options.listed(choices))
    end
    read[name] = value
  end
  return read
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
