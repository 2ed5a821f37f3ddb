-- narrow-caps: removes capabilities from the children that a component spawns.
--
-- Options:
--   remove   bits to remove; default 8 (EXECUTE)
--
--   [[hooks]]
--   script = "orcs:narrow-caps"
--   options = { remove = 72 } # EXECUTE and HTTP
--
-- It can only remove capabilities: a child never has more than its parent.

local remove = require("policy.options").read("narrow-caps", {
  remove = { kind = "number", least = 0, default = 8 },
}).remove

return {
  id = "narrow-child-capabilities",
  fql = "builtin::llm",
  point = "child.pre_spawn",
  priority = 100,
  handler = function(ctx)
    local caps = ctx.payload.capabilities
    if caps then
      ctx.payload.capabilities = caps & ~remove
    end
    return { action = "continue", ctx = ctx }
  end,
  tests = {
    {
      "takes EXECUTE away",
      event = { component = "builtin::llm", capabilities = 127 },
      expect = { action = "continue", payload = { capabilities = 119 } },
    },
    {
      "takes away what the options say, and adds nothing",
      options = { remove = 72 },
      event = { component = "builtin::llm", capabilities = 65 },
      expect = { action = "continue", payload = { capabilities = 1 } },
    },
    {
      "leaves a child alone whose capabilities nobody states",
      event = { component = "builtin::llm", parent_id = "builtin::llm" },
      expect = { action = "continue", payload = { capabilities = orcs.null } },
    },
    {
      "is for the children of builtin::llm alone",
      event = { component = "lua::custom", capabilities = 127 },
      expect = { action = "continue", payload = { capabilities = 127 } },
    },
  },
}
