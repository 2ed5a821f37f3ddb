import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { folder, Lines, open } from "../unit/engine/orcs/engine.ts";

/**
 * The examples of ADR-002 as they are written there, each in a test named after its section. Rust and
 * the pseudo code of §7.3 are ported; Lua and TOML are untouched. §6.1 and §11.2 run in docs/how-to/coming-from/adr-002.md.
 */

/** §7.3, the request that most examples are about. */
const REQUEST = {
  id: "req-001",
  category: "UserInput",
  operation: "chat",
  source: "builtin::cli",
  target: "builtin::llm",
  payload: { message: "Hello" },
  timeout_ms: 30000,
};
const LLM = { component: "builtin::llm", channel: "550e8400-e29b-41d4-a716-446655440000" };

/** An engine with an `orcs.toml` and its scripts; what they log and give out is kept. */
async function load(toml: string, files: Record<string, string> = {}) {
  const logger = new Lines();
  const output: string[] = [];
  const orcs = await open({
    cwd: folder({ "orcs.toml": toml, ...files }),
    config: "orcs.toml",
    logger,
    output: (text) => void output.push(text),
  });
  return { orcs, logger, output };
}

/** An engine with one script. */
function withScript(code: string, entry = "") {
  return load(`[[hooks]]\nscript = "example.lua"\n${entry}`, { "hooks/example.lua": code });
}

function request(orcs: Orcs, change: object = {}, options: object = LLM) {
  return orcs.dispatch("request.pre_dispatch", { ...REQUEST, ...change }, options);
}

const AUDIT = `-- hooks/audit.lua
return {
    id = "audit-trail",
    fql = "*::*",
    point = "request.pre_dispatch",
    priority = 10,  -- 最初に実行

    handler = function(ctx)
        local entry = {
            timestamp = ctx.timestamp_ms,
            component = ctx.component_id,
            operation = ctx.payload.operation,
            principal = ctx.principal,
        }
        orcs.log("info", "[AUDIT] " .. orcs.json_encode(entry))
        return ctx  -- pass-through
    end,
}
`;

const RATE_LIMIT = `-- hooks/rate-limit.lua
local request_counts = {}
local WINDOW_MS = 60000  -- 1分
local MAX_REQUESTS = 100

return {
    id = "rate-limiter",
    fql = "*::*",
    point = "request.pre_dispatch",
    priority = 20,

    handler = function(ctx)
        local key = ctx.component_id .. ":" .. ctx.payload.operation
        local now = ctx.timestamp_ms
        local entry = request_counts[key] or { count = 0, window_start = now }

        if now - entry.window_start > WINDOW_MS then
            entry = { count = 0, window_start = now }
        end

        entry.count = entry.count + 1
        request_counts[key] = entry

        if entry.count > MAX_REQUESTS then
            return { action = "abort", reason = "rate limit exceeded: " .. key }
        end

        return ctx
    end,
}
`;

describe("§7.1 registration", () => {
  const brief = `-- 簡潔な形式
orcs.hook("builtin::llm:request.pre_dispatch", function(ctx)
    orcs.log("info", "LLM request: " .. ctx.payload.operation)
    return ctx  -- continue
end)
`;
  const detailed = `-- 詳細な形式
orcs.hook({
    id = "my-audit-hook",
    fql = "builtin::*",
    point = "request.pre_dispatch",
    priority = 50,
    handler = function(ctx)
        -- ctx.payload は request オブジェクト
        -- ctx.component_id, ctx.channel_id, ctx.principal 等が参照可能
        if ctx.payload.operation == "dangerous_op" then
            return { action = "abort", reason = "blocked by policy" }
        end

        -- payload を変更して continue
        ctx.metadata.audit_id = orcs.uuid()
        return { action = "continue", ctx = ctx }
    end,
})
`;

  test("the brief form", async () => {
    const { orcs, logger } = await withScript(brief);
    expect(orcs.registry.list()).toMatchObject([
      { fql: "builtin::llm", point: { name: "request.pre_dispatch" }, priority: 100 },
    ]);
    const outcome = await request(orcs);
    expect(outcome).toMatchObject({ action: "continue", ctx: { payload: REQUEST, metadata: {} } });
    await request(orcs, {}, { component: "builtin::hil" });
    expect(logger.lines).toEqual(["info: LLM request: chat"]);
  });

  test("the detailed form", async () => {
    const { orcs } = await withScript(detailed);
    expect(orcs.registry.get("my-audit-hook")).toMatchObject({ fql: "builtin::*", priority: 50 });
    const outcome = await request(orcs);
    expect(outcome.action).toBe("continue");
    expect(outcome.ctx.metadata["audit_id"]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await request(orcs, { operation: "dangerous_op" })).toMatchObject({
      action: "abort",
      reason: "blocked by policy",
      hook: "my-audit-hook",
    });
  });
});

