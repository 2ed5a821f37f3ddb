import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createOrcs } from "../../src/engine/create-orcs.ts";

// What the engine's thread does for a script on a worker is the script's time: by the wall clock alone it would have
// twenty times its limit.

const LIMIT_MS = 100;
const LOOPS = {
  shell: `local line = ("for i in a; do "):rep(500) while true do pcall(orcs.shell, line) end`,
  globs: `local n = 0 while true do n = n + 1 pcall(orcs.glob_match, ("{a,b}"):rep(200) .. n, ("ab"):rep(99)) end`,
};

test.each(Object.entries(LOOPS))(
  "a loop of %s on a worker is ended after a few time limits of CPU time",
  async (_, loop) => {
    const dir = mkdtempSync(join(tmpdir(), "orcs-work-"));
    const script = join(dir, "hook.lua");
    writeFileSync(script, `return function(ctx) if ctx.payload.args.harm then ${loop} end end`);
    const orcs = await createOrcs({
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      config: {
        lua: { isolation: "worker", max_run_ms: LIMIT_MS, max_chain_ms: 10_000 },
        hooks: [{ id: "h", point: "tool.pre_execute", script }],
      },
    });
    try {
      let least = Infinity;
      for (let round = 0; round < 3; round++) {
        await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
        const before = process.cpuUsage();
        const args = { harm: true };
        const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args });
        const { user, system } = process.cpuUsage(before);
        expect(outcome).toMatchObject({ action: "abort" });
        least = Math.min(least, (user + system) / 1000);
      }
      expect(least).toBeLessThan(8 * LIMIT_MS);
    } finally {
      await orcs.close();
      rmSync(dir, { recursive: true });
    }
  },
);
