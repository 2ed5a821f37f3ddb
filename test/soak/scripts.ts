/** The script of a child: what it is given says what it does. */
const CHILD = `return function(input)
  if type(input) ~= "table" or not input.n then return { by = "hook" } end
  orcs.emit_output("served " .. input.n .. " lua-child")
  if input.todo == "wait" then orcs.sleep(input.ms or 1) end
  if input.todo == "fail" then error("a child failed") end
  if input.todo == "loop" then while true do end end
  if input.todo == "spawn" then
    orcs.spawn_child({ id = "grandchild", code = "return function(i) return i end" })
    orcs.send_to_child("grandchild", input)
  end
  return { n = input.n }
end`;

/** A component in Lua that can do all the work there is. */
export const COMPONENT = `
local name = orcs.options.name
local count, hooks = 0, 0
local CHILD = [==[${CHILD}]==]

local function expect(n, answered)
  if not answered.ok then
    if not answered.code then orcs.emit_output("fault " .. n .. ": " .. tostring(answered.error)) end
    return
  end
  local found = answered.response or answered.result
  if type(found) == "table" and (found.by or found.n == n) then return end
  orcs.emit_output("fault " .. n .. " was answered with " .. orcs.json_encode(found))
end

local todo = {}
function todo.wait(w) orcs.sleep(w.ms) end
function todo.ask(w)
  local n = w.n .. ".ask-" .. name
  expect(n, orcs.request(w.target, "echo", { n = n, ms = 1 }, { timeout_ms = 5 + w.ms }))
end
function todo.emit(w) orcs.emit_event("Tick", "echo", { n = w.n .. ".event-" .. name }) end
function todo.tool(w) orcs.get("soak_tool", { n = w.n }) end
function todo.fail() error("a component failed") end
function todo.hang() orcs.sleep(60000) end
function todo.loop() while true do end end
function todo.rubbish(w) return function() end end
function todo.spawn(w)
  orcs.spawn_child({ id = w.child, code = CHILD, capabilities = { "READ", "SPAWN" }, timeout_ms = 20 + w.ms })
end
function todo.run(w)
  local n = w.n .. ".run-" .. name
  if w.ms % 2 == 0 then todo.spawn(w) end
  local kinds = { "echo", "wait", "fail", "spawn", "loop", "echo", "echo" }
  expect(n, orcs.send_to_child(w.child, { n = n, ms = w.ms, todo = kinds[w.ms % #kinds + 1] }))
end
function todo.send(w) orcs.send_to_child(w.child, { n = w.n .. ".send-" .. name, todo = "wait" }, { wait = false }) end
function todo.stop_child(w) orcs.stop_child(w.child) end
function todo.signal(w) orcs.send_signal(w.target, w.signal, { reason = "soak" }) end
function todo.hook(w)
  if hooks > 3 then return end
  hooks = hooks + 1
  orcs.hook({ id = name .. "-own-" .. hooks, point = "request.post_dispatch", priority = 500,
    handler = function(ctx) ctx.metadata.seen = name end })
end
function todo.command() orcs.check_command("git status") end
function todo.grant() orcs.grant_command("git status", { kind = "one_time" }) end

return {
  id = "soak",
  subscriptions = { "Tick", orcs.options.also },
  restore = function(s)
    if type(s) == "table" and not s.by and s.name ~= name then
      orcs.emit_output("fault " .. name .. " was given the snapshot of " .. tostring(s.name))
    end
  end,
  init = function() if orcs.options.fails == "init" then error("init failed") end return { up = name } end,
  on_request = function(request)
    local w = request.payload
    count = count + 1
    if type(w) ~= "table" or not w.n then return { by = "hook" } end
    orcs.emit_output("served " .. w.n .. " " .. name)
    local other = todo[request.operation] and todo[request.operation](w)
    if other then return other end
    return { n = w.n }
  end,
  on_signal = function(signal)
    if orcs.options.fails == "signal" then error("on_signal failed") end
    return signal.kind == "approve" and "ignored" or "handled"
  end,
  shutdown = function() if orcs.options.fails == "shutdown" then error("shutdown failed") end end,
  snapshot = function()
    if orcs.options.fails == "snapshot" then return { f = function() end } end
    return { name = name, count = count }
  end,
}
`;

/** Handlers of a configuration, most of which act now and then only. */
export const HANDLERS: readonly {
  readonly phase: "pre" | "post" | "any";
  readonly code: string;
}[] = [
  { phase: "any", code: "function(ctx) return ctx end" },
  { phase: "any", code: "function(ctx) local a = ctx.payload.component_id return nil end" },
  { phase: "any", code: "function(ctx) ctx.metadata.lua = true return ctx end" },
  { phase: "any", code: every(7, "orcs.sleep(2)") },
  { phase: "any", code: every(9, 'error("a hook failed")') },
  { phase: "any", code: every(60, "while true do end") },
  { phase: "any", code: every(11, 'orcs.get("soak_tool", { n = "hook" })') },
  {
    phase: "any",
    code: every(13, 'if ctx.depth == 0 then orcs.emit_event("Tick", "echo", { hook = true }) end'),
  },
  {
    phase: "any",
    code: every(
      17,
      'if ctx.depth == 0 then orcs.request("builtin::ts0", "echo", { n = "q" .. orcs.uuid() }, { timeout_ms = 5 }) end',
    ),
  },
  { phase: "pre", code: every(19, 'return { action = "skip", result = { by = "hook" } }') },
  { phase: "pre", code: every(19, 'return orcs.deny("by a hook")') },
  { phase: "post", code: every(13, 'return { action = "replace", result = { by = "hook" } }') },
];

function every(count: number, code: string): string {
  return `function(ctx) if orcs.state.incr("every-${count}") % ${count} == 0 then ${code} end end`;
}
