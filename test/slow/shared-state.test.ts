import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createOrcs } from "../../src/index.ts";

const hasServer = spawnSync("redis-server", ["--version"]).status === 0;
if (!hasServer) console.error("\n*** redis-server is missing: the tests of the shared state are SKIPPED ***\n");

/** A hook that admits up to `max` calls. */
const budget = (mode: string, max: number): string => `
[state]
url = "redis://127.0.0.1:PORT"
[[hooks]]
id = "counted"
point = "tool.pre_execute"
on_store_error = "${mode}"
handler_inline = '''
if not orcs.state.incr("calls", 1, 3600000, ${max}) then return orcs.deny("over") end
'''
`;

describe.skipIf(!hasServer)("the shared state", { timeout: 120_000 }, () => {
  let dir: string;
  let port: number;
  let server: ReturnType<typeof spawn>;

  const start = async (): Promise<void> => {
    server = spawn("redis-server", [
      "--port", String(port), "--dir", dir, "--save", "", "--appendonly", "yes", "--appendfsync", "always",
    ]);
    await new Promise<void>((resolve) => {
      server.stdout?.on("data", (text: Buffer) => {
        if (text.toString().includes("Ready to accept")) resolve();
      });
    });
  };
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGKILL");
    await ended;
  };
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  let users = 0;
  /** An engine of one user of this machine; [state] counts in the user's own configuration only. */
  const engine = async (mode: string, max: number, at = port, stateDir?: string) => {
    const home = join(dir, `user-${users++}`);
    mkdirSync(join(home, "orcs"), { recursive: true });
    const file = join(home, "orcs", "orcs.toml");
    writeFileSync(file, budget(mode, max).replace("PORT", String(at)));
    vi.stubEnv("XDG_CONFIG_HOME", home);
    try {
      return await createOrcs({ config: file, logger: quiet, stateDir });
    } finally {
      vi.unstubAllEnvs();
    }
  };
  const engines = async (...of: Parameters<typeof engine>[]) => {
    const made = [];
    for (const each of of) made.push(await engine(...each));
    return made;
  };
  const call = (orcs: Awaited<ReturnType<typeof createOrcs>>) =>
    orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "orcs-shared-"));
    const probe = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    port = (probe.address() as { port: number }).port;
    await new Promise((resolve) => probe.close(resolve));
    await start();
  });
  afterAll(async () => {
    await kill();
    rmSync(dir, { recursive: true, force: true });
  });

  test("engines count together: a budget of 100 admits exactly 100", async () => {
    const four = await engines(...Array.from({ length: 4 }, () => ["closed", 100] as const));
    const outcomes = await Promise.all(
      four.flatMap((orcs) => Array.from({ length: 50 }, () => call(orcs))),
    );
    expect(outcomes.filter(({ action }) => action === "continue")).toHaveLength(100);
    await Promise.all(four.map((orcs) => orcs.close()));
  });

  test("store gone: closed denies, open and local do not, none waits long; data and local counts are there after it", async () => {
    const [closed, open, local] = await engines(["closed", 1000], ["open", 1000], ["local", 1000]);
    for (const orcs of [closed, open, local]) await call(orcs);
    await kill();
    const began = performance.now();
    expect((await call(closed)).action).toBe("abort");
    expect((await call(open)).action).toBe("continue");
    expect((await call(local)).action).toBe("continue");
    // Three decisions of at most 50 ms each, on a busy machine.
    expect(performance.now() - began).toBeLessThan(1000);
    await start();
    const before = 100 + 3;
    await expect.poll(() => local.stateValue("calls"), { timeout: 30_000 }).toBe(before + 1);
    await Promise.all([closed, open, local].map((orcs) => orcs.close()));
  });
});
