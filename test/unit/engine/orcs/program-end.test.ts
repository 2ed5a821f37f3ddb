import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { LuaVm } from "../../../../src/engine/lua/vm.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function world(files: Record<string, string>): Promise<{ orcs: Orcs; output: string[] }> {
  const cwd = mkdtempSync(join(tmpdir(), "orcs-program-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const quiet = (): undefined => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const output: string[] = [];
  const orcs = await createOrcs({
    cwd,
    config: false,
    logger,
    output: (text) => output.push(text),
  });
  cleanups.push(
    () => rmSync(cwd, { recursive: true, force: true }),
    () => orcs.close(),
  );
  return { orcs, output };
}

describe("a program in the runtime", () => {
  test("ends when its channel is killed, and run() rejects with ORCS6006", async () => {
    const { orcs, output } = await world({
      "p.lua": 'orcs.emit_event("a", "b") while true do orcs.sleep(10) orcs.emit_output("on") end',
    });
    const runtime = orcs.runtime();
    const running = runtime.run("p.lua");
    const failed = expect(running).rejects.toMatchObject({ code: "ORCS6006" });
    while (output.length < 2) await wait(5);
    await runtime.kill("lua::main");
    await failed;
    const before = output.length;
    await wait(100);
    expect(output.length).toBe(before);
    expect(runtime.channels).toEqual([]);
  });

  test("that ends by itself leaves neither hooks nor a Lua state behind", async () => {
    const { orcs } = await world({
      "p.lua":
        'orcs.hook("*::*:tool.pre_execute", function() end) orcs.emit_event("a", "b") return 1',
    });
    const runtime = orcs.runtime();
    const opened = vi.spyOn(LuaVm.prototype, "open");
    const forgotten = vi.spyOn(LuaVm.prototype, "forget");
    for (let i = 0; i < 30; i++) expect(await runtime.run("p.lua")).toBe(1);
    expect(opened.mock.calls.length).toBeGreaterThanOrEqual(30);
    expect(forgotten.mock.calls.length).toBe(opened.mock.calls.length);
    vi.restoreAllMocks();
    expect(orcs.registry.size).toBe(0);
  });
});

describe("context of a component request", () => {
  test("its signal is aborted after the response", async () => {
    const { orcs } = await world({});
    const runtime = orcs.runtime();
    let signal: AbortSignal | undefined;
    await runtime.spawn({
      id: "lua::quick",
      onRequest: (_, context) => {
        ({ signal } = context);
        return signal.aborted;
      },
    });
    expect(await runtime.request("lua::quick", "x")).toBe(false);
    expect(signal?.aborted).toBe(true);
  });

  test("a child's pending run is abandoned when the parent's request ends", async () => {
    const { orcs } = await world({});
    const runtime = orcs.runtime();
    let late: unknown;
    await runtime.spawn({
      id: "lua::parent",
      async onRequest(_, context) {
        await context.spawnChild({ id: "slow" }, { run: () => wait(2000, "done") });
        context.sendToChild("slow");
        const started = performance.now();
        late = await context
          .runChild("slow", null, { signal: AbortSignal.timeout(50) })
          .catch((error: { code: string }) => error.code);
        return performance.now() - started;
      },
    });
    expect(await runtime.request("lua::parent", "x")).toBeLessThan(1000);
    expect(late).toBe("ORCS6014");
  });
});
