-- Runs once in every new state, before the script: reduces the globals to the allow-list, replaces
-- the library functions that must handle context views, and builds the table `orcs`.
-- Arguments: the table of engine functions, the allow-list. Returns `environment`, `drive` and `failed`.
local host, allowed = ...

-- Collect less often than by default: states are small and hooks leave little garbage, so the time
-- saved outweighs the memory. With a much higher pause, a thousand components would use ten times
-- the memory that they need.
collectgarbage("setpause", 400)

local error, pcall, rawequal, select, tostring, type, xpcall = error, pcall, rawequal, select, tostring, type, xpcall
local sub = string.sub
local native = {
  getmetatable = getmetatable,
  ipairs = ipairs,
  next = next,
  pairs = pairs,
  rawget = rawget,
  setmetatable = setmetatable,
}
local string_meta = getmetatable("")
local create, wrap, running = coroutine.create, coroutine.wrap, coroutine.running
local yield, isyieldable = coroutine.yield, coroutine.isyieldable

-- Views contain only what the script wrote, so functions that bypass metamethods call the engine.
next = host.next
rawget = host.rawget
rawset = host.rawset
rawlen = host.rawlen
print = host.print

function setmetatable(t, meta)
  if type(meta) == "table" and native.rawget(meta, "__gc") ~= nil then
    error("__gc is not available", 2)
  end
  return native.setmetatable(t, meta)
end

-- Each coroutine counts its instructions from 0, so many short ones would never trigger the count
-- hook. Creating a coroutine therefore checks the time.
function coroutine.create(f)
  host.look()
  return create(f)
end

function coroutine.wrap(f)
  host.look()
  return wrap(f)
end

-- Handlers run in a coroutine of the engine. A script with access to it could resume it while it
-- waits, so `coroutine.running` returns this one instead.
local outermost = create(function() end)
coroutine.resume(outermost)

function coroutine.running()
  if host.is_outermost() then return outermost, true end
  return running()
end

-- To scripts, the coroutine of the engine is the main thread, which cannot yield.
function coroutine.yield(...)
  if host.is_outermost() then error("attempt to yield from outside a coroutine", 0) end
  return yield(...)
end

function coroutine.isyieldable(...)
  if select("#", ...) == 0 and host.is_outermost() or rawequal((...), outermost) then return false end
  return isyieldable(...)
end

-- Creates a `require` for the globals `env`, which modules see as well (nil: the globals of the
-- state).
local function requiring(env)
  local loaded, loading = {}, {}
  return function(name)
    if type(name) ~= "string" then error("require: the name must be a string", 2) end
    if loaded[name] ~= nil then return loaded[name] end
    if loading[name] then error("require: '" .. name .. "' requires itself", 2) end
    local chunk = host.load_module(name, env)
    loading[name] = true
    -- Instead of pcall, so that an error keeps its traceback.
    local _ <close> = native.setmetatable({}, { __close = function() loading[name] = nil end })
    -- Only what stands in for another API evaluates texts: they are compiled as scripts are, for globals of their own.
    local value = chunk(name, name == "orcs.compat" and host.load_text or nil)
    if value == nil then value = true end
    loaded[name] = value
    return value
  end
end

local orcs = {
  effects = function(call)
    if type(call) ~= "table" then return host.effects(call) end
    return host.effects(call.payload or call)
  end,
  only_reads = function(unless)
    local test = host.only_reads(unless)
    return function(call) return host.reads_only(test, call.payload or call) end
  end,
  name_rules = function(rules)
    local at = host.name_rules(rules)
    local function asks(how)
      return function(_, path, files, whole) return host.name_rule(at, how, path, files, whole) end
    end
    return { match = asks "match", below = asks "below", matters = asks "matters" }
  end,
  tool_names = function(call)
    if type(call) ~= "table" then return host.tool_names(call) end
    local payload = call.payload or call
    local agent = payload.host
    return host.tool_names(payload.tool_name, type(agent) == "table" and agent.tool_name or nil, payload.args)
  end,
}
local same = {
  "hook", "unhook", "get", "exec_argv", "log", "inspect", "emit_output", "json_encode", "json_decode", "uuid", "now_ms",
  "is_enforced", "time", "date", "sleep", "starts_with", "glob_match", "redact", "shell", "snapshot", "undo_point",
  "shell_replace", "runs", "real_path", "transcript_usage", "null",
}
local orcs_state = {
  get = host.state_get,
  set = host.state_set,
  delete = host.state_delete,
  incr = host.state_incr,
  compare_and_set = host.state_compare_and_set,
}

