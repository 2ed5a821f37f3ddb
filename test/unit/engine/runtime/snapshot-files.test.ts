import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { Json } from "../../../../src/core/json.ts";
import { snapshotFiles } from "../../../../src/engine/runtime/snapshot-files.ts";
import { Lines } from "../orcs/engine.ts";
import { isQuickDone, quickTest as test, slowTest } from "../../../slow-test.ts";

const ID = "lua::memory";

/** A folder for snapshots that is not there yet, a store in it, and what the store has said. */
function opened() {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "orcs-snapshots-")));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const dir = join(parent, "a/b");
  const log = new Lines();
  return { dir, log, store: snapshotFiles(dir, log) };
}

/** The same with one snapshot in it, and the path of its file. */
async function saved(snapshot: Json = { n: 1 }) {
  const { dir, log, store } = opened();
  await store.save(ID, snapshot);
  const [name = "", ...others] = readdirSync(dir);
  expect(others).toEqual([]);
  return { dir, log, store, file: join(dir, name) };
}

async function errorOf(doing: Promise<unknown>): Promise<OrcsError> {
  const error = await doing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OrcsError);
  expect(error).toMatchObject({ code: "ORCS6013" });
  return error as OrcsError;
}

describe("a saved snapshot is loaded", () => {
  test("but not if none was saved, and no folder is created", async () => {
    const { dir, log, store } = opened();
    expect(await store.load(ID)).toBeUndefined();
    expect(existsSync(dir)).toBe(false);
    expect(log.lines).toEqual([]);
  });

  slowTest(
    "any JSON value is loaded as saved, also by another store; the last save counts",
    async () => {
      const { dir, log, store } = opened();
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ noUnicodeString: false, maxDepth: 5 }), async (value) => {
          // JSON.stringify has no -0.
          const snapshot = JSON.parse(JSON.stringify(value)) as Json;
          await store.save(ID, snapshot);
          expect(await store.load(ID)).toEqual(snapshot);
          expect(await snapshotFiles(dir, log).load(ID)).toEqual(snapshot);
        }),
        { numRuns: 50 },
      );
      expect(readdirSync(dir)).toHaveLength(1);
      expect(log.lines).toEqual([]);
    },
  );

  test("with keys such as __proto__ as data", async () => {
    const snapshot = JSON.parse('{"__proto__":{"x":1},"constructor":2,"toJSON":3}') as Json;
    const { store } = await saved(snapshot);
    const loaded = await store.load(ID);
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(snapshot));
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("as it was at the time of the call", async () => {
    const { store } = opened();
    const snapshot = { list: [1] };
    const saving = store.save(ID, snapshot);
    snapshot.list.push(2);
    await saving;
    expect(await store.load(ID)).toEqual({ list: [1] });
  });

  test("from the documented file format", async () => {
    const before = Date.now();
    const { file } = await saved({ n: 1 });
    const written = JSON.parse(readFileSync(file, "utf8")) as { saved_at: string };
    expect(written).toEqual({
      version: 1,
      component: ID,
      saved_at: expect.any(String),
      snapshot: { n: 1 },
    });
    expect(new Date(written.saved_at).toISOString()).toBe(written.saved_at);
    expect(Date.parse(written.saved_at)).toBeGreaterThanOrEqual(before);
  });

  it.skipIf(isQuickDone || process.platform === "win32")(
    "from a file that only its owner can access",
    async () => {
      const { dir, file } = await saved();
      expect(statSync(dir).mode & 0o777).toBe(0o700);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    },
  );
});

