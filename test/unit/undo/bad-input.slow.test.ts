import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
  openSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Orcs } from "../../../src/engine/index.ts";
import { newestUndone, recover, restore, storeAt, undoProblem } from "../../../src/undo/index.ts";
import { createOrcs } from "../../../src/engine/index.ts";
import { differences, ended, judged, openOrcs } from "./undone.ts";
import { makeTree, runLine, stateOf } from "./work-trees.ts";

// Whatever is wrong: a clear reason, the verdict without undo, and nothing is lost.

const isRoot = process.getuid?.() === 0;
const LINE = "git checkout -- src/a.ts";
/** A denial as without undo, and why undo did not help. */
const denied = (why: string): RegExp =>
  new RegExp(`^shell-guard \\(git.*orcs undo could not give it back: .*(?:${why})`, "s");

let folder: string;
let orcs: Orcs;
const sh = (line: string, cwd = folder): void =>
  void execFileSync("bash", ["-c", line], { cwd, stdio: "pipe" });
beforeEach(async () => {
  folder = makeTree("dirty");
  vi.stubEnv("ORCS_STATE_HOME", realpathSync(mkdtempSync(join(tmpdir(), "undo-state-"))));
  orcs = await openOrcs();
});
afterEach(async () => {
  await orcs.close();
  vi.unstubAllEnvs();
});

async function runs(line: string): Promise<void> {
  expect(await judged(orcs, line, folder)).toBeUndefined();
  runLine(folder, line);
  await ended(orcs, line, folder);
}

/** Undo the newest call. */
function undo(id = "0000000a"): void {
  const store = storeAt(folder).open();
  recover(store);
  const plan = newestUndone(store, false, [], true);
  if (!plan) throw new Error("there is no point");
  expect(restore(store, plan, id).failed).toEqual([]);
}

/** A file system of its own. */
function mounted(at: string, ...options: readonly string[]): string {
  sh(`mount ${options.join(" ")} ${at}`, "/");
  onTestFinished(() => sh(`umount -l ${at}`, "/"));
  return at;
}

/** Fill a disk. @returns what frees it */
function fill(at: string): () => void {
  const file = openSync(join(at, "full"), "w");
  for (let size = 65_536; size > 0; size = size > 1 ? size >> 1 : 0)
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch {
      // Less fits.
    }
  closeSync(file);
  return () => rmSync(join(at, "full"));
}

describe.runIf(isRoot)("a disk", () => {
  const small = (): string =>
    mounted(
      realpathSync(mkdtempSync(join(tmpdir(), "undo-mount-"))),
      "-t",
      "tmpfs",
      "-o",
      "size=4m,mode=700",
      "tmpfs",
    );

  test("with the points is full", async () => {
    const state = small();
    vi.stubEnv("ORCS_STATE_HOME", state);
    const free = fill(state);
    expect(await judged(orcs, LINE, folder)).toMatch(denied("ENOSPC|no space"));
    free();
    const before = stateOf(folder);
    await runs(LINE);
    fill(state);
    const after = stateOf(folder);
    expect(() => undo()).toThrow(/^ORCS5021: .*(?:ENOSPC|no space)/);
    expect(differences(after, stateOf(folder))).toEqual([]);
    rmSync(join(state, "full"));
    undo();
    expect(differences(before, stateOf(folder))).toEqual([]);
  });

  test("with the project is full, and read-only", async () => {
    const disk = small();
    sh(`cp -a ${folder} ${disk}/project`);
    folder = join(disk, "project");
    const before = stateOf(folder);
    await runs("rm src/a.ts");
    const free = fill(disk);
    const after = stateOf(folder);
    expect(() => undo()).toThrow(/^ORCS5021: nothing was restored: .*(?:ENOSPC|no space)/);
    expect(differences(after, stateOf(folder))).toEqual([]);
    free();
    sh(`mount -o remount,ro ${disk}`);
    expect(() => undo()).toThrow(/^ORCS5021: nothing was restored: EROFS/);
    expect(await judged(orcs, LINE, folder)).toBeUndefined();
    sh(`mount -o remount,rw ${disk}`);
    undo("0000000b");
    expect(differences(before, stateOf(folder))).toEqual([]);
  });

  test("with the points is read-only", async () => {
    await runs(LINE);
    const state = process.env["ORCS_STATE_HOME"] ?? "";
    mounted(state, "--bind", state);
    sh(`mount -o remount,bind,ro ${state}`);
    expect(await judged(orcs, "git checkout -f", folder)).toMatch(denied("EROFS"));
    expect(storeAt(folder).open().points()).toHaveLength(1);
    const before = stateOf(folder);
    expect(() => undo()).toThrow(/^ORCS5021: .*EROFS/);
    expect(differences(before, stateOf(folder))).toEqual([]);
  });
});

