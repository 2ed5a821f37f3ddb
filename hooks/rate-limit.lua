-- rate-limit: denies what a component does more often than allowed within a time window.
--
-- Options:
--   max         calls in one window; default 100
--   window_ms   length of a window in milliseconds; default 60000
--
--   [[hooks]]
--   script = "orcs:rate-limit"
--   match = { tool = "exec" }
--   point = "tool.pre_execute"
--   options = { max = 10 }
--
-- Calls are counted per component and operation (or tool) in orcs.state, so counts survive a
-- reload. Processes that keep their state in the same file (orcs hook, serve, mcp) share the
-- counts, and so do machines with the same [state] url; others count separately. While such a
-- state cannot be reached, each machine counts by itself; the sum is right again afterwards.

local options = require("policy.options").read("rate-limit", {
  max = { kind = "number", least = 1, default = 100 },
  window_ms = { kind = "number", least = 1, default = 60000 },
})

local limited = { action = "abort", reason = "rate limit exceeded: host::main:chat" }

-- For tests: a request, and what becomes of it.
local function chat(id, expect, now_ms)
  return { id = id, operation = "chat", now_ms = now_ms, expect = expect or { action = "continue" } }
end

return {
  id = "rate-limiter",
  fql = "*::*",
  point = "request.pre_dispatch",
  priority = 20,
  on_store_error = "local",
  handler = function(ctx)
    local what = ctx.payload.operation or ctx.payload.tool_name
    local key = ctx.component_id .. ":" .. tostring(what)
    local count = orcs.state.incr("rate-limit:" .. key, 1, options.window_ms)
    if count > options.max then
      return { action = "abort", reason = "rate limit exceeded: " .. key }
    end
    return ctx
  end,
  tests = {
    {
      "refuses what is too often, until the window has passed",
      options = { max = 2, window_ms = 1000 },
      events = { chat("r-1"), chat("r-2", nil, 500), chat("r-3", limited, 999), chat("r-4", nil, 1000) },
    },
    {
      "counts each component and each operation by itself",
      options = { max = 1 },
      events = {
        chat("r-1"),
        { id = "r-2", operation = "search", expect = { action = "continue" } },
        { id = "r-3", operation = "chat", component = "lua::other", expect = { action = "continue" } },
        chat("r-4", limited),
      },
    },
    {
      "allows a hundred in a minute by default",
      state = { ["rate-limit:host::main:chat"] = 99 },
      events = { chat("r-100"), chat("r-101", limited) },
      state_after = { ["rate-limit:host::main:chat"] = 101 },
    },
    {
      "counts again after exactly a minute by default",
      options = { max = 1 },
      events = { chat("r-1"), chat("r-2", limited, 59999), chat("r-3", nil, 60000) },
    },
  },
}
