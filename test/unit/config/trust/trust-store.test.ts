import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { TrustStore } from "../../../../src/config/trust/trust-store.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { found, home, hook, link, look, PATIENT, say, says, stateOf, trustIt } from "./rig.ts";

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
  // Nobody can say what was trusted: nothing is loaded, and whoever asks for a decision is denied.
  for (const asked of [look(dir), found(dir)]) {
    const error = await errorOf(asked);
    expect(error.code).toBe("ORCS8002");
    expect(error.message).toMatch(why);
    expect(error.message).toContain(file);
  }
  const before = contentOf(file);
  for (const entry of ["dev", undefined] as const)
    expect((await errorOf(() => say(new TrustStore(), dir, entry))).code).toBe("ORCS8002");
  expect(contentOf(file)).toBe(before);
}

function contentOf(file: string): unknown {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? readFileSync(file, "latin1") : found?.mode;
}

describe("the trust store", () => {
  it("is one private file in a private folder", async () => {
    const { file, dir } = await trustedProject();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    const names = ["seals", "trust.json", "trust.json.lock"];
    expect(readdirSync(dirname(file)).sort()).toEqual(names);
    const read = JSON.parse(readFileSync(file, "utf8")) as { projects: Record<string, object> };
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    const sets = [{ at: expect.any(String) as string, branch: null, digest }];
    const projects = { [dir]: { sets, folders: { [dir]: digest } } };
    expect(read).toEqual({ version: 2, projects, user: {} });
  });

  it("has an entry per folder", async () => {
    const { store } = home();
    const dirs = [folder(PROJECT), folder(PROJECT), folder(PROJECT)] as const;
    for (const dir of dirs) await trustIt(dir, dir === dirs[1]);
    expect(await Promise.all(dirs.map(stateOf))).toEqual(["trusted", "dev", "trusted"]);
    say(store, dirs[0], undefined);
    expect(await Promise.all(dirs.map(stateOf))).toEqual(["unknown", "dev", "trusted"]);
    say(store, dirs[0], undefined);
    expect(store.all().projects.size).toBe(2);
    // What is trusted as it is, is no more trusted whatever it holds.
    await trustIt(dirs[1]);
    expect(await stateOf(dirs[1])).toBe("trusted");
  });

  it("is in XDG_STATE_HOME if that is absolute", async () => {
    const { dir: at } = home();
    vi.stubEnv("HOME", join(at, "me"));
    for (const wrong of ["state", "./state", ""]) {
      vi.stubEnv("XDG_STATE_HOME", wrong);
      expect(new TrustStore().path).toBe(join(at, "me/.local/state/orcs/trust.json"));
    }
  });
});

