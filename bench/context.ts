/** The standard payload of the measurements: a command with its surroundings. */
export const PAYLOAD = {
  tool_name: "exec",
  tool: "exec",
  args: {
    command: "git status --short",
    cwd: "/work/project",
    timeout_ms: 30_000,
    env: { A: "1", B: "2" },
  },
  capabilities: 127,
};

/** The same as a whole context, for engines that take one. */
export const CONTEXT = {
  hook_point: "tool.pre_execute",
  component_id: "host::main",
  channel_id: "main",
  principal: { type: "Host", id: "main" },
  timestamp_ms: 123_456,
  payload: PAYLOAD,
  metadata: {},
  depth: 0,
  max_depth: 4,
};

/** A payload of about 1 MB: one long string and a thousand objects. */
export const LARGE_PAYLOAD = {
  ...PAYLOAD,
  messages: [
    { role: "user", content: "x".repeat(900_000) },
    ...Array.from({ length: 1000 }, (_, i) => ({ role: "user", content: `message ${i}`, n: i })),
  ],
};

/** Reads three nested fields and returns the context. */
export const READ_THREE = `function(ctx)
  local a, b, c = ctx.payload.tool, ctx.payload.args.command, ctx.payload.args.env.A
  return ctx
end`;

/** Reads the same three fields, and has nothing to say. */
export const VERDICT_OF_THREE = `function(ctx)
  local a, b, c = ctx.payload.tool, ctx.payload.args.command, ctx.payload.args.env.A
end`;

/** Reads the same three fields, and writes one. */
export const WRITE_ONE = `function(ctx)
  local a, b, c = ctx.payload.tool, ctx.payload.args.command, ctx.payload.args.env.A
  ctx.payload.args.timeout_ms = 5
  return ctx
end`;
