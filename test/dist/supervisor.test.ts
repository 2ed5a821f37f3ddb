import { expect, test } from "vitest";
import { orcs, ROOT } from "./orcs.ts";

const SUPERVISOR = [
  "run",
  "examples/supervisor/supervisor.lua",
  "--config",
  "examples/supervisor/supervisor.toml",
];

// The usual limits hold, see eval.test.ts.
test("examples/supervisor runs as its comment describes", { retry: 3 }, async () => {
  const { code, stdout, stderr } = await orcs(SUPERVISOR, { cwd: ROOT });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^\+ reader {6}started, may READ\n/),
  });
  const said = stderr.split("\n").filter((line) => !line.startsWith("· reader      "));
  expect(said).toEqual([
    "+ reader      started, may READ",
    "+ runner      started, may EXECUTE",
    "· runner      hello",
    "· runner      denied by hook workers-keep-files: workers move and delete nothing",
    "? supervisor  may they run uname -s?",
    '- supervisor  without it, then: "uname" was not granted: needs approval, but nobody is available to ask: it requests to run such commands without asking',
    "orcs warn: the child lua::supervisor/reader was killed",
    expect.stringMatching(
      /^! reader {6}the run of lua::supervisor\/reader failed: it ran longer than 100 ms without waiting; it was at .*worker\.lua:\d+ \(\d+ ms elapsed, at least \d+ ms of them CPU time; shorten it or raise lua\.max_run_ms\)$/,
    ) as string,
    "+ reader      started, may READ",
    "= supervisor  all is done",
    "",
  ]);
  expect(stdout).toMatch(/^4 exec rm -rf dist +workers-keep-files +abort: workers move/m);
});

test("examples/supervisor with --json respawns the killed child", { retry: 3 }, async () => {
  const { code, stdout, stderr } = await orcs([...SUPERVISOR, "--json"], { cwd: ROOT });
  expect(code, stderr).toBe(0);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ofChildren = lines.flatMap(({ point, child }) =>
    String(point).startsWith("child.") ? [`${String(point)} ${String(child)}`] : [],
  );
  const spawned = (id: string) => [`child.pre_spawn ${id}`, `child.post_spawn ${id}`];
  const runs = (id: string) => [`child.pre_run ${id}`, `child.post_run ${id}`];
  expect(ofChildren).toEqual([
    ...spawned("reader"),
    ...spawned("runner"),
    ...runs("reader"),
    ...runs("reader"),
    ...runs("runner"),
    ...runs("runner"),
    ...runs("reader"),
    ...spawned("reader"),
    ...runs("reader"),
  ]);
  expect(lines.find(({ action }) => action === "abort")).toMatchObject({
    point: "tool.pre_execute",
    component: "lua::supervisor",
    child: "runner",
    tool: "exec",
    hook: "workers-keep-files",
  });
});