test("a folder with too many files costs no more than a look", async () => {
  sh("mkdir many && cd many && seq 150000 | xargs touch");
  await expect(judged(orcs, "git checkout -f", folder)).resolves.toMatch(
    denied("more than 100000 files|longer than 300 ms"),
  );
  const started = process.cpuUsage();
  await judged(orcs, "git checkout -f", folder);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(800);
  expect(await judged(orcs, "find many -name '1*' -delete", folder)).toMatch(
    /could not give it back: .*(?:more than 100000 files|longer than 2000 ms)/,
  );
  // What a call names is kept however large the rest is.
  expect(await judged(orcs, "find src -name '*.ts' -delete", folder)).toBeUndefined();
});

test.runIf(isRoot)("a repository of another user is given back to them", async () => {
  sh("chown -R 12345:12345 .");
  const before = stateOf(folder);
  await runs("rm -rf src");
  undo();
  expect(differences(before, stateOf(folder))).toEqual([]);
  for (const name of ["src", "src/a.ts", "src/deep/c.ts"])
    expect([statSync(join(folder, name)).uid, statSync(join(folder, name)).gid]).toEqual([
      12345, 12345,
    ]);
});

test.each(["#!/bin/sh\necho git version 2.20.1 >> ran; exit 1\n", undefined])(
  "git is not needed: %j",
  async (stub) => {
    const bin = mkdtempSync(join(tmpdir(), "bin-"));
    if (stub !== undefined) writeFileSync(join(bin, "git"), stub, { mode: 0o755 });
    const path = process.env["PATH"];
    vi.stubEnv("PATH", bin);
    expect(await judged(orcs, "git reset --hard", folder)).toBeUndefined();
    vi.stubEnv("PATH", path);
    runLine(folder, "git reset --hard");
    vi.stubEnv("PATH", bin);
    await ended(orcs, "git reset --hard", folder);
    undo();
    expect(existsSync(join(folder, "ran"))).toBe(false);
  },
);

describe("a store", () => {
  const inStore = (name: string): string => join(storeAt(folder).folder, name);
  const garbage = (name: string, text = "no JSON") => {
    writeFileSync(inStore(name), text);
  };
  const pointFile = (): string => `points/${storeAt(folder).points()[0]?.id}.json`;

  test.each([
    ["a point that is none", () => garbage(pointFile())],
    ["a point of another form", () => garbage(pointFile(), '{"id":"00000000","at":1}')],
    ["a point without areas", () => garbage(pointFile(), '{"at":1,"areas":[{}],"bytes":0}')],
    ["a strange point", () => garbage("points/0123abcd.json", '{"id":"0123abcd","areas":7}')],
    ["damaged counts", () => garbage("counts.json", '{"bytes":"x","sweeps":"y"}')],
    ["no counts", () => rmSync(inStore("counts.json"))],
    ["damaged knowledge", () => garbage("known.json", '{"stamp":"0","files":7}')],
    ["a journal that is none", () => garbage("journal.json", '{"point":7}')],
    ["a damaged journal", () => garbage("journal.json")],
    ["no objects", () => rmSync(inStore("objects"), { recursive: true })],
    ["cut objects", () => sh(`find . -type f -exec truncate -s 3 {} +`, inStore("objects"))],
    [
      "objects that are a file",
      () => {
        rmSync(inStore("objects"), { recursive: true });
        garbage("objects");
      },
    ],
    ["another project's name", () => garbage("project.json", '{"root":"/etc"}')],
  ])("that has %s loses nothing", async (_, breaks) => {
    await runs(LINE);
    writeFileSync(join(folder, "src/a.ts"), "again\n");
    breaks();
    const before = stateOf(folder);
    // What is known in memory, and what another process knows.
    const other = await openOrcs();
    onTestFinished(() => other.close());
    for (const [id, each] of [orcs, other].entries()) {
      const verdict = await judged(each, LINE, folder, `${id}`);
      if (verdict !== undefined) {
        expect(verdict).toMatch(denied(""));
        continue;
      }
      runLine(folder, LINE);
      await ended(each, LINE, folder, `${id}`);
      undo(`0000000${id}`);
      expect(differences(before, stateOf(folder))).toEqual([]);
    }
    expect(() => storeAt(folder).points()).not.toThrow();
  });

  test.each([
    ["everybody may read", () => chmodSync(inStore(""), 0o755)],
    [
      "belongs to somebody else",
      () => (isRoot ? sh(`chown 12345 ${inStore("")}`) : chmodSync(inStore(""), 0o750)),
    ],
    [
      "is a link",
      () => {
        renameSync(inStore(""), `${inStore("")}x`);
        symlinkSync(`${inStore("")}x`, inStore(""));
      },
    ],
  ])("that %s is not used", async (_, makes) => {
    await runs(LINE);
    makes();
    expect(await judged(orcs, "git checkout -f", folder)).toMatch(denied("belongs to you"));
  });

  test("that is full says so until there is room", async () => {
    const hooks = (project_mb: number) => [
      { script: "orcs:undo", options: { project_mb } },
      { script: "orcs:shell-guard" },
    ];
    const full = await createOrcs({ config: { hooks: hooks(0.000001) } });
    expect(await judged(full, LINE, folder)).toMatch(denied("all the space"));
    expect(undoProblem(folder)).toMatch(/orcs undo keeps nothing more .*project_mb/);
    await full.close();
    expect(await judged(orcs, LINE, folder)).toBeUndefined();
    expect(undoProblem(folder)).toBeUndefined();
  });
});

