-- audit: logs one line for every request and every tool call, and changes nothing.
--
-- Add it to orcs.toml; without `point` or `match` in the entry, it uses the points below:
--   [[hooks]]
--   script = "orcs:audit"
--
-- The line is JSON: timestamp, component, operation (or tool), principal. Arguments are not logged,
-- because they may contain secrets.

local function write(operation)
  return function(ctx)
    local entry = {
      timestamp = ctx.timestamp_ms,
      component = ctx.component_id,
      operation = ctx.payload[operation],
      principal = ctx.principal,
    }
    orcs.log("info", "[AUDIT] " .. orcs.json_encode(entry))
    return ctx
  end
end

return {
  {
    id = "audit-requests",
    fql = "*::*",
    point = "request.pre_dispatch",
    priority = 10, -- before hooks that may deny the operation
    handler = write("operation"),
    tests = {
      {
        "writes a line for a request, and changes nothing",
        now_ms = 1500,
        event = {
          component = "lua::custom",
          payload = { id = "r-1", operation = "chat", payload = { text = "a secret" } },
        },
        expect = {
          action = "continue",
          payload = { operation = "chat", payload = { text = "a secret" } },
          logs = { { matches = '%[AUDIT%].*"component":"lua::custom".*"operation":"chat".*"timestamp":1500' } },
        },
      },
    },
  },
  {
    id = "audit-tools",
    fql = "*::*",
    point = "tool.pre_execute",
    priority = 10,
    handler = write("tool_name"),
    tests = {
      {
        "names the tool and its caller, not its arguments",
        event = { tool = "exec", args = { command = "echo secret" } },
        expect = {
          action = "continue",
          logs = { { matches = '^info: %[AUDIT%] {"component":"host::main","operation":"exec","principal":{.*"id":"main".*},"timestamp":0}$' } },
        },
      },
    },
  },
}
