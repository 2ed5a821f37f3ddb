import { execFileSync } from "node:child_process";
import fs, {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  ANY_FILE,
  appendToFile,
  createFile,
  emptyIfLarge,
  openToAppend,
  replaceFile,
  replaceFileLater,
  stageFile,
} from "../../../../src/machine/files/stored-file.ts";

const CALLS = [
  ...(["openSync", "writeSync", "fsyncSync", "fchmodSync", "closeSync", "renameSync"] as const),
  ...(["linkSync", "unlinkSync", "lstatSync", "readdirSync", "ftruncateSync"] as const),
];

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orcs-stored-"));
  file = join(folder, "file.json");
});
afterEach(() => {
  restore();
  rmSync(folder, { recursive: true, force: true });
});

function restore(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

/** Replace one function of `node:fs`, for all who import it. */
function replaced<K extends (typeof CALLS)[number]>(name: K, by: (typeof fs)[K]): void {
  vi.spyOn(fs, name).mockImplementation(by as never);
  syncBuiltinESMExports();
}

/**
 * Run something whose `at`-th call of the file system fails, and all that follow if the process is `killed` there: none
 * of them is made, whatever the code does.
 * @returns the name of that call, undefined when there were fewer
 */
function failingAt(at: number, isKilled: boolean, work: () => void): string | undefined {
  let count = 0;
  let failed: string | undefined;
  for (const name of CALLS) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
      if (count++ === at) failed = name;
      if (failed !== undefined && (isKilled || count - 1 === at))
        throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
      return real(...args);
    }) as never);
  }
  syncBuiltinESMExports();
  try {
    work();
  } catch (thrown) {
    if (failed === undefined) throw thrown;
  } finally {
    restore();
  }
  return failed;
}

const OLD = "old content\n";
const NEW = "new content, which is longer\n";
const content = (): string | undefined =>
  readdirSync(folder).includes("file.json") ? readFileSync(file, "utf8") : undefined;

function inTwoSteps(): void {
  const staged = stageFile(file, NEW);
  try {
    staged.commit();
  } finally {
    staged.discard();
  }
}

const WRITERS: readonly [
  name: string,
  before: string | undefined,
  after: string,
  write: () => void,
][] = [
  ["replace", OLD, NEW, () => replaceFile(file, NEW)],
  ["replace, durable", OLD, NEW, () => replaceFile(file, NEW, { isDurable: true })],
  ["replace, keeping the mode", OLD, NEW, () => replaceFile(file, NEW, { keepsMode: true })],
  ["replace what is not there", undefined, NEW, () => replaceFile(file, NEW, { mode: ANY_FILE })],
  ["a new one", undefined, NEW, () => replaceFile(file, NEW, { isNew: true, isDurable: true })],
  ["in two steps", OLD, NEW, inTwoSteps],
  ["append", OLD, OLD + NEW, () => appendToFile(file, NEW, { isDurable: true })],
];

describe.each(WRITERS)("%s", (_, before, after, write) => {
  const begin = (): void => {
    rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder);
    if (before !== undefined) writeFileSync(file, before);
  };

  test("killed between any two calls: the old or the new content, and nothing is left after the next write", () => {
    const seen = new Set<string | undefined>();
    for (let at = 0, isKilled = true; isKilled; at++) {
      begin();
      isKilled = failingAt(at, true, write) !== undefined;
      // Its process does not run any more: another one has its number.
      for (const name of readdirSync(folder))
        fs.renameSync(join(folder, name), join(folder, name.replace(/\.(\d+)-\d+-/, ".$1-1-")));
      // Opening for appending makes an empty file.
      expect([before, after]).toContain(content());
      seen.add(content());
      replaceFile(file, "third\n");
      expect(readFileSync(file, "utf8")).toBe("third\n");
      expect(readdirSync(folder)).toEqual(["file.json"]);
    }
    expect(seen).toEqual(new Set([before, after]));
  });

  test("any call that fails: the old content if it throws, and nothing beside it", () => {
    for (let at = 0, failed: string | undefined = ""; failed !== undefined; at++) {
      begin();
      let hasThrown = false;
      failed = failingAt(at, false, () => {
        try {
          write();
        } catch (thrown) {
          hasThrown = true;
          throw thrown;
        }
      });
      // What is appended and cannot be forced onto the disk may be there.
      const isAppended =
        hasThrown && ["fsyncSync", "closeSync"].includes(failed ?? "") && after.startsWith(OLD);
      if (!isAppended) expect(content(), failed).toBe(hasThrown ? before : after);
      if (failed !== "unlinkSync" && !(failed === "closeSync" && !hasThrown))
        expect(
          readdirSync(folder).filter((name) => name !== "file.json"),
          failed,
        ).toEqual([]);
    }
  });
});

