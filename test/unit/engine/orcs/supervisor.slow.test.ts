import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ApprovalRequest, Approve } from "../../../../src/engine/orcs/options.ts";
import { folder, Lines, open } from "./engine.ts";

/** examples/supervisor, as a program runs it. */
const EXAMPLE = fileURLToPath(new URL("../../../../examples/supervisor", import.meta.url));

/** A run: what the example says, what stands in the log, and the tool calls with what came of each. */
async function run(approve?: Approve) {
  const logger = new Lines();
  const said: string[] = [];
  const cwd = folder({ "a.md": "", "docs/b.md": "", "c.txt": "" });
  const orcs = await open({
    config: `${EXAMPLE}/supervisor.toml`,
    cwd,
    logger,
    output: (text) => void said.push(text),
    // What loops for ever is to be killed soon, and nothing else.
    overrides: { lua: { max_run_ms: 1000, max_chain_ms: 20_000 } },
    ...(approve && { approve }),
  });
  const calls: unknown[] = [];
  orcs.events.on("called", ({ tool, args, outcome }) => {
    calls.push([tool, Object.values(args)[0], outcome.action]);
  });
  const runtime = orcs.runtime();
  await runtime.run(`${EXAMPLE}/supervisor.lua`);
  expect(runtime.channels).toEqual([]);
  return { said, log: logger.lines, calls };
}

const BEFORE = [
  "+ reader      started, may READ",
  "+ runner      started, may EXECUTE",
  "· reader      2 files",
  "· reader      exec needs the capability EXECUTE; this call has READ",
  "· runner      hello",
  "· runner      denied by hook workers-keep-files: workers move and delete nothing",
  "? supervisor  may they run uname -s?",
];
const AFTER = [
  expect.stringMatching(
    /^! reader {6}the run of lua::supervisor\/reader failed: it ran longer than 1000 ms without waiting; it was at .*worker\.lua:\d+ \(\d+ ms elapsed, at least \d+ ms of them CPU time; shorten it or raise lua\.max_run_ms\)$/,
  ) as string,
  "+ reader      started, may READ",
  "· reader      the sum is 5050",
  "= supervisor  all is done",
];
const LOG = ["warn: the child lua::supervisor/reader was killed"];
const CALLS = [
  ["glob", "*.md", "continue"],
  ["exec", "echo hello", "continue"],
  ["exec", "echo hello", "continue"],
  ["exec", "rm -rf dist", "abort"],
];

function refused(why: string): string {
  const asked = "it requests to run such commands without asking";
  return `- supervisor  without it, then: "uname" was not granted: ${why}: ${asked}`;
}

describe("examples/supervisor", { timeout: 30_000 }, () => {
  test("approved: the runner runs the command, and the question describes it", async () => {
    const asked: ApprovalRequest[] = [];
    const { said, log, calls } = await run((request) => {
      asked.push(request);
      return true;
    });
    expect(said.slice(0, BEFORE.length)).toEqual(BEFORE);
    expect(said[BEFORE.length]).toMatch(/^· runner {6}[A-Z]\w+$/);
    expect(said.slice(BEFORE.length + 1)).toEqual(AFTER);
    expect(log).toEqual(LOG);
    expect(calls).toEqual([...CALLS, ["exec", "uname -s", "continue"]]);
    expect(asked).toEqual([
      expect.objectContaining({
        tool: "grant_command",
        args: { pattern: "uname", kind: "one_time" },
        ctx: expect.objectContaining({ component_id: "lua::supervisor" }),
      }),
    ]);
  });

  const others: [name: string, approve: Approve | undefined, why: string][] = [
    ["refused", () => false, "not approved"],
    ["nobody is there", undefined, "needs approval, but nobody is available to ask"],
  ];
  test.each(others)(
    "%s: the program continues without the command",
    async (_name, approve, why) => {
      const { said, log, calls } = await run(approve);
      expect(said).toEqual([...BEFORE, refused(why), ...AFTER]);
      expect(log).toEqual(LOG);
      expect(calls).toEqual(CALLS);
    },
  );
});