describe("each component has its own snapshot file", () => {
  const LIKE: readonly string[] = [
    "lua::a",
    "LUA::A",
    "lua::A",
    "lua::a#0",
    "lua::a#1",
    "lua::a-0",
    "lua--a",
    "lua:a",
    "lua::é",
    "lua::e\u0301",
    "lua::ß",
    "lua::SS",
    "lua::a ",
    "lua::a.",
    "con::aux",
    "..::..",
    "../../escape",
    "/etc::passwd",
    "a/b::c",
    "a\\b::c",
    "nul\0::x",
    "lua::\ud800",
    "lua::\udfff",
    "lua::*?<>|",
    "",
    `lua::${"x".repeat(5000)}`,
    `lua::${"x".repeat(5000)}y`,
  ];

  test("for any name on any file system, within the folder", async () => {
    const { dir, store, log } = opened();
    for (const id of LIKE) await store.save(id, id.length > 0 ? { id: id.slice(-8) } : null);
    const names = readdirSync(dir);
    expect(names).toHaveLength(LIKE.length);
    expect(new Set(names.map((name) => name.normalize("NFC").toLowerCase())).size).toBe(
      LIKE.length,
    );
    for (const name of names) {
      expect(name).toMatch(/^[a-z0-9-]+\.json$/);
      expect(Buffer.byteLength(name)).toBeLessThan(200);
    }
    expect(readdirSync(dirname(dir))).toEqual(["b"]);
    for (const id of LIKE) {
      expect(await store.load(id)).toEqual(id.length > 0 ? { id: id.slice(-8) } : null);
    }
    expect(log.lines).toEqual([]);
  });

  test("two ids have two files", async () => {
    const { dir, store } = opened();
    const ids = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 12 }), async (id) => {
        ids.add(id);
        await store.save(id, id);
        expect(readdirSync(dir)).toHaveLength(ids.size);
      }),
      { numRuns: 60 },
    );
    for (const id of ids) expect(await store.load(id)).toBe(id);
  });
});

describe("an unusable snapshot file is renamed", () => {
  const envelope = (more: Readonly<Record<string, unknown>>): string =>
    JSON.stringify({ version: 1, component: ID, saved_at: "", snapshot: 1, ...more });
  const deep = `${"[".repeat(40)}${"]".repeat(40)}`;
  const WRONG: readonly [string, string | Uint8Array, string][] = [
    ["nothing", "", "it is not valid JSON"],
    ["half a file", envelope({}).slice(0, -1), "it is not valid JSON"],
    ["two values", `${envelope({})}{}`, "it is not valid JSON"],
    ["bytes that are no text", new Uint8Array([0x22, 0xff, 0x22]), "it is not valid JSON"],
    ["a list", "[]", "it is not an object"],
    ["null", "null", "it is not an object"],
    ["no version", "{}", "its version is not given; expected 1"],
    ["a later version", envelope({ version: 2 }), "its version is 2; expected 1"],
    ["a version of another type", envelope({ version: "1" }), 'its version is "1"; expected 1'],
    [
      "a version without end",
      envelope({ version: "x".repeat(5000) }),
      `its version is "${"x".repeat(199)}…; expected 1`,
    ],
    ["that of another", envelope({ component: "lua::b" }), 'it belongs to "lua::b"'],
    ["nobody's", envelope({ component: undefined }), "it belongs to not given"],
    ["no snapshot", envelope({ snapshot: undefined }), "it contains no snapshot"],
    ["a number beyond all", envelope({}).replace('"snapshot":1', '"snapshot":1e999'), "Infinity"],
    ["one nested too deep", envelope({ snapshot: JSON.parse(deep) }), "is nested deeper than 32"],
  ];
  test.each(WRONG)("%s", async (_name, content, wrong) => {
    const { dir, log, store, file } = await saved();
    writeFileSync(file, content);
    expect(await store.load(ID)).toBeUndefined();
    const aside = `${file}.rejected-1`;
    expect(readdirSync(dir).map((name) => join(dir, name))).toEqual([aside]);
    expect(readFileSync(aside)).toEqual(Buffer.from(content));
    expect(log.lines).toHaveLength(1);
    const [line = ""] = log.lines;
    expect(line).toMatch(/^warn: ORCS6013: the snapshot of "lua::memory" cannot be used: /);
    expect(line).toContain(wrong);
    expect(line).toContain(`renamed to ${aside}`);
    // It counts as none: that is said once, and the next snapshot is kept.
    expect(await store.load(ID)).toBeUndefined();
    await store.save(ID, { n: 2 });
    expect(await store.load(ID)).toEqual({ n: 2 });
    expect(log.lines).toHaveLength(1);
  });

  test("without its content in the log", async () => {
    const { log, store, file } = await saved();
    writeFileSync(file, '{ "password": hunter2 }');
    await store.load(ID);
    expect(log.lines.join("\n")).not.toContain("hunter2");
  });

  test("repeatedly, without overwriting earlier ones", async () => {
    const { dir, store, file } = await saved();
    writeFileSync(`${file}.rejected-2`, "somebody's own");
    for (const content of ["a", "b", "c"]) {
      writeFileSync(file, content);
      expect(await store.load(ID)).toBeUndefined();
    }
    const contents = readdirSync(dir).map((name) => [
      name.slice(-1),
      readFileSync(join(dir, name), "utf8"),
    ]);
    expect(Object.fromEntries(contents)).toEqual({ 1: "a", 2: "somebody's own", 3: "b", 4: "c" });
  });

  test("by one of two concurrent loads", async () => {
    const { dir, log, store, file } = await saved();
    writeFileSync(file, "x");
    expect(await Promise.all([store.load(ID), store.load(ID)])).toEqual([undefined, undefined]);
    expect(readdirSync(dir)).toHaveLength(1);
    expect(log.lines).toHaveLength(1);
  });
});

