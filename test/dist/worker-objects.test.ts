import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { CallScope } from "../../src/core/ports.ts";
import type { ScriptObject } from "../../src/engine/lua/ports.ts";
import { call, failureOf, Gate, objectRig } from "../unit/engine/lua/object-rig.ts";
import type { ObjectRig } from "../unit/engine/lua/object-rig.ts";
import { folder, ROOT, start } from "./orcs.ts";
import { sabotaged } from "./sabotage.ts";

const CODE = `
  local n, loads = 0, orcs.state.incr("loads")
  orcs.hook { id = "h" .. loads, point = "bus.on_register", handler = print }
  return {
    loads = loads,
    count = function() n = n + 1 return n end,
    wait = function() return orcs.get("t").value end,
    ask = function(...) return orcs.request(...) end,
    exit = print, throw = print, hang = print, memory = print,
  }`;

/** One for all tests: to copy and to load it takes longer than most of them. */
const ROOT_WITH_FAULTS = sabotaged(
  `message.type === "call" ? message.method : message.chunk?.code === "exit()" ? "exit" : ""`,
);

/** A layer whose thread ends when a function of that name is called, or the named program begins. */
async function faulty(what = ""): Promise<ObjectRig> {
  const { WorkerLayer } = (await import(
    pathToFileURL(join(ROOT_WITH_FAULTS, "build/engine/lua/worker/worker-layer.js")).href
  )) as typeof import("../../src/engine/lua/worker/worker-layer.ts");
  // Only what hangs is to reach the limit; a thread may take seconds to run out of memory.
  const maxRunMs = what === "hang" ? 500 : 10_000;
  return objectRig("worker", { Worker: WorkerLayer, limits: { maxRunMs } });
}

describe("script objects when the worker thread ends", () => {
  test.each([
    ["exit", /worker thread ended with code 3/],
    ["throw", /worker thread failed: broken/],
    ["hang", /did not respond/],
    ["memory", /worker thread failed/],
  ])(
    "%s: running calls fail, and the object is lost until it is reloaded on another thread",
    async (what, why) => {
      const rig = await faulty(what);
      const [first, second] = [await rig.load(CODE), await rig.load(CODE)];
      expect([await call(first, "count"), await call(first, "count")]).toEqual([1, 2]);
      const gate = new Gate();
      const waiting = failureOf(call(second, "wait", [], gate));
      await gate.until(1);
      expect(await failureOf(call(first, what))).toMatch(why);
      expect(await waiting).toMatch(why);
      expect([first.lost, second.lost]).toEqual([true, true]);
      expect(gate.aborted(0)).toBe(true);
      expect(rig.logs.filter((line) => line.startsWith("lua: "))).toHaveLength(1);
      expect(await failureOf(call(second, "count"))).toContain("load it again");

      await second.reload();
      expect([first.lost, second.lost]).toEqual([true, false]);
      expect(await call(second, "count")).toBe(1);
      await first.reload();
      expect([first.fields, second.fields]).toEqual([{ loads: 4 }, { loads: 3 }]);
      expect([...rig.hooks.keys()]).toEqual(["h3", "h4"]);
      expect(await call(first, "count")).toBe(1);
      gate.answer(0);
      first.close();
      expect(await call(second, "count")).toBe(2);
    },
  );

  test("while a program starts: it fails, the next one is on another thread", async () => {
    const rig = await faulty();
    const object = await rig.load(CODE);
    expect(await failureOf(rig.run("exit()"))).toContain("ORCS3002: the worker thread ended");
    expect(object.lost).toBe(true);
    expect(await call(await rig.load(CODE), "count")).toBe(1);
    await object.reload();
    expect(await call(object, "count")).toBe(1);
  });

  test("during a reload: it fails and can be tried again", async () => {
    const rig = await faulty();
    const object = await rig.load(CODE);
    await failureOf(call(object, "exit"));
    const other = failureOf(rig.run("exit()"));
    const failed = failureOf(object.reload());
    expect([await other, await failed]).toEqual([
      expect.stringContaining("ended with code 3"),
      expect.stringContaining("ended with code 3"),
    ]);
    expect(object.lost).toBe(true);
    await object.reload();
    expect(await call(object, "count")).toBe(1);
  });

  test("closing during a reload and with pending calls", async () => {
    const rig = await faulty();
    const [object, other] = [await rig.load(CODE), await rig.load(CODE)];
    await failureOf(call(object, "exit"));
    const reloading = failureOf(object.reload());
    object.close();
    expect(await reloading).toContain("its script was unloaded");
    await other.reload();
    const counting = failureOf(call(other, "count"));
    other.close();
    expect(await counting).toContain("its script was unloaded");
    expect(await call(await rig.load(CODE), "count")).toBe(1);
  });
});

