import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ORCS_POINTS } from "../../src/core/point-table.ts";
import { folder, orcs, ROOT } from "./orcs.ts";

const REQUEST = ["id", "category", "operation", "source", "target", "payload", "timeout_ms"];

/** The 25 points of ADR-002 §2 in the order in which the example comes to them, with the keys named there. */
const LIFE: readonly (readonly [point: string, keys: readonly string[]])[] = [
  ["channel.pre_create", ["channel_id", "component_id", "runtime_hints"]],
  ["channel.post_create", ["channel_id", "handle"]],
  ["bus.on_register", ["component_id", "subscriptions"]],
  ["component.pre_init", ["component_id", "channel_id", "snapshot"]],
  ["component.post_init", ["component_id", "channel_id", "init_result"]],
  ["request.pre_dispatch", [...REQUEST, "component_id", "channel_id"]],
  ["child.pre_spawn", ["child_config", "parent_id", "effective_capabilities"]],
  ["child.post_spawn", ["child_id", "parent_id", "capabilities"]],
  ["child.pre_run", ["child_id", "input"]],
  ["tool.pre_execute", ["tool_name", "args", "capabilities", "sandbox_root"]],
  ["auth.pre_check", ["command", "capabilities", "session"]],
  ["auth.post_check", ["command", "permission_result"]],
  ["tool.post_execute", ["tool_name", "args", "result", "elapsed_ms"]],
  ["child.post_run", ["child_id", "child_result", "elapsed_ms"]],
  ["auth.on_grant", ["pattern", "granted_by"]],
  ["bus.pre_broadcast", ["event", "target_count"]],
  ["bus.post_broadcast", ["event", "delivered_count"]],
  ["signal.pre_dispatch", ["signal", "component_id", "channel_id"]],
  ["signal.post_dispatch", ["signal", "signal_response", "channel_action"]],
  ["request.post_dispatch", [...REQUEST, "response", "elapsed_ms"]],
  ["bus.on_unregister", ["component_id"]],
  ["channel.pre_destroy", ["channel_id", "exit_reason"]],
  ["component.pre_shutdown", ["component_id", "channel_id", "status"]],
  ["component.post_shutdown", ["component_id", "snapshot"]],
  ["channel.post_destroy", ["channel_id", "snapshot"]],
];

/** What every line has, besides what only some have. */
const ALWAYS = ["point", "component", "channel", "action", "payload_keys", "hooks", "duration_ms"];
const SOMETIMES = ["child", "decision", "hook", "reason", "tool", "args"];

type Line = Record<string, unknown> & {
  readonly point: string;
  readonly child?: string;
  readonly payload_keys: string[];
  readonly hooks: { readonly id: string; readonly status: string }[];
};

async function linesOf(args: readonly string[], cwd: string): Promise<Line[]> {
  const ended = await orcs(["run", ...args, "--json"], { cwd });
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toContain("the child says: hello, world\n");
  expect(ended.stderr).toContain("git status --short: allowed\n");
  expect(ended.stderr).toContain("it was running\n");
  return ended.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const SCRIPT = join(ROOT, "examples/lifecycle.lua");
const ways: [name: string, lines: () => Promise<Line[]>, hooks: string[]][] = [
  [
    "the repository's own orcs.toml",
    () => linesOf(["examples/lifecycle.lua", "--config", "orcs.toml"], ROOT),
    ["audit-requests", "audit-tools", "tool-metrics"],
  ],
  [
    "an empty configuration",
    () => linesOf([SCRIPT, "--config", "empty.toml"], folder({ "empty.toml": "" })),
    [],
  ],
];

// The usual limits hold, see eval.test.ts.
describe.each(ways)("orcs run examples/lifecycle.lua --json, %s", { retry: 3 }, (_, run, hooks) => {
  test("visits all 25 points in order with their documented fields", async () => {
    const lines = await run();
    for (const line of lines) {
      expect(Object.keys(line)).toEqual(expect.arrayContaining(ALWAYS));
      expect([...ALWAYS, ...SOMETIMES]).toEqual(expect.arrayContaining(Object.keys(line)));
      expect(line).toMatchObject({
        component: "lua::lifecycle",
        channel: lines[0]?.["channel"],
        action: "continue",
        duration_ms: expect.any(Number),
      });
      const isTool = line.point.startsWith("tool.");
      expect({ tool: line["tool"], args: line["args"] }).toEqual(
        isTool
          ? { tool: "exec", args: { command: "echo hello, world" } }
          : { tool: undefined, args: undefined },
      );
      const isOfChild = /^(child|tool)\./.test(line.point);
      if (isOfChild || line.child !== undefined) expect(line.child, line.point).toBe("greeter");
    }
    const first = new Map<string, Line>();
    for (const line of lines) if (!first.has(line.point)) first.set(line.point, line);
    expect([...first.keys()]).toEqual(LIFE.map(([point]) => point));
    for (const [point, keys] of LIFE) {
      expect(first.get(point)?.payload_keys, point).toEqual(expect.arrayContaining([...keys]));
    }
    const acted = lines.flatMap((line) => line.hooks);
    expect(new Set(acted.map(({ id }) => id))).toEqual(new Set(hooks));
    expect(acted.filter(({ status }) => status !== "ran")).toEqual([]);
  });
});

test("the lifecycle example covers all ORCS points", () => {
  expect(LIFE.map(([point]) => point).sort()).toEqual(Object.keys(ORCS_POINTS).sort());
  expect(LIFE).toHaveLength(25);
});
