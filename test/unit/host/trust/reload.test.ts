import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { OrcsError } from "../../../../src/core/errors.ts";
import type { Orcs } from "../../../../src/host/orcs.ts";
import { TrustStore } from "../../../../src/host/trust/trust-store.ts";
import { errorOf, folder } from "../engine.ts";
import { found, home, hook, outcomeOf, PATIENT, says, saying, trustIt, until } from "./rig.ts";

const TOML = hook("h", 'script = "h.lua"') + PATIENT;
const files = (text: string) => ({ "orcs.toml": TOML, "hooks/h.lua": saying(text) });
const userHook = `[[hooks]]\nid = "own"\npoint = "tool.pre_execute"\nhandler_inline = 'ctx.metadata.own = true'\n`;

/** The user has hooks of their own. */
function user({ userDir }: ReturnType<typeof home>): void {
  mkdirSync(userDir, { recursive: true });
  writeFileSync(join(userDir, "orcs.toml"), userHook);
}

const ids = (orcs: Orcs): string[] => orcs.registry.list().map(({ id }) => id);

describe("orcs.reload", () => {
  test("a project that has changed keeps its last good hooks, and everybody is told", async () => {
    user(home());
    const dir = folder(files("good"));
    await trustIt(dir);
    const { orcs, lines } = await found(dir);
    const failures: OrcsError[] = [];
    orcs.events.on("reload_failed", ({ error }) => failures.push(error));
    expect(orcs.notice).toBeUndefined();
    writeFileSync(join(dir, "hooks/h.lua"), saying("evil"));
    const error = await errorOf(orcs.reload());
    expect(error.code).toBe("ORCS8001");
    expect(error.message).toContain("hooks/h.lua");
    expect(failures).toEqual([error]);
    expect(lines).toContainEqual(
      expect.stringMatching(/^error: the last good hooks stay: ORCS8001/),
    );
    expect(await outcomeOf(orcs)).toBe("good");
    expect(ids(orcs)).toEqual(["own", "h"]);
    const { notice } = orcs;
    expect(notice?.text).toBe(
      `the hooks of ${dir} stay as they were trusted, for they have changed since; see: orcs trust ${dir}`,
    );
    // The next thing that it becomes is another thing to tell.
    writeFileSync(join(dir, "hooks/h.lua"), saying("worse"));
    await errorOf(orcs.reload());
    expect(orcs.notice?.key).not.toBe(notice?.key);
    await trustIt(dir);
    await orcs.reload();
    expect(orcs.notice).toBeUndefined();
    expect(await outcomeOf(orcs)).toBe("worse");
  });

  test("what it was before is in force again without a word", async () => {
    home();
    const dir = folder(files("good"));
    await trustIt(dir);
    const { orcs } = await found(dir);
    writeFileSync(join(dir, "hooks/h.lua"), saying("evil"));
    await errorOf(orcs.reload());
    writeFileSync(join(dir, "hooks/h.lua"), saying("good"));
    await orcs.reload();
    expect(orcs.notice).toBeUndefined();
    expect(await outcomeOf(orcs)).toBe("good");
  });

  test.each<[string, (dir: string) => void]>([
    ["a mistake in it", (dir) => writeFileSync(join(dir, "orcs.toml"), "[[hooks\n")],
    ["a hook that is no more", (dir) => writeFileSync(join(dir, "orcs.toml"), PATIENT)],
    ["a script that is gone", (dir) => rmSync(join(dir, "hooks/h.lua"))],
    [
      "a local file",
      (dir) =>
        writeFileSync(
          join(dir, "orcs.local.toml"),
          hook("h", "enabled = false\nhandler_inline = 'return nil'"),
        ),
    ],
    ["its configuration is gone", (dir) => rmSync(join(dir, "orcs.toml"))],
    ["its folder is gone", (dir) => renameSync(dir, `${dir}-away`)],
    [
      "a folder in the place of its configuration",
      (dir) => {
        rmSync(join(dir, "orcs.toml"));
        mkdirSync(join(dir, "orcs.toml"));
      },
    ],
  ])("%s: the last good hooks stay", async (_name, change) => {
    user(home());
    const dir = folder(files("good"));
    await trustIt(dir);
    const { orcs } = await found(dir);
    change(dir);
    expect((await errorOf(orcs.reload())).code).toBe("ORCS8001");
    expect(ids(orcs)).toEqual(["own", "h"]);
    expect(await outcomeOf(orcs)).toBe("good");
    expect(orcs.notice?.text).toContain("stay as they were trusted");
    rmSync(`${dir}-away`, { recursive: true, force: true });
  });

  test("a configuration nearer by does not take its place", async () => {
    user(home());
    const dir = folder(files("good"));
    const sub = join(dir, "sub");
    mkdirSync(sub);
    await trustIt(dir);
    const { orcs } = await found(sub);
    expect(await outcomeOf(orcs)).toBe("good");
    writeFileSync(join(sub, "orcs.toml"), hook("evil", says("evil")));
    const error = await errorOf(orcs.reload());
    expect(error.code).toBe("ORCS8001");
    expect(error.message).toContain(`that of ${sub} is found in its place`);
    expect(ids(orcs)).toEqual(["own", "h"]);
    // Who begins anew has the nearer one, of which nothing is in force.
    expect(ids((await found(sub)).orcs)).toEqual(["own"]);
    await trustIt(sub);
    await orcs.reload();
    expect(ids(orcs)).toEqual(["own", "evil"]);
  });

  test("one that is trusted no more goes, and the user's hooks stay", async () => {
    const at = home();
    user(at);
    const dir = folder(files("good"));
    for (const dev of [false, true]) {
      await trustIt(dir, dev);
      const { orcs, lines } = await found(dir);
      expect(ids(orcs)).toEqual(["own", "h"]);
      at.store.set(dir, undefined);
      await orcs.reload();
      expect(ids(orcs)).toEqual(["own"]);
      expect(orcs.notice?.text).toContain("nobody has trusted them");
      expect(lines.join("\n")).toContain("ORCS8001");
    }
  });

  test("one that has changed, and is then trusted no more, goes", async () => {
    const at = home();
    const dir = folder(files("good"));
    await trustIt(dir);
    for (const change of [
      () => writeFileSync(join(dir, "hooks/h.lua"), "x"),
      () => rmSync(join(dir, "orcs.toml")),
    ]) {
      writeFileSync(join(dir, "orcs.toml"), TOML);
      writeFileSync(join(dir, "hooks/h.lua"), saying("good"));
      await trustIt(dir);
      const { orcs } = await found(dir);
      change();
      await errorOf(orcs.reload());
      expect(ids(orcs)).toEqual(["h"]);
      at.store.set(dir, undefined);
      await orcs.reload();
      expect(ids(orcs)).toEqual([]);
    }
  });

  test("a store that is damaged meanwhile changes nothing", async () => {
    const at = home();
    user(at);
    const dir = folder(files("good"));
    for (const dev of [false, true]) {
      await trustIt(dir, dev);
      const { orcs } = await found(dir);
      const before = new TrustStore().all();
      writeFileSync(at.store.path, "{");
      expect((await errorOf(orcs.reload())).code).toBe("ORCS8001");
      expect(await outcomeOf(orcs)).toBe("good");
      expect(ids(orcs)).toEqual(["own", "h"]);
      rmSync(at.store.path);
      for (const [name, entry] of before) at.store.set(name, entry);
      await orcs.reload();
      expect(await outcomeOf(orcs)).toBe("good");
    }
  });

  test("whatever it holds: each change acts at once, and its end, too", async () => {
    const at = home();
    user(at);
    const dir = folder(files("one"));
    await trustIt(dir, true);
    const { orcs, lines } = await found(dir);
    expect(lines.join("\n")).toContain(`${dir} is trusted whatever it holds (dev)`);
    expect(orcs.notice).toBeUndefined();
    writeFileSync(join(dir, "hooks/h.lua"), saying("two"));
    await orcs.reload();
    expect(await outcomeOf(orcs)).toBe("two");
    // What is wrong with it is wrong.
    writeFileSync(join(dir, "hooks/h.lua"), "return (");
    expect((await errorOf(orcs.reload())).code).toBe("ORCS1015");
    expect(await outcomeOf(orcs)).toBe("two");
    rmSync(join(dir, "orcs.toml"));
    await orcs.reload();
    expect(ids(orcs)).toEqual(["own"]);
  });

  test("tests that a reload runs are those of what was trusted", async () => {
    home();
    const script = (text: string, expected: string): string => `return {
      handler = function(ctx) return orcs.deny("${text}") end,
      tests = { { name = "t", event = { point = "tool.pre_execute", payload = { tool_name = "x", args = {} } }, expect = { action = "abort", reason = "${expected}" } } },
    }\n`;
    const dir = folder({
      "orcs.toml": `[engine]\ntest_on_reload = true\n${TOML}`,
      "hooks/h.lua": script("one", "one"),
    });
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("one");
    writeFileSync(join(dir, "hooks/h.lua"), script("two", "three"));
    await trustIt(dir);
    expect((await errorOf(orcs.reload())).code).toBe("ORCS1015");
    expect(await outcomeOf(orcs)).toBe("one");
    writeFileSync(join(dir, "hooks/h.lua"), script("two", "two"));
    await trustIt(dir);
    await orcs.reload();
    expect(await outcomeOf(orcs)).toBe("two");
  });
});