describe("the scope of a script object call on a worker", () => {
  test("has the functions, depth and permissions of its own call", async () => {
    const rig = await objectRig("worker");
    const object: ScriptObject = await rig.load(CODE);
    const asked: unknown[] = [];
    const verb: CallScope["verb"] = async (...of) => {
      asked.push(of.slice(0, 2));
      return { ok: true, n: asked.length };
    };
    const [answered, failed] = await Promise.all([
      call(object, "ask", ["lua::x", "do", { a: [1] }], { verb }),
      failureOf(call(object, "ask", ["lua::x", "do"])),
    ]);
    expect(answered).toEqual({ ok: true, n: 1 });
    expect(failed).toContain("orcs.request is only available in the runtime");
    expect(asked).toEqual([["request", ["lua::x", "do", { a: [1] }, undefined]]]);
  });

  test("aborts a runtime function when the call is cancelled", async () => {
    const rig = await objectRig("worker");
    const object = await rig.load(CODE);
    const abort = new AbortController();
    let tell: (signal: AbortSignal) => void;
    const told = new Promise<AbortSignal>((resolve) => (tell = resolve));
    const verb: CallScope["verb"] = (_name, _args, signal) => {
      signal.addEventListener("abort", () => tell(signal));
      abort.abort();
      return new Promise(() => undefined);
    };
    expect(await failureOf(call(object, "ask", ["a", "b"], { verb, signal: abort.signal }))).toBe(
      "the call was cancelled",
    );
    expect((await told).aborted).toBe(true);
    expect(await call(object, "count")).toBe(1);
  });
});

test("200 script objects are opened and closed on one worker, three times", async () => {
  const rig = await objectRig("worker");
  for (let round = 0; round < 3; round++) {
    const all = await Promise.all(
      Array.from({ length: 200 }, () => rig.run("return { f = type }")),
    );
    const objects = all.flatMap((result) => ("object" in result ? [result.object] : []));
    const answers = await Promise.all(objects.map((object) => call(object, "f", [1])));
    expect(answers).toEqual(Array.from({ length: 200 }, () => "number"));
    for (const object of objects) object.close();
  }
});

test("a running script object call keeps the program alive, a finished one does not", async () => {
  const from = (path: string): string => JSON.stringify(pathToFileURL(join(ROOT, path)).href);
  const program = `
    import { WorkerLayer } from ${from("build/engine/lua/worker/worker-layer.js")};
    const none = () => undefined;
    const layer = new WorkerLayer({
      logger: { debug: none, info: none, warn: none, error: none },
      state: { get: none, set: none, delete: none, incr: () => 1 },
      limits: { maxRunMs: 10000, maxChainMs: 10000, memoryBytes: 2 ** 24, maxValueBytes: 2 ** 20 },
      now: () => performance.now(), wallMs: Date.now, isUtc: true, sleep: none, output: none, glob: none, findModule: none,
    });
    await layer.open();
    const code = "return function() local t = orcs.now_ms() while orcs.now_ms() - t < 400 do end return 5 end";
    const source = { name: "c.lua", roots: [] };
    const hooks = { add: none, remove: none };
    const { object } = await layer.run({ file: "c.lua", code, kind: "script" }, source, undefined, hooks);
    const scope = { depth: 0, get: none };
    console.log(await object.call("run", [], { scope, signal: new AbortController().signal }));`;
  const { code, stdout } = await start(process.execPath, ["program.mjs"], {
    cwd: folder({ "program.mjs": program }),
  });
  expect([code, stdout]).toEqual([0, "5\n"]);
});