describe("a damaged trust store trusts nothing", () => {
  it("truncated at any byte", async () => {
    const { dir, file } = await trustedProject();
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length - 1; length++) {
      writeFileSync(file, whole.subarray(0, length));
      const error = await errorOf(() => new TrustStore().all());
      // Without the last brace and its line end, it is not JSON.
      expect(error.code, `${length} bytes`).toBe("ORCS8002");
    }
    writeFileSync(file, whole.subarray(0, whole.length >> 1));
    await expectUnusable(dir, file, "is damaged");
  });

  const of = (dir: string, entry: unknown): unknown => ({
    version: 2,
    projects: { [dir]: entry },
    user: {},
  });
  const set = { digest: HASH, branch: null, at: AT };
  const good = { sets: [set], folders: {} };
  const withSet = (dir: string, change: object): unknown =>
    of(dir, { ...good, sets: [{ ...set, ...change }] });
  it.each<[string, (dir: string) => unknown]>([
    ["a list", () => []],
    ["a text", () => "trust me"],
    ["null", () => null],
    ["nothing", () => ({})],
    ["another version", (dir) => ({ version: 3, projects: { [dir]: good }, user: {} })],
    ["a version that is a text", (dir) => ({ version: "2", projects: { [dir]: good }, user: {} })],
    ["no version", (dir) => ({ projects: { [dir]: good }, user: {} })],
    ["a list of projects", (dir) => ({ version: 2, projects: [dir], user: {} })],
    ["no user", (dir) => ({ version: 2, projects: { [dir]: good } })],
    ["true for a project", (dir) => of(dir, true)],
    ["a text for a project", (dir) => of(dir, HASH)],
    ["null for a project", (dir) => of(dir, null)],
    ["a list for a project", (dir) => of(dir, [good])],
    ["no time", (dir) => withSet(dir, { at: undefined })],
    ["a time that is a number", (dir) => withSet(dir, { at: 1 })],
    ["no digest", (dir) => withSet(dir, { digest: undefined })],
    ["a digest in capitals", (dir) => withSet(dir, { digest: HASH.toUpperCase() })],
    ["a digest that is short", (dir) => withSet(dir, { digest: HASH.slice(1) })],
    ["a digest and a line", (dir) => withSet(dir, { digest: `${HASH}\n` })],
    ["a digest that is a path", (dir) => withSet(dir, { digest: "../../evil" })],
    ["a branch that is a number", (dir) => withSet(dir, { branch: 1 })],
    ["no folders", (dir) => of(dir, { sets: [set] })],
    ["folders in a list", (dir) => of(dir, { ...good, folders: [HASH] })],
    ["a folder without digest", (dir) => of(dir, { ...good, folders: { a: "" } })],
    ["sets that are one", (dir) => of(dir, { ...good, sets: set })],
    ["dev that is false", (dir) => of(dir, { dev: false, at: AT, folders: {} })],
    ["dev that is a text", (dir) => of(dir, { dev: "true", at: AT, folders: {} })],
    [
      "another project that is damaged",
      (dir) => ({ version: 2, projects: { [dir]: good, "/x": {} }, user: {} }),
    ],
    [
      "the user's own that is damaged",
      (dir) => ({ version: 2, projects: { [dir]: good }, user: { "/x": {} } }),
    ],
  ])("%s", async (_name, make) => {
    const { dir, file } = await trustedProject();
    writeFileSync(file, JSON.stringify(make(dir)));
    await expectUnusable(dir, file, /is damaged|has version/);
  });

  it.each<[string, string | Buffer]>([
    ["empty", ""],
    ["a byte order mark", `\uFEFF{"version":2,"projects":{},"user":{}}`],
    ["two documents", `{"version":1,"trusted":{}}{"version":1,"trusted":{}}`],
    ["a comment", `{"version":1,/* */"trusted":{}}`],
    ["not UTF-8", Buffer.from(`{"version":1,"trusted":{"/x\xff":{"dev":true,"at":""}}}`, "latin1")],
    ["zeros", Buffer.alloc(300)],
  ])("%s", async (_name, content) => {
    const { dir, file } = await trustedProject();
    writeFileSync(file, content);
    await expectUnusable(dir, file, "is damaged");
  });

  it("__proto__ and other inherited names are ordinary keys", async () => {
    const { dir, file } = await trustedProject();
    for (const key of ["__proto__", "constructor", "toString"]) {
      const entry = `{"sets":[{"digest":"${HASH}","branch":null,"at":""}],"folders":{"__proto__":"${HASH}"}}`;
      const dev = '"__proto__":{"dev":true,"at":"","folders":{}}';
      writeFileSync(file, `{"version":2,"projects":{"${key}":${entry},${dev}},"user":{}}`);
      expect(await stateOf(dir)).toBe("unknown");
      // They stay when something else is said.
      say(new TrustStore(), "/some/where", "dev");
      expect([...new TrustStore().all().projects.keys()]).toContain("__proto__");
    }
    expect(({} as { dev?: unknown }).dev).toBeUndefined();
    const dev = `{"${dir}":{"dev":true,"at":"","folders":{}}}`;
    writeFileSync(file, `{"version":2,"projects":{},"user":{},"__proto__":${dev}}`);
    expect(await stateOf(dir)).toBe("unknown");
    for (const text of [
      `{"version":2,"__proto__":{"projects":${dev},"user":{}}}`,
      `{"version":2,"projects":{"${dir}":{"__proto__":{"dev":true},"at":"","folders":{}}},"user":{}}`,
    ]) {
      writeFileSync(file, text);
      expect((await errorOf(look(dir))).code).toBe("ORCS8002");
    }
  });

  it("deleted while its seals remain", async () => {
    const { dir, file } = await trustedProject();
    rmSync(file);
    await expectUnusable(dir, file, "is missing, but its seals still exist");
    rmSync(join(dirname(file), "seals"), { recursive: true });
    expect(await stateOf(dir)).toBe("unknown");
  });

  it("version 1 without copies: nothing is active, and calls are denied", async () => {
    const { dir, file } = await trustedProject();
    const other = folder(PROJECT);
    const entry = { digest: HASH, files: { "orcs.toml": HASH }, at: AT };
    const trusted = { [dir]: entry, [other]: { dev: true, at: AT } };
    writeFileSync(file, JSON.stringify({ version: 1, trusted }));
    const error = await errorOf(found(dir));
    expect(error.code).toBe("ORCS8010");
    expect(error.message).toContain(`run orcs trust ${dir}`);
    expect(await stateOf(other)).toBe("dev");
    await trustIt(dir);
    expect([await stateOf(dir), await stateOf(other)]).toEqual(["trusted", "dev"]);
  });
});

