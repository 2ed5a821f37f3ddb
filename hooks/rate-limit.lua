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

local max = orcs.options.max or 100
local window_ms = orcs.options.window_ms or 60000

return {
  id = "rate-limiter",
  fql = "*::*",
  point = "request.pre_dispatch",
  priority = 20,
  on_store_error = "local",
  handler = function(ctx)
    local what = ctx.payload.operation or ctx.payload.tool_name
    local key = ctx.component_id .. ":" .. tostring(what)
    local count = orcs.state.incr("rate-limit:" .. key, 1, window_ms)
    if count > max then
      return { action = "abort", reason = "rate limit exceeded: " .. key }
    end
    return ctx
  end,
  tests = {
    {
      "refuses what is too often, until the window has passed",
      options = { max = 2, window_ms = 1000 },
      events = {
        { id = "r-1", operation = "chat", expect = { action = "continue" } },
        { id = "r-2", operation = "chat", now_ms = 500, expect = { action = "continue" } },
        {
          id = "r-3",
          operation = "chat",
          now_ms = 999,
          expect = { action = "abort", reason = "rate limit exceeded: host::main:chat" },
        },
        { id = "r-4", operation = "chat", now_ms = 1000, expect = { action = "continue" } },
      },
    },
    {
      "counts each component and each operation by itself",
      options = { max = 1 },
      events = {
        { id = "r-1", operation = "chat", expect = { action = "continue" } },
        { id = "r-2", operation = "search", expect = { action = "continue" } },
        { id = "r-3", operation = "chat", component = "lua::other", expect = { action = "continue" } },
        { id = "r-4", operation = "chat", expect = { action = "abort" } },
      },
    },
    {
      "allows a hundred in a minute by default",
      state = { ["rate-limit:host::main:chat"] = 99 },
      events = {
        { id = "r-100", operation = "chat", expect = { action = "continue" } },
        { id = "r-101", operation = "chat", expect = { action = "abort" } },
      },
      state_after = { ["rate-limit:host::main:chat"] = 101 },
    },
    {
      "counts again after exactly a minute by default",
      options = { max = 1 },
      events = {
        { id = "r-1", operation = "chat", expect = { action = "continue" } },
        { id = "r-2", operation = "chat", now_ms = 59999, expect = { action = "abort" } },
        { id = "r-3", operation = "chat", now_ms = 60000, expect = { action = "continue" } },
      },
    },
  },
}
