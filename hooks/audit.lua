-- audit: writes one log line for every request and every tool call, and changes nothing.
--
-- Say where it stands in orcs.toml, or take what it says itself:
--   [[hooks]]
--   script = "orcs:audit"
--
-- The line is JSON: timestamp, component, operation (or tool), principal. Arguments are not written,
-- since they may hold secrets.

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
    priority = 10, -- before anything may refuse it
    handler = write("operation"),
  },
  {
    id = "audit-tools",
    fql = "*::*",
    point = "tool.pre_execute",
    priority = 10,
    handler = write("tool_name"),
  },
}
