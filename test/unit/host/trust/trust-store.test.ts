import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { TrustStore } from "../../../../src/host/trust/trust-store.ts";
import { errorOf, folder } from "../engine.ts";
import { found, home, hook, link, look, PATIENT, says, stateOf, trustIt } from "./rig.ts";

const PROJECT = { "orcs.toml": hook("h", says("good")) + PATIENT };
const HASH = "a".repeat(64);
const AT = "2026-11-22T00:00:00.000Z";
const IS_ROOT = process.getuid?.() === 0;

/** A project that is trusted, and the file that says so. */
async function trustedProject() {
  const { store } = home();
  const dir = folder(PROJECT);
  await trustIt(dir);
  return { dir, file: store.path, store };
}

/** That nothing is trusted, that it is said why, and that it is not written over. */
async function expectUnusable(dir: string, file: string, why: string | RegExp): Promise<void> {
  const { vouched } = await look(dir);
  expect(vouched.state).toBe("store");
  expect(vouched.why).toMatch(why);
  expect(vouched.why).toContain(file);
  const { orcs, lines } = await found(dir);
  expect(orcs.registry.list()).toEqual([]);
  expect(lines.join("\n")).toMatch(why);
  expect(orcs.notice?.text).toContain("the trust store cannot be used");
  const before = contentOf(file);
  for (const entry of [{ dev: true, at: AT } as const, undefined]) {
    const error = await errorOf(() => new TrustStore().set(dir, entry));
    expect(error.code).toBe("ORCS8002");
  }
  expect(contentOf(file)).toBe(before);
}

function contentOf(file: string): unknown {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? readFileSync(file, "latin1") : found?.mode;
}

describe("what is kept", () => {
  it("is one file of the user's own, in a folder of the user's own", async () => {
    const { file, dir } = await trustedProject();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(file)).sort()).toEqual(["trust.json", "trust.json.lock"]);
    const read = JSON.parse(readFileSync(file, "utf8")) as object;
    const entry = { at: expect.any(String), digest: expect.stringMatching(/^[0-9a-f]{64}$/) };
    const files = { "orcs.toml": expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(read).toEqual({ version: 1, trusted: { [dir]: { ...entry, files } } });
  });

  it("is all that was said, each by its folder", async () => {
    const { store } = home();
    const dirs = [folder(PROJECT), folder(PROJECT), folder(PROJECT)] as const;
    for (const dir of dirs) await trustIt(dir, dir === dirs[1]);
    expect(await Promise.all(dirs.map(stateOf))).toEqual(["trusted", "dev", "trusted"]);
    store.set(dirs[0], undefined);
    expect(await Promise.all(dirs.map(stateOf))).toEqual(["unknown", "dev", "trusted"]);
    store.set(dirs[0], undefined);
    expect(store.all().size).toBe(2);
    // What is trusted as it is, is no more trusted whatever it holds.
    await trustIt(dirs[1]);
    expect(await stateOf(dirs[1])).toBe("trusted");
  });

  it("is where the environment says, if that is absolute", async () => {
    const { dir: at } = home();
    vi.stubEnv("HOME", join(at, "me"));
    for (const wrong of ["state", "./state", ""]) {
      vi.stubEnv("XDG_STATE_HOME", wrong);
      expect(new TrustStore().path).toBe(join(at, "me/.local/state/orcs/trust.json"));
    }
  });
});

