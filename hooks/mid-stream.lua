-- mid-stream: adds messages to a conversation in progress. A notification that arrives while an
-- agent works reaches the model with the result of its next tool call.
--
--   [[hooks]]
--   script = "orcs:mid-stream"
--   options = { kind = "inject", strategy = "tool_result" }
--
-- The program (or a component) dispatches agent.on_notification with { message, kind = "inject",
-- session_id, agent_id }; the message waits for a tool call of the same session and agent. At most
-- `most` (100) messages wait for each of them; the oldest are dropped first.

local options = require("policy.options").read("mid-stream", {
  kind = { kind = "text", default = "inject" },
  strategy = { of = { "tool_result", "user_message" } },
  most = { kind = "number", least = 1, default = 100 },
})

local function box(payload)
  return "mid-stream:" .. (payload.session_id or "") .. ":" .. (payload.agent_id or "")
end

return {
  {
    id = "mid-stream-queue",
    point = "agent.on_notification",
    handler = function(ctx)
      local message = ctx.payload.message
      if ctx.payload.kind ~= options.kind or type(message) ~= "string" then return end
      local key = box(ctx.payload)
      local waiting = orcs.state.get(key) or {}
      waiting[#waiting + 1] = message
      if #waiting > options.most then table.remove(waiting, 1) end
      orcs.state.set(key, waiting)
    end,
    tests = {
      {
        "keeps the newest",
        options = { most = 2 },
        state = { ["mid-stream:s:a"] = { "1", "2" } },
        event = { message = "3", kind = "inject", session_id = "s", agent_id = "a" },
        expect = { action = "continue" },
        state_after = { ["mid-stream:s:a"] = { "2", "3" } },
      },
      {
        "leaves notifications of other kinds alone",
        event = { message = "done", kind = "info" },
        expect = { action = "continue" },
        state_after = { ["mid-stream::"] = orcs.null },
      },
    },
  },
  {
    id = "mid-stream-inject",
    point = "tool.post_execute",
    priority = 900, -- after hooks that may change the result
    handler = function(ctx)
      local key = box(ctx.payload)
      local waiting = orcs.state.get(key)
      if not waiting then return end
      orcs.state.delete(key)
      local inject = {}
      for i, message in ipairs(waiting) do
        inject[i] = { content = message, strategy = options.strategy }
      end
      return { inject = inject }
    end,
    tests = {
      {
        "brings what was said to the next call, in order, once",
        events = {
          { tool = "read", result = "r", expect = { action = "continue", inject = {} } },
          { point = "agent.on_notification", message = "one", kind = "inject", expect = { action = "continue" } },
          { point = "agent.on_notification", message = "two", kind = "inject", expect = { action = "continue" } },
          {
            tool = "read",
            result = "r",
            expect = {
              inject = {
                { content = "one", strategy = "tool_result" },
                { content = "two", strategy = "tool_result" },
              },
            },
          },
          { tool = "read", result = "r", expect = { inject = {} } },
        },
        state_after = { ["mid-stream::"] = orcs.null },
      },
      {
        "keeps sessions apart",
        state = { ["mid-stream:s-1:"] = { "for one" } },
        events = {
          { tool = "read", result = "r", session_id = "s-2", expect = { inject = {} } },
          { tool = "read", result = "r", session_id = "s-1", expect = { inject = "for one" } },
        },
      },
    },
  },
}
