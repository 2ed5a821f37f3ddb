-- Runs once in every new state, before the script: narrows the globals to the allow-list, replaces the
-- library functions that must know about context views, and builds the table `orcs`.
-- Arguments: the host's functions, the allow-list, the driver's registry slot setter.
local host, allowed = ...

-- States are small, and hooks leave little behind: to collect less often costs less than it holds. Not much
-- less often: a thousand components would hold ten times what they need.
collectgarbage("setpause", 400)

local error, rawequal, select, type, xpcall = error, rawequal, select, type, xpcall
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

-- Views keep only what the script wrote, so the functions that go past metamethods must ask the host.
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

-- Each coroutine counts its own instructions from nought, so many short ones would never be looked at:
-- making one looks at the clock.
function coroutine.create(f)
  host.look()
  return create(f)
end

function coroutine.wrap(f)
  host.look()
  return wrap(f)
end

-- A handler runs in a coroutine of the host's. A script that held it could resume it while it waits.
local outermost = create(function() end)
coroutine.resume(outermost)

function coroutine.running()
  if host.is_outermost() then return outermost, true end
  return running()
end

-- To a script it is the main thread, which cannot yield.
function coroutine.yield(...)
  if host.is_outermost() then error("attempt to yield from outside a coroutine", 0) end
  return yield(...)
end

function coroutine.isyieldable(...)
  if select("#", ...) == 0 and host.is_outermost() or rawequal((...), outermost) then return false end
  return isyieldable(...)
end

-- The `require` of those who have the globals `env`: modules see the same ones.
local function requiring(env)
  local loaded, loading = {}, {}
  return function(name)
    if type(name) ~= "string" then error("require: the name must be a string", 2) end
    if loaded[name] ~= nil then return loaded[name] end
    if loading[name] then error("require: '" .. name .. "' requires itself", 2) end
    local chunk = host.load_module(name, env)
    loading[name] = true
    -- Not by pcall: an error keeps the calls that led to it.
    local _ <close> = native.setmetatable({}, { __close = function() loading[name] = nil end })
    local value = chunk(name)
    if value == nil then value = true end
    loaded[name] = value
    return value
  end
end

local orcs = {
  hook = host.hook,
  unhook = host.unhook,
  get = host.get,
  log = host.log,
  inspect = host.inspect,
  emit_output = host.emit_output,
  json_encode = host.json_encode,
  json_decode = host.json_decode,
  uuid = host.uuid,
  now_ms = host.now_ms,
  sleep = host.sleep,
  starts_with = host.starts_with,
  glob_match = host.glob_match,
  redact = host.redact,
  shell = host.shell,
  runs = host.runs,
  real_path = host.real_path,
  null = host.null,
}
local orcs_state = {
  get = host.state_get,
  set = host.state_set,
  delete = host.state_delete,
  incr = host.state_incr,
}

for _, names in native.ipairs({ host.tools, host.verbs }) do
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
  -- By length: a null in a list of the context reads as nil and is not its end.
  for i = 1, #where do
    if rawequal(where[i], what) then return true end
  end
  return false
end

-- The short forms of answers (design.md §4).
function orcs.deny(reason) return { action = "abort", reason = reason } end
function orcs.allow(reason) return { action = "continue", decision = "allow", reason = reason } end
function orcs.ask(reason) return { action = "continue", decision = "ask", reason = reason } end
function orcs.inject(text) return { action = "continue", inject = text } end
function orcs.retry(ms) return { action = "retry", delay_ms = ms } end
function orcs.skip(result)
  if result == nil then result = host.null end
  return { action = "skip", result = result }
end
function orcs.replace(result)
  if result == nil then result = host.null end
  return { action = "replace", result = result }
end

local function narrow(t, names)
  local keep = {}
  for _, name in native.ipairs(names) do keep[name] = true end
  for name in pairs(t) do
    if not keep[name] then t[name] = nil end
  end
end

-- A table that cannot be written to, and what it holds: the host's `rawset`, `rawget` and `next` know it, too.
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

-- What a script can change is its own: `options` is copied.
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

-- Globals of an inline handler's own. The inline handlers of a configuration share a state, and what one of them
-- does to `string.find`, `pairs` or a module must not be what another decides with.
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

-- Runs handlers one after the other in one entry: `step` reports on the last one and gives the next.
local step, traced = host.step, host.traced
local function drive(handler, ctx)
  while handler do
    handler, ctx = step(xpcall(handler, traced, ctx))
  end
end

return environment, drive