describe("a damaged one trusts nothing", () => {
  it("cut short anywhere", async () => {
    const { dir, file } = await trustedProject();
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length - 1; length++) {
      writeFileSync(file, whole.subarray(0, length));
      const error = await errorOf(() => new TrustStore().get(dir));
      // Without the last brace and its line end, it is not JSON.
      expect(error.code, `${length} bytes`).toBe("ORCS8002");
    }
    writeFileSync(file, whole.subarray(0, whole.length >> 1));
    await expectUnusable(dir, file, "is damaged");
  });

  const of = (dir: string, entry: unknown): unknown => ({ version: 1, trusted: { [dir]: entry } });
  const good = { digest: HASH, files: {}, at: AT };
  it.each<[string, (dir: string) => unknown]>([
    ["a list", () => []],
    ["a text", () => "trust me"],
    ["null", () => null],
    ["nothing", () => ({})],
    ["another version", (dir) => ({ version: 2, trusted: { [dir]: good } })],
    ["a version that is a text", (dir) => ({ version: "1", trusted: { [dir]: good } })],
    ["no version", (dir) => ({ trusted: { [dir]: good } })],
    ["a list of projects", (dir) => ({ version: 1, trusted: [dir] })],
    ["true for a project", (dir) => of(dir, true)],
    ["a text for a project", (dir) => of(dir, HASH)],
    ["null for a project", (dir) => of(dir, null)],
    ["a list for a project", (dir) => of(dir, [good])],
    ["no time", (dir) => of(dir, { ...good, at: undefined })],
    ["a time that is a number", (dir) => of(dir, { ...good, at: 1 })],
    ["no digest", (dir) => of(dir, { ...good, digest: undefined })],
    ["a digest in capitals", (dir) => of(dir, { ...good, digest: HASH.toUpperCase() })],
    ["a digest that is short", (dir) => of(dir, { ...good, digest: HASH.slice(1) })],
    ["a digest and a line", (dir) => of(dir, { ...good, digest: `${HASH}\n` })],
    ["no files", (dir) => of(dir, { ...good, files: undefined })],
    ["files in a list", (dir) => of(dir, { ...good, files: [HASH] })],
    ["a file without hash", (dir) => of(dir, { ...good, files: { a: "" } })],
    ["dev that is false", (dir) => of(dir, { dev: false, at: AT })],
    ["dev that is a text", (dir) => of(dir, { dev: "true", at: AT })],
    ["dev and a digest", (dir) => of(dir, { ...good, dev: true })],
    [
      "another project that is damaged",
      (dir) => ({ version: 1, trusted: { [dir]: good, "/x": {} } }),
    ],
  ])("%s", async (_name, make) => {
    const { dir, file } = await trustedProject();
    writeFileSync(file, JSON.stringify(make(dir)));
    await expectUnusable(dir, file, /is damaged|is of version/);
  });

  it.each<[string, string | Buffer]>([
    ["empty", ""],
    ["a byte order mark", `\uFEFF{"version":1,"trusted":{}}`],
    ["two documents", `{"version":1,"trusted":{}}{"version":1,"trusted":{}}`],
    ["a comment", `{"version":1,/* */"trusted":{}}`],
    ["not UTF-8", Buffer.from(`{"version":1,"trusted":{"/x\xff":{"dev":true,"at":""}}}`, "latin1")],
    ["zeros", Buffer.alloc(300)],
  ])("%s", async (_name, content) => {
    const { dir, file } = await trustedProject();
    writeFileSync(file, content);
    await expectUnusable(dir, file, "is damaged");
  });

  it("keys of objects' own kind are keys, and nothing else", async () => {
    const { dir, file } = await trustedProject();
    for (const key of ["__proto__", "constructor", "toString"]) {
      const entry = `{"digest":"${HASH}","files":{"__proto__":"${HASH}"},"at":""}`;
      writeFileSync(
        file,
        `{"version":1,"trusted":{"${key}":${entry},"__proto__":{"dev":true,"at":""}}}`,
      );
      expect(new TrustStore().get(dir)).toBeUndefined();
      expect(await stateOf(dir)).toBe("unknown");
      // They stay when something else is said.
      new TrustStore().set("/some/where", { dev: true, at: AT });
      expect([...new TrustStore().all().keys()]).toContain("__proto__");
    }
    expect(({} as { dev?: unknown }).dev).toBeUndefined();
    writeFileSync(file, `{"version":1,"trusted":{},"__proto__":{"${dir}":{"dev":true,"at":""}}}`);
    expect(await stateOf(dir)).toBe("unknown");
    writeFileSync(file, `{"version":1,"__proto__":{"trusted":{"${dir}":{"dev":true,"at":""}}}}`);
    expect(await stateOf(dir)).toBe("store");
    writeFileSync(file, `{"version":1,"trusted":{"${dir}":{"__proto__":{"dev":true},"at":""}}}`);
    expect(await stateOf(dir)).toBe("store");
  });
});