describe("watch", () => {
  test("trusted anew, changed, trusted no more: in force without a restart", async () => {
    const at = home();
    user(at);
    const dir = folder(files("one"));
    const { orcs, lines } = await found(dir, { watch: true });
    expect(ids(orcs)).toEqual(["own"]);
    expect(orcs.notice?.text).toContain("nobody has trusted them");
    await trustIt(dir);
    await until(async () => (await outcomeOf(orcs)) === "one");
    expect(orcs.notice).toBeUndefined();
    writeFileSync(join(dir, "hooks/h.lua"), saying("two"));
    await until(() => orcs.notice !== undefined);
    expect(await outcomeOf(orcs)).toBe("one");
    expect(lines.join("\n")).toContain("the last good hooks stay: ORCS8001");
    await trustIt(dir);
    await until(async () => (await outcomeOf(orcs)) === "two");
    at.store.set(dir, undefined);
    await until(() => !ids(orcs).includes("h"));
    expect(ids(orcs)).toEqual(["own"]);
    await trustIt(dir, true);
    await until(async () => (await outcomeOf(orcs)) === "two");
    writeFileSync(join(dir, "hooks/h.lua"), saying("three"));
    await until(async () => (await outcomeOf(orcs)) === "three");
  });

  test("its configuration is deleted, and it is trusted no more after that", async () => {
    const at = home();
    const dir = folder(files("one"));
    await trustIt(dir);
    const { orcs } = await found(dir, { watch: true });
    rmSync(join(dir, "orcs.toml"));
    await until(() => orcs.notice !== undefined);
    expect(await outcomeOf(orcs)).toBe("one");
    at.store.set(dir, undefined);
    await until(() => ids(orcs).length === 0);
  });

  test("a project of which nobody has said anything may change as it likes", async () => {
    home();
    const dir = folder(files("one"));
    const { orcs, lines } = await found(dir, { watch: true });
    const { notice } = orcs;
    for (let i = 0; i < 5; i++) {
      writeFileSync(join(dir, "orcs.toml"), hook(`evil${i}`, says("evil")));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await orcs.reload();
    expect(ids(orcs)).toEqual([]);
    // It stays one thing that is told once, in the log as well.
    expect(orcs.notice?.key).toBe(notice?.key);
    expect(lines.filter((line) => line.includes("ORCS8001"))).toHaveLength(1);
  });
});
