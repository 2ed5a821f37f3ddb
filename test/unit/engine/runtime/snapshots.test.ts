import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Component } from "../../../../src/core/component.ts";
import type { Json } from "../../../../src/core/json.ts";
import { errorOf, folder } from "../orcs/engine.ts";
import { recorder, rig } from "./rig.ts";
import type { RigOptions } from "./rig.ts";

/** A component that counts what it is asked, over all its lives. */
function counter(parts: Partial<Component> = {}) {
  let count = 0;
  const restored: Json[] = [];
  const component = recorder("builtin::counter", {
    onRequest: () => ++count,
    restore(snapshot) {
      restored.push(snapshot);
      count = (snapshot as { count: number }).count;
    },
    snapshot: () => ({ count }),
    ...parts,
  });
  return Object.assign(component, { restored });
}

/** A runtime that keeps snapshots in a folder. */
function keeping(dir: string, options: RigOptions = {}) {
  return rig({ config: { paths: { snapshots: dir } }, ...options });
}

/** The file of the one snapshot in a folder. */
function fileIn(dir: string): string {
  const [name = "", ...others] = readdirSync(dir).filter((file) => file.endsWith(".json"));
  expect(others).toEqual([]);
  return join(dir, name);
}

/** A folder with the snapshot of a counter that has counted to two. */
async function counted(): Promise<{ dir: string; file: string }> {
  const dir = join(folder(), "snapshots");
  const { runtime } = await keeping(dir);
  await runtime.spawn(counter());
  for (const _ of [1, 2]) await runtime.request("builtin::counter", "count");
  await runtime.stop("builtin::counter");
  return { dir, file: fileIn(dir) };
}

