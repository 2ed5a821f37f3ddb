-- Runs as a program in the state of a test file: defines the functions of busted and `orcs.test`,
-- loads the file, and returns its tests and a function that runs one of them.
-- `orcs.options.module` is the name with which `require` finds the file.

local error, pcall, type, tostring, select = error, pcall, type, tostring, select
local get, module = orcs.get, orcs.options.module

-- Maximum length in bytes, and maximum depth, of a displayed value.
local MOST_SHOWN, DEEPEST = 4000, 8

-- Returns the position of a caller as Lua prefixes it to error messages. Level 1 is the caller of
-- the function that calls `where`.
local function where(level)
  return (select(2, pcall(error, "", level + 3)))
end

-- Values as text ----------------------------------------------------------------------------------

local function by_name(a, b)
  if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
  return tostring(a) < tostring(b)
end

local function show(value, indent, seen)
  if type(value) == "string" then return string.format("%q", value):gsub("\\\n", "\\n") .. "" end
  if type(value) ~= "table" then return tostring(value) end
  if seen[value] then return "{ … }" end
  if #indent >= 2 * DEEPEST then return "{ … }" end
  seen[value] = true
  local keys, inner, lines = {}, indent .. "  ", {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, by_name)
  for _, key in ipairs(keys) do
    local name = ""
    if type(key) == "string" and key:find("^[%a_][%w_]*$") then name = key .. " = "
    elseif type(key) ~= "number" then name = "[" .. show(key, inner, seen) .. "] = " end
    lines[#lines + 1] = inner .. name .. show(value[key], inner, seen) .. ","
    if #lines > 200 then
      lines[#lines + 1] = inner .. "…"
      break
    end
  end
  seen[value] = nil
  if #lines == 0 then return "{}" end
  return "{\n" .. table.concat(lines, "\n") .. "\n" .. indent .. "}"
end

local function shown(value)
  local text = show(value, "", {})
  if #text <= MOST_SHOWN then return text end
  -- Cut between characters.
  local cut = utf8.offset(text, 0, MOST_SHOWN) or MOST_SHOWN
  return text:sub(1, cut - 1) .. "…"
end

local function same(a, b, seen)
  if a == b or (a ~= a and b ~= b) then return true end
  if type(a) ~= "table" or type(b) ~= "table" then return false end
  if seen[a] == b then return true end
  seen[a] = b
  for key, value in pairs(a) do
    if not same(value, b[key], seen) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

-- Failures ----------------------------------------------------------------------------------------

local Failure = { __tostring = function(failure) return failure.message end }
local PENDING = {}

local function fail(fields, level)
  fields.message = where(level + 1) .. fields.message
  error(setmetatable(fields, Failure), 0)
end

-- Assertions --------------------------------------------------------------------------------------

-- Returns an error message without the position at its start.
local function bare(message)
  if type(message) ~= "string" then return message end
  return message:match("^[^\n]-:%d+: (.*)$") or message
end

local function raises(fn)
  if type(fn) ~= "function" then error("assert.has_error: expected a function", 3) end
  local ok, raised = pcall(fn)
  return not ok, raised
end

local function is_type(name)
  return function(value) return type(value) == name, "a " .. name, shown(value) end
end

-- Each assertion returns whether it holds, and the expected and the actual value as text.
local ASSERTIONS = {
  equal = function(expected, got) return expected == got, shown(expected), shown(got) end,
  same = function(expected, got) return same(expected, got, {}), shown(expected), shown(got) end,
  ["true"] = function(value) return value == true, "true", shown(value) end,
  ["false"] = function(value) return value == false, "false", shown(value) end,
  truthy = function(value) return not not value, "anything but nil and false", shown(value) end,
  falsy = function(value) return not value, "nil or false", shown(value) end,
  error = function(fn, expected)
    local raised, message = raises(fn)
    if not raised then return false, expected == nil and "an error" or shown(expected), "no error" end
    if expected == nil then return true, "an error", shown(message) end
    local met = same(expected, message, {}) or same(expected, bare(message), {})
    return met, shown(expected), shown(message)
  end,
  error_matches = function(fn, pattern)
    local raised, message = raises(fn)
    if not raised then return false, "an error like " .. shown(pattern), "no error" end
    local text = tostring(bare(message))
    return text:find(pattern) ~= nil, "an error like " .. shown(pattern), shown(text)
  end,
  matches = function(pattern, text)
    local found = type(text) == "string" and text:find(pattern) ~= nil
    return found, "a text like " .. shown(pattern), shown(text)
  end,
  near = function(expected, got, tolerance)
    local met = type(got) == "number" and math.abs(expected - got) <= tolerance
    return met, shown(expected) .. " ± " .. shown(tolerance), shown(got)
  end,
}
for _, name in ipairs({ "nil", "string", "number", "table", "function", "boolean" }) do
  ASSERTIONS[name] = is_type(name)
end
ASSERTIONS["nil"] = function(value) return value == nil, "nil", shown(value) end
ASSERTIONS.equals, ASSERTIONS.errors, ASSERTIONS.match = ASSERTIONS.equal, ASSERTIONS.error, ASSERTIONS.matches

local PASSED_OVER = { is = true, are = true, was = true, has = true, have = true, does = true }

local function assertion(name, negated)
  local check = ASSERTIONS[name]
  return function(...)
    local holds, expected, got = check(...)
    if not holds == negated then return ... end
    if negated then expected = "not " .. expected end
    fail({ message = "assert." .. (negated and "not_" or "") .. name .. " failed",
      expected = expected, got = got }, 1)
  end
end

-- Parses names such as `are_not.equal`, `is_not_nil` and `has_no.errors`: leading filler words are
-- skipped, `not` and `no` negate the assertion.
local words
local function word(key, negated)
  local rest = {}
  for part in key:gmatch("[^_]+") do
    if part == "not" or part == "no" then negated = not negated
    elseif #rest > 0 or not PASSED_OVER[part] then rest[#rest + 1] = part end
  end
  local name = table.concat(rest, "_")
  if name == "" then return words(negated) end
  if not ASSERTIONS[name] then error("assert." .. key .. " does not exist", 2) end
  return assertion(name, negated)
end

words = function(negated)
  return setmetatable({}, { __index = function(_, key) return word(tostring(key), negated) end })
end

assert = setmetatable({}, {
  __index = function(_, key) return word(tostring(key), false) end,
  __call = function(_, ...)
    local ok, message = ...
    if ok then return ... end
    if message == nil then message = "assertion failed!" end
    if type(message) ~= "string" then error(message, 0) end
    fail({ message = message }, 1)
  end,
})

-- Tests -------------------------------------------------------------------------------------------

local tests, fakes, running = orcs.array(), {}, false
local block = { name = "", before = {}, after = {} }

local function expect_outside(name)
  if running then error(name .. " must be called outside it()", 3) end
end

local function full_name(name)
  return block.name == "" and name or block.name .. " " .. name
end

local function expect_name(name, what)
  if type(name) ~= "string" then error(what .. ": expected a name", 3) end
end

function describe(name, fn)
  expect_outside("describe")
  expect_name(name, "describe")
  local outer = block
  block = { name = full_name(name), outer = outer, before = {}, after = {} }
  fn()
  block = outer
end

local function add(name, fn)
  local line = where(2):match(":(%d+): $")
  tests[#tests + 1] = { name = full_name(name), line = tonumber(line) or 1, fn = fn, block = block }
end

function it(name, fn)
  expect_outside("it")
  expect_name(name, "it")
  add(name, fn)
end

function pending(name)
  if running then error(setmetatable({ message = name, is = PENDING }, Failure), 0) end
  expect_name(name, "pending")
  add(name, nil)
end

function before_each(fn)
  expect_outside("before_each")
  block.before[#block.before + 1] = fn
end

function after_each(fn)
  expect_outside("after_each")
  block.after[#block.after + 1] = fn
end

-- orcs.test ---------------------------------------------------------------------------------------

-- Sends a request to the runner. Errors are raised at the caller of the function of `orcs.test`.
local function ask(kind, arg)
  local answer = get(kind, arg)
  if not answer.ok then error(answer.error, 3) end
  return answer
end

-- Handles a tool call of the hook under test with the function that the test defined, in the
-- coroutine of the test. Returns the reply for the runner, and the error, if any.
local function reply(call)
  local fake = fakes[call.tool]
  if not fake then
    local args = orcs.json_encode(call.args)
    local told = call.tool .. " was called with " .. args .. ": define it with orcs.test.tool"
    return { error = told }, told
  end
  local ok, answer = pcall(fake, call.args)
  if not ok then return { error = tostring(answer) }, answer end
  return { answer = answer }
end

local Loaded = {}
Loaded.__index = Loaded

function Loaded:dispatch(event)
  if not running then error("dispatch must be called inside it()", 2) end
  if type(self) ~= "table" or self.id == nil then error("dispatch: call it with a colon", 2) end
  local answer = ask("test.dispatch", { id = self.id, event = event })
  local raised
  while answer.call do
    local answered, why = reply(answer.call)
    raised = raised or why
    answer = ask("test.reply", answered)
  end
  -- A tool of the test that is missing or fails is an error of the test, even if the hook handled
  -- it.
  if type(raised) == "string" then error(raised, 2) end
  if raised ~= nil then error(raised, 0) end
  return answer.outcome
end

local test = {
  load = function(script, options)
    return setmetatable({ id = ask("test.load", { script = script, options = options }).id }, Loaded)
  end,
  tool = function(name, fn)
    if type(name) ~= "string" or type(fn) ~= "function" then
      error("orcs.test.tool: expected a name and a function", 2)
    end
    fakes[name] = fn
  end,
  advance = function(ms) ask("test.advance", { ms = ms }) end,
}
orcs = setmetatable({ test = test }, { __index = orcs })

require(module)

-- Running -----------------------------------------------------------------------------------------

local function each(of, key, call)
  if not of then return end
  if key == "before" then each(of.outer, key, call) end
  for _, fn in ipairs(of[key]) do call(fn) end
  if key == "after" then each(of.outer, key, call) end
end

local function result(ok, err)
  if ok then return { status = "passed" } end
  if type(err) == "table" and err.is == PENDING then
    return { status = "pending", message = err.message ~= nil and tostring(err.message) or nil }
  end
  if type(err) == "table" and rawget(err, "message") then
    return { status = "failed", message = tostring(err.message), expected = err.expected, got = err.got }
  end
  local text = type(err) == "string" and err or "an error was raised: " .. shown(err)
  return { status = "failed", message = text }
end

local function run(at)
  local test = tests[at]
  if not test.fn then return { status = "pending" } end
  running, fakes = true, {}
  local ok, err = pcall(function()
    each(test.block, "before", function(fn) fn() end)
    test.fn()
  end)
  each(test.block, "after", function(fn)
    local fine, why = pcall(fn)
    if ok and not fine then ok, err = false, why end
  end)
  running = false
  return result(ok, err)
end

local list = orcs.array()
for i, test in ipairs(tests) do list[i] = { name = test.name, line = test.line } end
return { run = run, tests = list }