describe("a tree", () => {
  const FIND = "find src -name '*' -delete";

  test("with a pipe or a device that a call names", async () => {
    sh("mkfifo src/pipe");
    expect(await judged(orcs, FIND, folder)).toMatch(/could not give it back: .*pipe or a device/);
    // Which git leaves alone.
    expect(await judged(orcs, LINE, folder)).toBeUndefined();
    rmSync(join(folder, "src/pipe"));
    if (isRoot) {
      sh("mknod src/null c 1 3");
      expect(await judged(orcs, FIND, folder)).toMatch(/pipe or a device/);
      rmSync(join(folder, "src/null"));
    }
    sh(`perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "src/s", Listen => 1)'`);
    expect(await judged(orcs, FIND, folder)).toBeUndefined();
  });

  test("with a folder that its owner has made read-only since", async () => {
    const before = stateOf(folder);
    await runs("rm src/a.ts src/deep/c.ts");
    sh("chmod 555 src/deep");
    // What the superuser may do without asking would hide it.
    const [program, ...args] = [
      ...(isRoot ? ["setpriv", "--bounding-set=-all"] : []),
      process.execPath,
      join(import.meta.dirname, "../../../dist/cli/main.js"),
      "undo",
      "--yes",
    ];
    const text = execFileSync(program, args, { cwd: folder, encoding: "utf8" });
    expect(text).toContain("2 changes made");
    sh("chmod 755 src/deep");
    expect(differences(before, stateOf(folder))).toEqual([]);
  });

  test("in which a call makes a pipe of a file", async () => {
    const before = stateOf(folder);
    await runs("rm src/a.ts && mkfifo src/a.ts");
    undo();
    expect(differences(before, stateOf(folder))).toEqual([]);
  });

  test("with a file that is written all the time", async () => {
    const line = "while :; do echo more text >> src/a.ts; done";
    const writer = spawn("bash", ["-c", line], { cwd: folder });
    onTestFinished(() => void writer.kill("SIGKILL"));
    for (let n = 0; n < 5; n++) {
      const verdict = await judged(orcs, LINE, folder, `${n}`);
      if (verdict !== undefined) expect(verdict).toMatch(denied("changes while it is read"));
    }
  });

  test("with names that hold line breaks, and those that are not UTF-8", async () => {
    mkdirSync(join(folder, "a\nb"));
    writeFileSync(join(folder, "a\nb/c\td \u{1F600}"), "x");
    const before = stateOf(folder);
    await runs("git clean -fdx");
    undo();
    expect(differences(before, stateOf(folder))).toEqual([]);
    // The name that is shown for it is that of another file.
    sh(`touch $'src/x\\xff'; touch $'src/x\\xef\\xbf\\xbd'`);
    expect(await judged(orcs, "git clean -fdx", folder, "2")).toMatch(denied("not UTF-8"));
    expect(await judged(orcs, FIND, folder)).toMatch(/not UTF-8/);
    sh(`rm src/x*; ln -s $'\\xff' src/link`);
    expect(await judged(orcs, FIND, folder, "3")).toMatch(/no name in UTF-8/);
  });

  test("with a large file that has holes", async () => {
    writeFileSync(join(folder, "src/large"), "");
    truncateSync(join(folder, "src/large"), 2 ** 40);
    expect(await judged(orcs, FIND, folder)).toMatch(/could not give it back: .*more than 256 MB/);
    expect(lstatSync(join(folder, "src/large")).size).toBe(2 ** 40);
  });

  test("whose calls of several sessions run at once", async () => {
    const before = stateOf(folder);
    const second = await openOrcs();
    onTestFinished(() => second.close());
    const files = ["README.md", "notes.md", "run.sh", "src/a.ts", "src/deep/c.ts", "secret.txt"];
    const lines = files.map((file) => `echo changed > ${file}`);
    await Promise.all(
      lines.map(async (line, n) => {
        const own = n % 2 === 0 ? orcs : second;
        expect(await judged(own, line, folder)).toBeUndefined();
        runLine(folder, line);
        await ended(own, line, folder);
      }),
    );
    const store = storeAt(folder);
    expect(store.points()).toHaveLength(lines.length);
    for (const n of lines.keys()) {
      undo(`000000f${n}`);
      // Each undo gives back one file, whoever changed it.
      expect(differences(before, stateOf(folder))).toHaveLength(lines.length - n - 1);
    }
  });
});