describe("an unreadable snapshot is an error, so that it is not overwritten", () => {
  test("a directory in its place", async () => {
    const { store, file } = await saved();
    rmSync(file);
    mkdirSync(file);
    const error = await errorOf(store.load(ID));
    expect(error.message).toContain(
      `the snapshot of "lua::memory" cannot be read from ${file}: it is not a regular file`,
    );
    expect(error.fields).toEqual({ component: ID, file });
    expect(statSync(file).isDirectory()).toBe(true);
  });

  test("a file in place of the folder", async () => {
    const { dir, store } = await saved();
    rmSync(dir, { recursive: true });
    writeFileSync(dir, "x");
    expect((await errorOf(store.load(ID))).message).toContain("ENOTDIR");
    await errorOf(store.save(ID, 1));
    expect(readFileSync(dir, "utf8")).toBe("x");
  });

  it.skipIf(isQuickDone || process.platform === "win32")("a symlink", async () => {
    const { dir, store, file } = await saved();
    renameSync(file, join(dir, "other"));
    symlinkSync("other", file);
    await errorOf(store.load(ID));
  });

  it.skipIf(isQuickDone || process.platform === "win32")("a named pipe", async () => {
    const { store, file } = await saved();
    rmSync(file);
    execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
    expect((await errorOf(store.load(ID))).message).toContain("it is not a regular file");
  });

  test("a file over the size limit", async () => {
    const { store, file } = await saved();
    truncateSync(file, 64 * 2 ** 20 + 1);
    const { message } = await errorOf(store.load(ID));
    expect(message).toContain("it has 67108865 bytes; the limit is 67108864");
    expect(statSync(file).size).toBe(64 * 2 ** 20 + 1);
  });

  const noPermissions = process.platform === "win32" || process.getuid?.() === 0;
  it.skipIf(isQuickDone || noPermissions)("no permission", async () => {
    const { store, file } = await saved();
    chmodSync(file, 0o000);
    expect((await errorOf(store.load(ID))).message).toContain("EACCES");
    chmodSync(file, 0o600);
    expect(await store.load(ID)).toEqual({ n: 1 });
  });

  it.skipIf(isQuickDone || noPermissions)("a file that cannot be renamed", async () => {
    const { dir, log, store, file } = await saved();
    writeFileSync(file, "x");
    chmodSync(dir, 0o500);
    onTestFinished(() => chmodSync(dir, 0o700));
    expect((await errorOf(store.load(ID))).message).toContain("EACCES");
    expect(readFileSync(file, "utf8")).toBe("x");
    expect(log.lines).toEqual([]);
  });
});

