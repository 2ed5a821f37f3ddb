import { expect, test } from "vitest";
import { folder, ROOT, start } from "../dist/orcs.ts";

// The figures are those of this machine, and not asserted: only that all of it happened. Without redis-server the demo
// says so, and shows the rest.
test("examples/fleet: a change reaches all machines, each call is decided, and the received logs are intact", async () => {
  const args = ["examples/fleet/demo.js", "--services", "2", "--light", "20"];
  const around = { cwd: ROOT, env: { XDG_STATE_HOME: folder() } };
  const { code, stdout, stderr } = await start(process.execPath, args, around);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/2 services \(processes\), with hints, .*: p50 \d+ ms, p95 \d+ ms/);
  expect(stdout).toMatch(/20 simulated, without hints, .*: p50 \d+ ms/);
  expect(stdout).toContain("dropped: 0, undecided: 0");
  expect(stdout).toMatch(/admitted 100;|BUDGET NOT SHOWN/);
  expect(stdout).toContain("everything received is intact");
});