describe("an insecure trust store trusts nothing", () => {
  it.each([0o644, 0o666, 0o620, 0o604, 0o610, 0o601, 0o640])("file mode %o", async (mode) => {
    const { dir, file } = await trustedProject();
    chmodSync(file, mode);
    await expectUnusable(dir, file, "is accessible to other users");
    chmodSync(file, 0o600);
    expect(await stateOf(dir)).toBe("trusted");
    chmodSync(file, 0o400);
    expect(await stateOf(dir)).toBe("trusted");
  });

  it.each([0o777, 0o770, 0o720, 0o702, 0o1777])("folder mode %o", async (mode) => {
    const { dir, file } = await trustedProject();
    chmodSync(dirname(file), mode);
    await expectUnusable(dir, file, "is in a folder that other users can write to");
    chmodSync(dirname(file), 0o755);
    expect(await stateOf(dir)).toBe("trusted");
  });

  it.skipIf(!IS_ROOT)("owned by another user", async () => {
    const { dir, file } = await trustedProject();
    chownSync(file, 65_534, 65_534);
    await expectUnusable(dir, file, "is owned by another user");
    chownSync(file, 0, 0);
    expect(await stateOf(dir)).toBe("trusted");
    chownSync(dirname(file), 65_534, 65_534);
    await expectUnusable(dir, file, "is in a folder that other users can write to");
  });

  it("a symlink", async () => {
    const { dir, file } = await trustedProject();
    const copy = join(folder(), "copy.json");
    writeFileSync(copy, readFileSync(file), { mode: 0o600 });
    for (const target of [copy, "nowhere", file]) {
      rmSync(file);
      symlinkSync(target, file);
      await expectUnusable(dir, file, "is a symbolic link");
    }
    expect(readFileSync(copy, "utf8")).toContain(dir);
    rmSync(file);
    linkSync(copy, file);
    expect(await stateOf(dir)).toBe("trusted");
  });

  it("a directory", async () => {
    const { dir, file } = await trustedProject();
    rmSync(file);
    mkdirSync(file);
    await expectUnusable(dir, file, /is not a regular file/);
  });

  it("a named pipe, without waiting", async () => {
    const { dir, file } = await trustedProject();
    rmSync(file);
    execFileSync("sh", ["-c", 'mkfifo -m 600 "$0"', file]);
    const started = performance.now();
    await expectUnusable(dir, file, "is not a regular file");
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("a device", async () => {
    const { dir, file } = await trustedProject();
    rmSync(file);
    if (!IS_ROOT || spawnSync("mknod", ["-m", "600", file, "c", "1", "5"]).status !== 0) return;
    await expectUnusable(dir, file, "is not a regular file");
  });

  it("inside the project, directly or by symlink", async () => {
    home();
    const dir = folder(PROJECT);
    const state = join(folder(), "state");
    link(state, join(dir, "state"));
    for (const path of [join(dir, "state"), state]) {
      vi.stubEnv("XDG_STATE_HOME", path);
      expect((await look(dir)).standing).toMatchObject({ state: "store" });
      mkdirSync(join(dir, "state/orcs"), { recursive: true });
      const entry = { dev: true, at: AT, folders: {} };
      const content = JSON.stringify({ version: 2, projects: { [dir]: entry }, user: {} });
      writeFileSync(join(dir, "state/orcs/trust.json"), content, { mode: 0o600 });
      expect((await look(dir)).standing).toMatchObject({
        state: "store",
        why: expect.stringContaining("is inside the project") as string,
      });
      // That it says something of the project is no reason to believe it, nor to do as if nobody had.
      expect((await errorOf(found(dir))).code).toBe("ORCS8002");
    }
    // A folder beside it whose name begins alike is another.
    const near = `${dir}-state`;
    onTestFinished(() => rmSync(near, { recursive: true, force: true }));
    vi.stubEnv("XDG_STATE_HOME", near);
    await trustIt(dir);
    expect(await stateOf(dir)).toBe("trusted");
  });

  it("but a private folder that is the user's symlink is accepted", async () => {
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

describe("writing the trust store", () => {
  it("does not touch files in a folder open to others", async () => {
    const { dir: at, store } = home();
    const victim = join(folder({ victim: "precious" }), "victim");
    mkdirSync(dirname(store.path), { recursive: true });
    chmodSync(dirname(store.path), 0o777);
    symlinkSync(victim, `${store.path}.lock`);
    symlinkSync(victim, `${store.path}.new`);
    expect((await errorOf(() => say(store, "/x", "dev"))).code).toBe("ORCS8002");
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(existsSync(join(at, "state/orcs/trust.json"))).toBe(false);
  });

  it("works after an interrupted write", async () => {
    const { dir, file, store } = await trustedProject();
    const victim = join(folder({ victim: "precious" }), "victim");
    const left = `${file}.${process.pid}-1-x-x.tmp`;
    for (const leave of [
      () => (writeFileSync(left, "half", { mode: 0o644 }), utimesSync(left, 0, 0)),
      () => (symlinkSync(victim, left), lutimesSync(left, 0, 0)),
      () => writeFileSync(`${file}.lock`, "rubbish"),
    ]) {
      leave();
      say(store, "/x", "dev");
      say(store, "/x", undefined);
      expect(lstatSync(left, { throwIfNoEntry: false })).toBeUndefined();
      expect(await stateOf(dir)).toBe("trusted");
    }
    expect(readFileSync(victim, "utf8")).toBe("precious");
    // What is not even a file stays.
    mkdirSync(join(left, "deep"), { recursive: true });
    utimesSync(left, 0, 0);
    say(store, "/x", "dev");
    expect(store.all().projects.size).toBe(2);
  });

  it.skipIf(IS_ROOT)("changes nothing in a read-only folder", async () => {
    const { dir, file, store } = await trustedProject();
    chmodSync(dirname(file), 0o500);
    expect((await errorOf(() => say(store, dir, undefined))).code).toMatch(/ORCS8002|ORCS5002/);
    chmodSync(dirname(file), 0o700);
    expect(await stateOf(dir)).toBe("trusted");
  });
});