describe("what is not the user's own file trusts nothing", () => {
  it.each([0o644, 0o666, 0o620, 0o604, 0o610, 0o601, 0o640])("of mode %o", async (mode) => {
    const { dir, file } = await trustedProject();
    chmodSync(file, mode);
    await expectUnusable(dir, file, "is open to others");
    chmodSync(file, 0o600);
    expect(await stateOf(dir)).toBe("trusted");
    chmodSync(file, 0o400);
    expect(await stateOf(dir)).toBe("trusted");
  });

  it.each([0o777, 0o770, 0o720, 0o702, 0o1777])("in a folder of mode %o", async (mode) => {
    const { dir, file } = await trustedProject();
    chmodSync(dirname(file), mode);
    await expectUnusable(dir, file, "lies in a folder that others may write to");
    chmodSync(dirname(file), 0o755);
    expect(await stateOf(dir)).toBe("trusted");
  });

  it.skipIf(!IS_ROOT)("somebody else's", async () => {
    const { dir, file } = await trustedProject();
    chownSync(file, 65_534, 65_534);
    await expectUnusable(dir, file, "belongs to somebody else");
    chownSync(file, 0, 0);
    expect(await stateOf(dir)).toBe("trusted");
    chownSync(dirname(file), 65_534, 65_534);
    await expectUnusable(dir, file, "lies in a folder that others may write to");
  });

  it("a link, wherever it leads", async () => {
    const { dir, file } = await trustedProject();
    const copy = join(folder(), "copy.json");
    writeFileSync(copy, readFileSync(file), { mode: 0o600 });
    for (const target of [copy, "nowhere", file]) {
      rmSync(file);
      symlinkSync(target, file);
      await expectUnusable(dir, file, "is a link");
    }
    expect(readFileSync(copy, "utf8")).toContain(dir);
    rmSync(file);
    linkSync(copy, file);
    expect(await stateOf(dir)).toBe("trusted");
  });

  it("a folder", async () => {
    const { dir, file } = await trustedProject();
    rmSync(file);
    mkdirSync(file);
    await expectUnusable(dir, file, /is no file/);
  });

  it("a pipe; nobody waits for it", async () => {
    const { dir, file } = await trustedProject();
    rmSync(file);
    execFileSync("sh", ["-c", 'mkfifo -m 600 "$0"', file]);
    const started = performance.now();
    await expectUnusable(dir, file, "is no file");
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("a device", async () => {
    const { dir, file } = await trustedProject();
    rmSync(file);
    if (!IS_ROOT || spawnSync("mknod", ["-m", "600", file, "c", "1", "5"]).status !== 0) return;
    await expectUnusable(dir, file, "is no file");
  });

  it("what lies in the project itself, by a link, too", async () => {
    home();
    const dir = folder(PROJECT);
    const state = join(folder(), "state");
    link(state, join(dir, "state"));
    for (const path of [join(dir, "state"), state]) {
      vi.stubEnv("XDG_STATE_HOME", path);
      expect((await look(dir)).vouched).toMatchObject({ state: "store" });
      mkdirSync(join(dir, "state/orcs"), { recursive: true });
      const entry = { dev: true, at: AT };
      const content = JSON.stringify({ version: 1, trusted: { [dir]: entry } });
      writeFileSync(join(dir, "state/orcs/trust.json"), content, { mode: 0o600 });
      expect((await look(dir)).vouched).toMatchObject({
        state: "store",
        why: expect.stringContaining("lies in what it would vouch for"),
      });
      const { orcs } = await found(dir);
      expect(orcs.registry.list()).toEqual([]);
    }
    // A folder beside it whose name begins alike is another.
    const near = `${dir}-state`;
    onTestFinished(() => rmSync(near, { recursive: true, force: true }));
    vi.stubEnv("XDG_STATE_HOME", near);
    await trustIt(dir);
    expect(await stateOf(dir)).toBe("trusted");
  });

  it("a folder that is a link of the user's own is the user's own", async () => {
    const { dir: at } = home();
    const real = join(at, "real");
    mkdirSync(real, { mode: 0o700 });
    link(join(at, "state/orcs"), real);
    const dir = folder(PROJECT);
    await trustIt(dir);
    expect(existsSync(join(real, "trust.json"))).toBe(true);
    expect(await stateOf(dir)).toBe("trusted");
  });
});

describe("writing", () => {
  it("leaves what stands in its way in a folder of others", async () => {
    const { dir: at, store } = home();
    const victim = join(folder({ victim: "precious" }), "victim");
    mkdirSync(dirname(store.path), { recursive: true });
    chmodSync(dirname(store.path), 0o777);
    symlinkSync(victim, `${store.path}.lock`);
    symlinkSync(victim, `${store.path}.new`);
    const error = await errorOf(() => store.set("/x", { dev: true, at: AT }));
    expect(error.code).toBe("ORCS8002");
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(existsSync(join(at, "state/orcs/trust.json"))).toBe(false);
  });

  it("goes on after one that was interrupted", async () => {
    const { dir, file, store } = await trustedProject();
    const victim = join(folder({ victim: "precious" }), "victim");
    for (const leave of [
      () => writeFileSync(`${file}.new`, "half", { mode: 0o644 }),
      () => symlinkSync(victim, `${file}.new`),
      () => writeFileSync(`${file}.lock`, "rubbish"),
    ]) {
      leave();
      store.set("/x", { dev: true, at: AT });
      store.set("/x", undefined);
      expect(existsSync(`${file}.new`)).toBe(false);
      expect(await stateOf(dir)).toBe("trusted");
    }
    expect(readFileSync(victim, "utf8")).toBe("precious");
    // What is not even a file is told, and taken away.
    mkdirSync(join(`${file}.new`, "deep"), { recursive: true });
    const error = await errorOf(() => store.set("/x", { dev: true, at: AT }));
    expect(error.code).toBe("ORCS8002");
    store.set("/x", { dev: true, at: AT });
    expect(store.all().size).toBe(2);
  });

  it.skipIf(IS_ROOT)("changes nothing in a folder that cannot be written", async () => {
    const { dir, file, store } = await trustedProject();
    chmodSync(dirname(file), 0o500);
    const error = await errorOf(() => store.set(dir, undefined));
    expect(error.code).toMatch(/ORCS8002|ORCS5002/);
    chmodSync(dirname(file), 0o700);
    expect(await stateOf(dir)).toBe("trusted");
  });
});