test("a folder whose user sweeps it is not looked through", () => {
  writeFileSync(`${file}.1-1-1-aaaaaaaa.tmp`, "");
  utimesSync(`${file}.1-1-1-aaaaaaaa.tmp`, 0, 0);
  replaced("readdirSync", () => {
    throw new Error("it is a large one");
  });
  replaceFile(file, "new", { isSweptLater: true });
  restore();
  expect(readdirSync(folder)).toHaveLength(2);
  replaceFile(file, "newer");
  expect(readdirSync(folder)).toEqual(["file.json"]);
});

test("an unfinished file of a process that runs stays, and so does what only looks like one", () => {
  const staged = stageFile(file, NEW);
  const own = readdirSync(folder);
  const others = ["file.json.tmp", "file.json.1-2-x-y.tmp.bak", "other.json.1-1-x-y.tmp"];
  for (const name of others) writeFileSync(join(folder, name), "");
  replaceFile(file, OLD);
  expect(readdirSync(folder).sort()).toEqual([...own, ...others, "file.json"].sort());
  staged.discard();
  staged.discard();
  expect(readdirSync(folder).sort()).toEqual([...others, "file.json"].sort());
});

describe("what is not a regular file is not written", () => {
  const ways: readonly [string, () => unknown][] = [
    ["replace", () => replaceFile(file, NEW)],
    ["replace, keeping the mode", () => replaceFile(file, NEW, { keepsMode: true })],
    ["a new one", () => replaceFile(file, NEW, { isNew: true })],
    ["stage", () => stageFile(file, NEW)],
    ["create", () => createFile(file, NEW)],
    ["append", () => appendToFile(file, NEW)],
    ["open", () => openToAppend(file)],
  ];
  const target = (): string => join(folder, "target");
  const things: readonly [string, () => void][] = [
    ["a link", () => (writeFileSync(target(), OLD), symlinkSync(target(), file))],
    ["a link that leads nowhere", () => symlinkSync(target(), file)],
    ["a pipe", () => execFileSync("sh", ["-c", 'mkfifo "$0"', file])],
    ["a folder", () => fs.mkdirSync(file)],
  ];
  test.each(
    ways.flatMap(([way, write]) => things.map(([what, make]) => ({ way, write, what, make }))),
  )("$way: $what", ({ write, make }) => {
    make();
    const before = readdirSync(folder);
    expect(write).toThrow(/symbolic link|regular file|EEXIST|exists already|EISDIR|directory/);
    emptyIfLarge(file, 0);
    expect(readdirSync(folder)).toEqual(before);
    if (before.includes("target")) expect(readFileSync(target(), "utf8")).toBe(OLD);
  });

  test("what becomes a link while the new content is written stays one", () => {
    const staged = stageFile(file, NEW);
    symlinkSync(join(folder, "target"), file);
    expect(() => staged.commit()).toThrow("it is a symbolic link");
    staged.discard();
    expect(readdirSync(folder)).toEqual(["file.json"]);
  });
});