test("§7.3 the context is a Lua table", async () => {
  const { orcs, output } = await withScript(`
    orcs.hook("*::*:request.pre_dispatch", function(ctx)
      orcs.emit_output(orcs.json_encode(ctx))
      assert(type(ctx) == "table" and type(ctx.payload.payload) == "table")
      assert(math.type(ctx.timestamp_ms) == "integer" and math.type(ctx.payload.timeout_ms) == "integer")
      assert(next(ctx.metadata) == nil)
    end)
  `);
  const principal = { type: "User", id: "u-1" };
  expect((await request(orcs, {}, { ...LLM, principal })).action).toBe("continue");
  expect(JSON.parse(output[0] ?? "")).toEqual({
    hook_point: "request.pre_dispatch",
    component_id: LLM.component,
    channel_id: LLM.channel,
    principal,
    timestamp_ms: expect.any(Number),
    payload: REQUEST,
    metadata: {},
    depth: 0,
    max_depth: 4,
  });
});

describe("§10 orcs.get and the context of its caller", () => {
  /** Hooks that write down what they are given. */
  const WATCH = `
    local function watch(ctx)
      orcs.emit_output(orcs.json_encode({ ctx.hook_point, ctx.component_id, ctx.channel_id, ctx.principal, ctx.depth, ctx.payload, ctx.metadata }))
      ctx.metadata.from_pre = true
    end
    orcs.hook("*::*:tool.pre_execute", watch)
    orcs.hook("*::*:tool.post_execute", watch)
  `;

  async function watched(files: Record<string, string>) {
    const output: string[] = [];
    const orcs = await open({
      cwd: folder({
        "orcs.toml": '[[hooks]]\nscript = "watch.lua"\n',
        "hooks/watch.lua": WATCH,
        ...files,
      }),
      config: "orcs.toml",
      output: (text) => void output.push(text),
    });
    return { orcs, seen: () => output.splice(0).map((text) => JSON.parse(text) as Json[]) };
  }

  test("§10.1 metadata is passed along; pre hooks, the tool, post hooks, the result", async () => {
    const { orcs, seen } = await watched({
      "caller.lua": `
local result = orcs.get("exec", "ls -la", {
    -- hook_context は自動注入されるが、明示的にメタデータを渡すことも可能
    metadata = { audit_trail = true },
})
return result
`,
    });
    const options = { ...LLM, principal: { type: "Component", id: "builtin::llm" } };
    const result = await orcs.run("caller.lua", options);
    expect(result).toMatchObject({
      ok: true,
      code: 0,
      stdout: expect.stringContaining("caller.lua"),
    });
    const payload = {
      tool_name: "exec",
      // §10.3 names it `tool`; both words are there.
      tool: "exec",
      args: { command: "ls -la" },
      capabilities: 127,
      sandbox_root: orcs.settings.permissions.root,
    };
    expect(seen()).toEqual([
      [
        "tool.pre_execute",
        LLM.component,
        LLM.channel,
        options.principal,
        0,
        payload,
        { audit_trail: true },
      ],
      [
        "tool.post_execute",
        LLM.component,
        LLM.channel,
        options.principal,
        0,
        { ...payload, result, elapsed_ms: expect.any(Number) },
        { audit_trail: true, from_pre: true },
      ],
    ]);
  });

  test("§10.2 the short forms are equivalent", async () => {
    const { orcs, seen } = await watched({
      "a.txt": "one\ntwo\n",
      "pairs.lua": `
        local pairs_of_calls = {
          { orcs.exec("echo hi"), orcs.get("exec", "echo hi") },
          { orcs.read("a.txt"), orcs.get("read", "a.txt") },
          { orcs.write("b.txt", "x"), orcs.get("write", { path = "b.txt", content = "x" }) },
          { orcs.grep("two", "a.txt"), orcs.get("grep", { pattern = "two", path = "a.txt" }) },
          { orcs.glob("*.txt"), orcs.get("glob", "*.txt") },
          { orcs.mkdir("d"), orcs.get("mkdir", "d") },
          { orcs.scan_dir("d"), orcs.get("scan_dir", "d") },
          { orcs.mv("b.txt", "d/b.txt"), orcs.get("mv", { from = "d/b.txt", to = "b.txt" }) },
          { orcs.remove("b.txt"), orcs.get("remove", "d") },
        }
        return pairs_of_calls
      `,
    });
    const answers = (await orcs.run("pairs.lua")) as { ok: boolean }[][];
    for (const [short, long] of answers) {
      expect(short).toMatchObject({ ok: true });
      expect(short).toEqual(long);
    }
    // Every one of them passed the hooks, before and after.
    expect(seen()).toHaveLength(answers.length * 2 * 2);
  });

  test("§10.3 a hook's own calls carry its caller's context, one level deeper", async () => {
    const { orcs, seen } = await watched({
      "caller.lua": `
        orcs.hook("*::*:tool.pre_execute", function(ctx)
          if ctx.payload.tool_name == "exec" then
            ctx.metadata.listing = #orcs.get("glob", "*", { metadata = { why = "count" } }).files
          end
        end)
        return orcs.exec("true").ok
      `,
    });
    expect(await orcs.run("caller.lua", { ...LLM, metadata: { trail: "t" } })).toBe(true);
    const inner = seen().filter(([, , , , depth]) => depth === 1);
    expect(inner.map(([point, component, channel]) => [point, component, channel])).toEqual([
      ["tool.pre_execute", LLM.component, LLM.channel],
      ["tool.post_execute", LLM.component, LLM.channel],
    ]);
    expect(inner[0]?.[6]).toEqual({ trail: "t", from_pre: true, why: "count" });
  });
});