describe("a snapshot that cannot be saved", () => {
  test("is reported, and the previous one stays", async () => {
    const { dir, store } = await saved({ n: 1 });
    const cycle: Json[] = [];
    cycle.push(cycle);
    let deep: Json = 1;
    for (let i = 0; i < 40; i++) deep = [deep];
    const wrong: [unknown, string][] = [
      [undefined, "is of type undefined"],
      [{ at: new Date() }, "/snapshot/at is an instance of a class"],
      [[Number.NaN], "/snapshot/0 is NaN"],
      [() => 1, "is of type function"],
      [cycle, "is a circular reference"],
      [deep, "is nested deeper than 32 levels"],
      ["x".repeat(64 * 2 ** 20), "the limit is"],
    ];
    for (const [snapshot, why] of wrong) {
      const { message } = await errorOf(store.save(ID, snapshot as Json));
      expect(message).toContain(`the snapshot of "lua::memory" cannot be written to ${dir}`);
      expect(message).toContain(why);
    }
    expect(readdirSync(dir)).toHaveLength(1);
    expect(await store.load(ID)).toEqual({ n: 1 });
  });

  test("leaves no temporary file and does not block the next save", async () => {
    const { dir, store, file } = await saved();
    rmSync(file);
    mkdirSync(join(file, "inside"), { recursive: true });
    const failing = store.save(ID, 1);
    const next = store.save(ID, 2);
    await errorOf(failing);
    await errorOf(next);
    expect(readdirSync(dir).map((name) => join(dir, name))).toEqual([file]);
    rmSync(file, { recursive: true });
    await store.save(ID, 3);
    expect(await store.load(ID)).toBe(3);
  });
});

describe("concurrent snapshot access", () => {
  test("the last save wins, and a load sees earlier saves", async () => {
    const { dir, store } = opened();
    const saving: Promise<void>[] = [];
    const loading: Promise<Json | undefined>[] = [];
    for (let n = 0; n < 50; n++) {
      // The earlier, the longer it takes.
      saving.push(store.save(ID, { n, text: "x".repeat((50 - n) * 2000) }));
      loading.push(store.load(ID));
    }
    await Promise.all(saving);
    expect((await Promise.all(loading)).map((found) => (found as { n: number }).n)).toEqual(
      Array.from({ length: 50 }, (_, n) => n),
    );
    expect(await store.load(ID)).toEqual({ n: 49, text: "x".repeat(2000) });
    expect(readdirSync(dir)).toHaveLength(1);
  });

  slowTest("another reader never sees a partly written file", async () => {
    const { dir, log, store } = await saved({ text: "" });
    const reader = snapshotFiles(dir, log);
    const over = new AbortController();
    let count = 0;
    const reading = (async () => {
      while (!over.signal.aborted) {
        const found = (await reader.load(ID)) as { text: string } | undefined;
        expect(found?.text.replaceAll("x", "")).toBe("");
        count++;
      }
    })();
    for (let n = 0; n < 60; n++) await store.save(ID, { text: "x".repeat((n % 7) * 100_000) });
    over.abort();
    await reading;
    expect(count).toBeGreaterThan(1);
    expect(log.lines).toEqual([]);
    expect(readdirSync(dir)).toHaveLength(1);
  });

  test("a process killed while saving leaves a complete file", async () => {
    const { dir, log, store } = await saved({ n: 0, text: "0" });
    const built = fileURLToPath(
      new URL("../../../../build/engine/runtime/snapshot-files.js", import.meta.url),
    );
    const program = `
      const { snapshotFiles } = await import(${JSON.stringify(built)});
      const store = snapshotFiles(${JSON.stringify(dir)}, console);
      for (let n = 1; ; n++) {
        await store.save(${JSON.stringify(ID)}, { n, text: String(n % 10).repeat(2_000_000) });
        if (n === 2) console.log("saving");
      }
    `;
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
      let errors = "";
      child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
      const ended = new Promise((resolve) => child.once("exit", resolve));
      await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), ended]);
      expect(errors).toBe("");
      await new Promise((resolve) => setTimeout(resolve, round * 7));
      child.kill("SIGKILL");
      await ended;
      const found = (await store.load(ID)) as { n: number; text: string };
      expect(found.n).toBeGreaterThanOrEqual(2);
      expect(found.text).toBe(String(found.n % 10).repeat(2_000_000));
    }
    expect(log.lines).toEqual([]);
  });
});