test("a disk that takes three bytes at a time gets all of them; one that takes none is full", () => {
  const real = fs.writeSync;
  const some = (to: number, bytes: Uint8Array | string, at = 0): number =>
    real(to, Buffer.from(bytes), at, Math.min(3, Buffer.byteLength(bytes) - at));
  replaced("writeSync", some as typeof fs.writeSync);
  replaceFile(file, OLD);
  appendToFile(file, "ä€😀\n");
  expect(readFileSync(file, "utf8")).toBe(`${OLD}ä€😀\n`);
  replaced("writeSync", () => 0);
  for (const write of [() => replaceFile(file, NEW), () => appendToFile(file, NEW)])
    expect(write).toThrow("no space is left on the disk");
  expect(readFileSync(file, "utf8")).toBe(`${OLD}ä€😀\n`);
});

test("a file system without hard links", () => {
  replaced("linkSync", () => {
    throw Object.assign(new Error("EPERM"), { code: "EPERM" });
  });
  replaceFile(file, NEW, { isNew: true });
  expect(() => replaceFile(file, OLD, { isNew: true })).toThrow("exists already");
  expect([readdirSync(folder), content()]).toEqual([["file.json"], NEW]);
});

describe("permissions", () => {
  const modeOf = (): number => statSync(file).mode & 0o777;
  test.each([0o022, 0o002, 0o077])("with the mask %o", (mask) => {
    const before = process.umask(mask);
    try {
      replaceFile(file, NEW);
      expect(modeOf()).toBe(0o600);
      fs.chmodSync(file, 0o644);
      replaceFile(file, NEW, { keepsMode: true });
      expect(modeOf()).toBe(0o644);
      replaceFile(file, NEW);
      expect(modeOf()).toBe(0o600);
      replaceFile(file, NEW, { mode: ANY_FILE });
      expect(modeOf()).toBe(0o666 & ~mask);
      replaceFile(file, NEW, { mode: 0o755 });
      expect(modeOf()).toBe(0o755);
    } finally {
      process.umask(before);
    }
  });
});

test("without blocking the thread: the same", async () => {
  await replaceFileLater(file, NEW, { isDurable: true });
  expect([content(), readdirSync(folder)]).toEqual([NEW, ["file.json"]]);
  await expect(replaceFileLater(file, OLD, { isNew: true })).rejects.toMatchObject({
    code: "EEXIST",
  });
  rmSync(file);
  symlinkSync("/etc/passwd", file);
  await expect(replaceFileLater(file, NEW)).rejects.toThrow("it is a symbolic link");
  await expect(replaceFileLater(join(folder, "no/file"), NEW)).rejects.toMatchObject({
    code: "ENOENT",
  });
});

describe("only src/machine/files writes files", () => {
  const WRITES =
    /^(?:(?:writeFile|appendFile|copyFile|cp|rename|link|truncate|ftruncate|write|writev)(?:Sync)?|createWriteStream|promises)$/;
  /** Writes to the standard output. */
  const EXCEPT = new Set(["src/daemon/hook/event-io.ts writeSync"]);
  test("no other file imports a function that does", () => {
    const found: string[] = [];
    for (const path of sources("src").filter((each) => !each.startsWith("src/machine/files/"))) {
      const text = readFileSync(path, "utf8");
      for (const [, names = "", all] of text.matchAll(
        /import (?:\{([^}]*)\}|(\S.*)) from "(?:node:)?fs(?:\/promises)?"/g,
      )) {
        if (all !== undefined && !all.startsWith("type ")) found.push(`${path} ${all}`);
        for (const name of names.split(",").map((each) => each.trim())) {
          if (WRITES.test(name) && !EXCEPT.has(`${path} ${name}`)) found.push(`${path} ${name}`);
          // A file that is opened there is only read.
          if (
            /^open(?:Sync)?$/.test(name) &&
            /O_(?:RDWR|WRONLY|CREAT|APPEND|TRUNC)|open(?:Sync)?\([^)]*"[wa]/.test(text)
          )
            found.push(`${path} ${name}`);
        }
      }
      if (/import\("(?:node:)?fs|require\("(?:node:)?fs/.test(text)) found.push(`${path} import()`);
    }
    expect(found).toEqual([]);
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : path.endsWith(".ts") ? [path] : [];
  });
}
