import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { found, home, hook, outcomeOf, PATIENT, say, says, saying, trustIt, until } from "./rig.ts";

const TOML = hook("h", 'script = "h.lua"') + PATIENT;
const files = (text: string) => ({ "orcs.toml": TOML, "hooks/h.lua": saying(text) });
const userHook = `[[hooks]]\nid = "own"\npoint = "tool.pre_execute"\nhandler_inline = 'ctx.metadata.own = true'\n`;

/** The user has hooks of their own. */
function user({ userDir }: ReturnType<typeof home>): void {
  mkdirSync(userDir, { recursive: true });
  writeFileSync(join(userDir, "orcs.toml"), userHook);
}

const ids = (orcs: Orcs): string[] => orcs.registry.list().map(({ id }) => id);

describe("orcs.reload of a trusted project", () => {
  test("a changed project keeps its trusted hooks, with a notice", async () => {
    user(home());
    const dir = folder(files("good"));
    await trustIt(dir);
    const { orcs, lines } = await found(dir);
    expect(orcs.notice).toBeUndefined();
    writeFileSync(join(dir, "hooks/h.lua"), saying("evil"));
    await orcs.reload();
    expect(lines).toContainEqual(
      expect.stringMatching(/^warn: ORCS8001: .* as you trusted them on .*changed since then/),
    );
    expect(await outcomeOf(orcs)).toBe("good");
    expect(ids(orcs)).toEqual(["own", "h"]);
    expect(orcs.notice?.text).toMatch(
      new RegExp(
        `^the hooks of ${dir} are active as you trusted them on \\d{4}-\\d\\d-\\d\\d; changed since then: hooks/h.lua; see: orcs trust ${dir}$`,
      ),
    );
    // So it is for who begins only now.
    const fresh = await found(dir);
    expect(await outcomeOf(fresh.orcs)).toBe("good");
    expect(fresh.orcs.notice?.key).toBe(orcs.notice?.key);
    await trustIt(dir);
    await orcs.reload();
    expect(orcs.notice).toBeUndefined();
    expect(await outcomeOf(orcs)).toBe("evil");
  });

  test("a project changed back is active again without a notice", async () => {
    home();
    const dir = folder(files("good"));
    await trustIt(dir);
    const { orcs } = await found(dir);
    writeFileSync(join(dir, "hooks/h.lua"), saying("evil"));
    await orcs.reload();
    writeFileSync(join(dir, "hooks/h.lua"), saying("good"));
    await orcs.reload();
    expect(orcs.notice).toBeUndefined();
    expect(await outcomeOf(orcs)).toBe("good");
  });

  test.each<[string, (dir: string) => void]>([
    ["a mistake in it", (dir) => writeFileSync(join(dir, "orcs.toml"), "[[hooks\n")],
    ["its configuration is gone", (dir) => rmSync(join(dir, "orcs.toml"))],
    ["its folder is gone", (dir) => renameSync(dir, `${dir}-away`)],
  ])("%s: the trusted hooks stay active, also after a restart", async (_name, change) => {
    user(home());
    const dir = folder(files("good"));
    await trustIt(dir);
    const { orcs } = await found(dir);
    change(dir);
    await orcs.reload();
    for (const each of [orcs, (await found(dir)).orcs]) {
      expect(ids(each)).toEqual(["own", "h"]);
      expect(await outcomeOf(each)).toBe("good");
      expect(each.notice?.text).toContain("changed since then");
    }
    rmSync(`${dir}-away`, { recursive: true, force: true });
  });

  test("a nearer configuration does not replace it", async () => {
    user(home());
    const dir = folder(files("good"));
    const sub = join(dir, "sub");
    mkdirSync(sub);
    await trustIt(dir);
    const { orcs } = await found(sub);
    expect(await outcomeOf(orcs)).toBe("good");
    writeFileSync(join(sub, "orcs.toml"), hook("evil", says("evil")));
    await orcs.reload();
    for (const each of [orcs, (await found(sub)).orcs]) {
      expect(ids(each)).toEqual(["own", "h"]);
      expect(each.notice?.text).toContain(`the hooks of ${sub} are inactive`);
    }
    await trustIt(sub);
    await orcs.reload();
    expect(ids(orcs)).toEqual(["own", "evil"]);
  });

  test("after revocation its hooks are removed, the user's stay", async () => {
    const at = home();
    user(at);
    const dir = folder(files("good"));
    for (const dev of [false, true]) {
      await trustIt(dir, dev);
      const { orcs, lines } = await found(dir);
      expect(ids(orcs)).toEqual(["own", "h"]);
      say(at.store, dir, undefined);
      await orcs.reload();
      expect(ids(orcs)).toEqual(["own"]);
      expect(orcs.notice?.text).toContain("they are not trusted");
      expect(lines.join("\n")).toContain("ORCS8001");
    }
  });

  test("after a change and revocation its hooks are removed", async () => {
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
      await orcs.reload();
      expect(ids(orcs)).toEqual(["h"]);
      say(at.store, dir, undefined);
      await orcs.reload();
      expect(ids(orcs)).toEqual([]);
    }
  });

  test("a trust store damaged meanwhile changes nothing", async () => {
    const at = home();
    user(at);
    const dir = folder(files("good"));
    for (const dev of [false, true]) {
      await trustIt(dir, dev);
      const { orcs } = await found(dir);
      const before = readFileSync(at.store.path);
      writeFileSync(at.store.path, "{");
      expect((await errorOf(orcs.reload())).code).toBe("ORCS8002");
      expect(orcs.notice?.text).toContain("ORCS8002");
      expect(await outcomeOf(orcs)).toBe("good");
      expect(ids(orcs)).toEqual(["own", "h"]);
      writeFileSync(at.store.path, before);
      await orcs.reload();
      expect(await outcomeOf(orcs)).toBe("good");
    }
  });

  test("a trust store damaged meanwhile denies calls where nothing was trusted", async () => {
    const at = home();
    const dir = folder(files("good"));
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBeUndefined();
    mkdirSync(join(at.dir, "state/orcs"), { recursive: true, mode: 0o700 });
    writeFileSync(at.store.path, "{", { mode: 0o600 });
    await errorOf(orcs.reload());
    expect(await outcomeOf(orcs)).toContain("ORCS8002");
    rmSync(at.store.path);
    await orcs.reload();
    expect(await outcomeOf(orcs)).toBeUndefined();
  });

  test("dev-trusted: each change is active at once, and so is the revocation", async () => {
    const at = home();
    user(at);
    const dir = folder(files("one"));
    await trustIt(dir, true);
    const { orcs, lines } = await found(dir);
    expect(lines.join("\n")).toContain(`${dir} is dev-trusted`);
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
});

describe("watch with trust", () => {
  test("trusting, changing and revoking apply without a restart", async () => {
    const at = home();
    user(at);
    const dir = folder(files("one"));
    const { orcs, lines } = await found(dir, { watch: true });
    expect(ids(orcs)).toEqual(["own"]);
    expect(orcs.notice?.text).toContain("they are not trusted");
    await trustIt(dir);
    await until(async () => (await outcomeOf(orcs)) === "one");
    expect(orcs.notice).toBeUndefined();
    writeFileSync(join(dir, "hooks/h.lua"), saying("two"));
    await until(() => orcs.notice !== undefined);
    expect(await outcomeOf(orcs)).toBe("one");
    expect(lines.join("\n")).toContain("changed since then: hooks/h.lua");
    await trustIt(dir);
    await until(async () => (await outcomeOf(orcs)) === "two");
    say(at.store, dir, undefined);
    await until(() => !ids(orcs).includes("h"));
    expect(ids(orcs)).toEqual(["own"]);
    await trustIt(dir, true);
    await until(async () => (await outcomeOf(orcs)) === "two");
    writeFileSync(join(dir, "hooks/h.lua"), saying("three"));
    await until(async () => (await outcomeOf(orcs)) === "three");
  });

  test("an untrusted project may change without any effect", async () => {
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