describe("a component is restored from its last snapshot", () => {
  test("in the same runtime and in the next", async () => {
    const { dir } = await counted();
    const { runtime } = await keeping(dir);
    for (const expected of [3, 4]) {
      await runtime.spawn(counter());
      expect(await runtime.request("builtin::counter", "count")).toBe(expected);
      await runtime.stop("builtin::counter");
    }
  });

  test.each(["stop", "kill", "veto", "shutdown"] as const)("after any end: %s", async (how) => {
    const { dir } = await counted();
    const { runtime } = await keeping(dir);
    const channel = await runtime.spawn(counter());
    await runtime.request("builtin::counter", "count");
    if (how === "stop") void runtime.stop("builtin::counter");
    if (how === "kill") void runtime.kill("builtin::counter");
    if (how === "veto") void runtime.signal("builtin::counter", "veto");
    if (how === "shutdown") void runtime.shutdownParallel();
    const result = await channel?.ended;
    expect(result).toMatchObject({ snapshot: { count: 3 }, errors: [] });
    // Who waits for the end may begin again with it.
    const next = counter();
    await (await keeping(dir)).runtime.spawn(next);
    expect(next.restored).toEqual([{ count: 3 }]);
  });

  test("per instance", async () => {
    const { dir } = await counted();
    const { runtime } = await keeping(dir);
    const one = counter();
    await runtime.spawn(one, { instance: "1" });
    await runtime.request("builtin::counter#1", "count");
    await runtime.stop("builtin::counter#1");
    const [again, bare] = [counter(), counter()];
    await runtime.spawn(again, { instance: "1" });
    await runtime.spawn(bare);
    expect([one.restored, again.restored, bare.restored]).toEqual([
      [],
      [{ count: 1 }],
      [{ count: 2 }],
    ]);
  });

  test("not without a snapshot folder", async () => {
    const { runtime } = await rig();
    for (const _ of [1, 2]) {
      const component = counter();
      await runtime.spawn(component);
      expect(component.restored).toEqual([]);
      expect((await runtime.stop("builtin::counter"))?.snapshot).toEqual({ count: 0 });
    }
  });

  test("unless spawned with another snapshot or none", async () => {
    const { dir, file } = await counted();
    const before = readFileSync(file, "utf8");
    const { runtime } = await keeping(dir);
    const silent = { snapshot: () => undefined };
    const [other, anew, saved] = [counter(silent), counter(silent), counter(silent)];
    await runtime.spawn(other, { snapshot: { count: 40 } });
    await runtime.stop("builtin::counter");
    await runtime.spawn(anew, { snapshot: null });
    await runtime.stop("builtin::counter");
    await runtime.spawn(saved);
    expect([other.restored, anew.restored, saved.restored]).toEqual([
      [{ count: 40 }],
      [],
      [{ count: 2 }],
    ]);
    // Who gives none keeps what was there.
    await runtime.stop("builtin::counter");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("as changed by hooks on save and restore", async () => {
    const { dir } = await counted();
    const { runtime, hook } = await keeping(dir);
    hook({
      id: "in",
      point: "component.pre_init",
      handler: ({ payload }) => void Object.assign(payload, { snapshot: { count: 10 } }),
    });
    hook({
      id: "out",
      point: "component.post_shutdown",
      handler: ({ payload }) => void Object.assign(payload, { snapshot: { count: 99 } }),
    });
    const component = counter();
    await runtime.spawn(component);
    expect(component.restored).toEqual([{ count: 10 }]);
    expect((await runtime.stop("builtin::counter"))?.snapshot).toEqual({ count: 99 });
    expect(readFileSync(fileIn(dir), "utf8")).toContain('"snapshot":{"count":99}');
  });
});

describe("an unusable snapshot", () => {
  test.each([
    ["does not parse", "{"],
    ["is empty", ""],
    [
      "is of another version",
      '{"version":2,"component":"builtin::counter","snapshot":{"count":1}}',
    ],
    ["is another component's", '{"version":1,"component":"builtin::other","snapshot":{"count":1}}'],
    ["has nothing in it", '{"version":1,"component":"builtin::counter"}'],
  ])(
    "that %s: the component starts without it, the file is renamed and logged",
    async (_, text) => {
      const { dir, file } = await counted();
      writeFileSync(file, text);
      const { runtime, log } = await keeping(dir);
      const component = counter();
      await runtime.spawn(component);
      expect(component.restored).toEqual([]);
      expect(log.lines).toEqual([
        expect.stringContaining(
          'warn: ORCS6013: the snapshot of "builtin::counter" cannot be used',
        ),
      ]);
      await runtime.request("builtin::counter", "count");
      await runtime.stop("builtin::counter");
      expect(readFileSync(`${file}.rejected-1`, "utf8")).toBe(text);
      expect(readFileSync(file, "utf8")).toContain('"snapshot":{"count":1}');
    },
  );

  test("that cannot be read: the component does not start, and the file stays", async () => {
    const { dir, file } = await counted();
    rmSync(file);
    mkdirSync(file);
    const { runtime } = await keeping(dir);
    const component = counter();
    const error = await errorOf(runtime.spawn(component));
    expect(error.code).toBe("ORCS6013");
    expect(component.calls).toEqual([]);
    expect(runtime.channels).toEqual([]);
    expect(readdirSync(dir)).toHaveLength(1);
    // Its name is free again.
    await runtime.spawn(counter(), { snapshot: null });
  });

  test("that the component rejects: it does not start, and the file stays", async () => {
    const { dir, file } = await counted();
    const before = readFileSync(file, "utf8");
    const { runtime } = await keeping(dir);
    const picky = counter({
      restore() {
        throw new Error("what is this?");
      },
    });
    const error = await errorOf(runtime.spawn(picky));
    expect(error.message).toBe("ORCS6005: restore of builtin::counter failed: what is this?");
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});

describe("a snapshot that cannot be saved", () => {
  test("for lack of a folder: the channel ends and reports the loss", async () => {
    const dir = folder({ file: "" });
    const { runtime, log } = await keeping(join(dir, "file/below"));
    const component = counter();
    await runtime.spawn(component, { snapshot: { count: 1 } });
    const result = await runtime.stop("builtin::counter");
    expect(result?.snapshot).toEqual({ count: 1 });
    expect(result?.errors).toEqual([
      expect.stringContaining("the snapshot of builtin::counter is lost"),
    ]);
    expect(log.lines).toEqual([`error: ${result?.errors[0]}`]);
    expect(component.calls.at(-1)).toBe("dispose");
  });

  test("because it is not JSON: the previous one stays", async () => {
    const { dir, file } = await counted();
    const before = readFileSync(file, "utf8");
    const { runtime } = await keeping(dir);
    await runtime.spawn(counter({ snapshot: () => new Map() }));
    const result = await runtime.stop("builtin::counter");
    expect(result?.errors).toEqual([
      "ORCS6005: the snapshot of builtin::counter is not JSON: the value is an instance of a class",
    ]);
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});