describe("§11.1 the audit trail hook", () => {
  test("works as written in the ADR", async () => {
    const { orcs, logger } = await withScript(AUDIT);
    const principal = { type: "User", id: "u-1" };
    const outcome = await request(orcs, {}, { ...LLM, principal });
    expect(outcome).toMatchObject({ action: "continue", ctx: { payload: REQUEST } });
    const [line = ""] = logger.lines;
    expect(line).toMatch(/^info: \[AUDIT\] \{/);
    expect(JSON.parse(line.slice(line.indexOf("{")))).toEqual({
      timestamp: expect.any(Number),
      component: "builtin::llm",
      operation: "chat",
      principal,
    });
  });

  test("works as shipped: logs requests and tool calls without arguments", async () => {
    const { orcs, logger } = await load('[[hooks]]\nscript = "orcs:audit"\n');
    await request(orcs);
    await orcs.get("exec", "echo secret");
    expect(orcs.registry.list().map(({ id, priority }) => [id, priority])).toEqual([
      ["audit-requests", 10],
      ["audit-tools", 10],
    ]);
    expect(logger.lines).toHaveLength(2);
    expect(logger.lines[1]).toMatch(/"operation":"exec"/);
    expect(logger.lines.join("")).not.toContain("secret");
  });
});

describe("§11.2 the capability narrowing hook", () => {
  const spawn = { child_config: { id: "worker" }, parent_id: "builtin::llm", capabilities: 127 };

  test("works as shipped, with the capabilities to remove as an option", async () => {
    const entry = '[[hooks]]\nscript = "orcs:narrow-caps"\n';
    const left = async (toml: string): Promise<unknown> => {
      const { orcs } = await load(toml);
      const outcome = await orcs.dispatch("child.pre_spawn", spawn, { component: "builtin::llm" });
      return outcome.ctx.payload.capabilities;
    };
    expect(await left(entry)).toBe(119);
    expect(await left(`${entry}options = { remove = 72 }\n`)).toBe(55);
  });
});

describe("§11.3 the rate limiting hook", () => {
  test("works as written in the ADR: a hundred per minute for each component and operation", async () => {
    let time = 0;
    const cwd = folder({ "hooks/rate-limit.lua": RATE_LIMIT });
    const orcs = await open({
      cwd,
      config: { hooks: [{ script: "rate-limit.lua" }] },
      clock: { now: () => time, sleep: () => Promise.resolve() },
    });
    for (let i = 0; i < 100; i++) expect((await request(orcs)).action).toBe("continue");
    expect(await request(orcs)).toMatchObject({
      action: "abort",
      reason: "rate limit exceeded: builtin::llm:chat",
      hook: "rate-limiter",
    });
    expect((await request(orcs, { operation: "other" })).action).toBe("continue");
    expect((await request(orcs, {}, { component: "builtin::hil" })).action).toBe("continue");
    time = 60_000;
    expect((await request(orcs)).action).toBe("abort");
    time = 60_001;
    expect((await request(orcs)).action).toBe("continue");
  });

  test("works as shipped, with limit and window as options, for tools too", async () => {
    let time = 0;
    const orcs = await open({
      config: {
        hooks: [
          { script: "orcs:rate-limit", options: { max: 2, window_ms: 50 } },
          {
            id: "reads",
            script: "orcs:rate-limit",
            point: "tool.pre_execute",
            match: { tool: "read" },
            options: { max: 1 },
          },
        ],
      },
      clock: { now: () => time, sleep: () => Promise.resolve() },
    });
    const actions = async (): Promise<string[]> => [
      (await request(orcs)).action,
      (await request(orcs)).action,
      (await request(orcs)).action,
    ];
    expect(await actions()).toEqual(["continue", "continue", "abort"]);
    time = 50;
    expect(await actions()).toEqual(["continue", "continue", "abort"]);
    expect(await orcs.get("read", "nothing")).toMatchObject({
      error: expect.stringContaining("no such file"),
    });
    expect(await orcs.get("read", "nothing")).toEqual({
      ok: false,
      error: "denied by hook reads: rate limit exceeded: host::main:read",
    });
  });
});

test("every shipped hook starts with a description", () => {
  const hooks = new URL("../../hooks/", import.meta.url);
  const names = readdirSync(hooks);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const [first] = readFileSync(new URL(name, hooks), "utf8").split("\n");
    expect(first).toMatch(new RegExp(`^-- ${name.replace(/\.lua$/, "")}: \\w`));
  }
});