for _, names in native.ipairs({ same, host.tools, host.verbs }) do
  for _, name in native.ipairs(names) do
    orcs[name] = host[name]
  end
end

host.array_meta.__metatable = false

function orcs.array(t)
  if t == nil then t = {} end
  if type(t) ~= "table" then error("orcs.array: expected a table", 2) end
  if native.getmetatable(t) == false then return t end
  return native.setmetatable(t, host.array_meta)
end

function orcs.contains(where, what)
  if type(where) ~= "table" then return host.contains(where, what) end
  -- By length: a null in a list of the context is read as nil, but does not end the list.
  for i = 1, #where do
    if rawequal(where[i], what) then return true end
  end
  return false
end

-- Short forms of results (docs/reference/actions.md). `made` notices a call that is a statement, which decides nothing.
local made = host.made
local function short(name, make)
  orcs[name] = function(value)
    made(name)
    return make(value)
  end
end
local function with_result(action)
  return function(result)
    if result == nil then result = host.null end
    return { action = action, result = result }
  end
end
short("deny", function(reason) return { action = "abort", reason = reason } end)
short("allow", function(reason) return { action = "continue", decision = "allow", reason = reason } end)
short("ask", function(reason) return { action = "continue", decision = "ask", reason = reason } end)
short("inject", function(text) return { action = "continue", inject = text } end)
short("retry", function(ms) return { action = "retry", delay_ms = ms } end)
short("skip", with_result("skip"))
short("replace", with_result("replace"))

local function narrow(t, names)
  local keep = {}
  for _, name in native.ipairs(names) do keep[name] = true end
  for name in pairs(t) do
    if not keep[name] then t[name] = nil end
  end
end

-- Creates a read-only table. It is registered in `host.read_only`, so that the engine's `rawset`,
-- `rawget` and `next` handle it as well.
local function read_only(name, contents)
  local function copy()
    local copied = {}
    for key, value in native.next, contents do copied[key] = value end
    return copied
  end
  local table = native.setmetatable({}, {
    __index = contents,
    __newindex = function(_, key)
      local shown = type(key) == "string" and name .. "." .. key or name
      error(shown .. " cannot be set: " .. name .. " is read-only", 2)
    end,
    __pairs = function() return native.next, copy(), nil end,
    __metatable = false,
  })
  host.read_only[table] = contents
  return table
end

local function copied(value)
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, item in native.next, value do copy[key] = copied(item) end
  return native.setmetatable(copy, native.getmetatable(value) == false and host.array_meta or nil)
end

-- Scripts can change `options`, so each `orcs` gets a copy.
local function own_orcs()
  local contents = copied(orcs)
  contents.state = read_only("orcs.state", orcs_state)
  contents.options = copied(host.options)
  return read_only("orcs", contents)
end

local globals = _G
globals.require = requiring(nil)
globals.orcs = own_orcs()
for library, names in pairs(allowed) do
  if library ~= "base" then narrow(globals[library], names) end
end
local base = allowed.base
for library in pairs(allowed) do
  if library ~= "base" then base[#base + 1] = library end
end
base[#base + 1] = "orcs"
narrow(globals, base)

string_meta.__metatable = false

-- Creates the globals of one inline handler. The inline handlers of a configuration share a state,
-- but if one changes `string.find`, `pairs` or a module, the others must not be affected.
local function environment()
  local env = {}
  for name, value in native.next, globals do env[name] = value end
  for library in native.pairs(allowed) do
    if library ~= "base" then env[library] = copied(globals[library]) end
  end
  env._G = env
  env.require = requiring(env)
  env.orcs = own_orcs()
  return env
end

-- Makes a text of an error value with `__tostring`, within the limits of what failed; `traced` keeps the active calls,
-- and puts the line before the text.
local traced = host.traced
local function failed(value)
  if type(value) ~= "table" then return traced(value) end
  local ok, text = pcall(tostring, value)
  if not ok then return traced(value, "error value of type table") end
  if sub(text, 1, 7) == "table: " then return traced(value) end
  return traced(value, text)
end

-- Runs several handlers in one call from the engine: `step` takes the result of a handler and
-- returns the next handler.
local step = host.step
local function drive(handler, ctx)
  while handler do
    handler, ctx = step(xpcall(handler, failed, ctx))
  end
end

return environment, drive, failed
