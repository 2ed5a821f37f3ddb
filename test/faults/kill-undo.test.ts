import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { planOf, recover, storeAt, UndoPoints } from "../../src/undo/index.ts";
import { ROOT } from "../dist/orcs.ts";
import { isWholeRun, partOf } from "../slow-test.ts";
import { stateOf } from "../unit/undo/work-trees.ts";

const UNDO = pathToFileURL(join(ROOT, "build/undo/index.js")).href;
/** Takes a point of `src`, or restores the newest one, and is killed before its n-th call of the file system. */
const CHILD = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { storeAt, UndoPoints, newestUndone, restore } = await import(${JSON.stringify(UNDO)});
const [root, what, at] = process.argv.slice(1);
let left = Number(at);
for (const name of Object.keys(fs).filter((name) => name.endsWith("Sync"))) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
if (what === "take") await (${take.toString()})(UndoPoints, root, at);
else restore(storeAt(root), newestUndone(storeAt(root), false, [], true), "0000000a");
`;

async function take(Points: typeof UndoPoints, root: string, id: string): Promise<unknown> {
  const effect = {
    kind: "remove",
    target: `${root}/src`,
    sure: true,
    recursive: true,
    unfollowed: true,
  } as const;
  const effects = {
    ofCall: () => ({ effects: [effect] }),
    shell: { read: () => ({ commands: [] }) },
  };
  const points = new Points({ effects: effects as never, redact: (text) => text, root });
  const payload = { cwd: root, args: {}, tool_use_id: `${id}-${process.pid}` };
  const ctx = { hook_point: "tool.pre_execute", payload, metadata: {} };
  return points.take({ ctx: ctx as never, hook: undefined });
}

function project(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "kill-")));
  mkdirSync(join(root, "src/deep/empty"), { recursive: true });
  for (const name of ["a", "b", "deep/c"]) writeFileSync(join(root, "src", name), `${name}\n`);
  chmodSync(join(root, "src/a"), 0o600);
  symlinkSync("a", join(root, "src/link"));
  return root;
}

function change(root: string): void {
  writeFileSync(join(root, "src/a"), "changed\n");
  rmSync(join(root, "src/deep"), { recursive: true });
  rmSync(join(root, "src/link"));
  writeFileSync(join(root, "src/link"), "no link\n");
  writeFileSync(join(root, "src/new"), "new\n");
}

/** In CI, one call of so many is tried: each is a process. */
const STEP = isWholeRun ? 1 : 24;

/** The same without that: strace kills it, at a call of the system behind the one that says where it begins. */
const TRACED = CHILD.replace(
  /let left[^]*syncBuiltinESMExports\(\);/,
  'try { fs.rmdirSync("/begins here"); } catch {}',
);
/** Calls of the system that change something. */
const CHANGING =
  "openat,write,pwrite64,rename,mkdir,unlink,rmdir,symlink,link,chmod,fchmod,fchmodat,lchown,utimensat,ftruncate";
const hasStrace = spawnSync("strace", ["-V"]).status === 0;

function traced(args: readonly string[], more: readonly string[] = []): string {
  const log = join(mkdtempSync(join(tmpdir(), "strace-")), "log");
  const node = [process.execPath, "--input-type=module", "-e", TRACED, "--", ...args];
  spawnSync("strace", ["-qq", "-o", log, "-e", `trace=${CHANGING}`, ...more, ...node]);
  return readFileSync(log, "utf8");
}

/** What kills the child before each of these calls, in turn. */
function kills(log: string): string[] {
  const counts = new Map<string, number>();
  let hasBegun = false;
  return log.split("\n").flatMap((line) => {
    const name = /^(\w+)\(/.exec(line)?.[1] ?? "";
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    hasBegun ||= line.includes("/begins here");
    return hasBegun && name !== "" ? [`inject=${name}:signal=KILL:when=${count}`] : [];
  });
}

const killed = (...args: string[]): string | null =>
  spawnSync(process.execPath, ["--input-type=module", "-e", CHILD, "--", ...args]).signal;

/** A restore that may be killed. @returns whether all is as before it, or as restored */
async function restored(run: (root: string) => void): Promise<"old" | "new"> {
  const root = project();
  const before = stateOf(root);
  expect(await take(UndoPoints, root, "x")).toMatchObject({ ok: true, complete: true });
  change(root);
  const changed = stateOf(root);
  run(root);
  recover(storeAt(root));
  const now = stateOf(root);
  const isOld = JSON.stringify(sorted(now)) === JSON.stringify(sorted(changed));
  if (!isOld) expect(now).toEqual(before);
  rmSync(root, { recursive: true });
  return isOld ? "old" : "new";
}

/** Each point that is there is a whole one of what is there. */
function expectWholePoints(root: string): void {
  for (const point of storeAt(root).open().points())
    expect(planOf(storeAt(root), point, false).changes).toEqual([]);
}

test(
  "a restore that is killed at any call of the file system is all or nothing behind the next orcs undo",
  { timeout: 300_000 },
  async () => {
    const seen = new Set<string>();
    let count = 0;
    const run = { signal: "" as string | null };
    for (; run.signal !== null; count += STEP)
      seen.add(
        await restored((root) => {
          run.signal = killed(root, "restore", String(count));
        }),
      );
    expect([...seen]).toEqual(["old", "new"]);
    expect(count).toBeGreaterThan(60);
  },
);

test(
  "a point that is killed at any call of the file system is there as a whole or not at all",
  { timeout: 300_000 },
  () => {
    const root = project();
    const before = stateOf(root);
    let count = 0;
    for (let signal: string | null = "SIGKILL"; signal !== null; count += STEP) {
      signal = killed(root, "take", String(count));
      expectWholePoints(root);
    }
    expect(stateOf(root)).toEqual(before);
    expect(storeAt(root).points().length).toBeGreaterThan(0);
    expect(count).toBeGreaterThan(40);
  },
);

test.runIf(hasStrace)(
  "so are both when they are killed before any call of the system that changes something",
  { timeout: 600_000 },
  async () => {
    let log = "";
    await restored((root) => (log = traced([root, "restore", "0"])));
    const all = kills(log);
    expect(all.length).toBeGreaterThan(40);
    const seen = new Set<string>();
    for (const kill of partOf(all, STEP))
      seen.add(await restored((root) => void traced([root, "restore", "0"], ["-e", kill])));
    expect([...seen]).toEqual(["old", "new"]);

    const taking = kills(traced([project(), "take", "x"]));
    expect(taking.length).toBeGreaterThan(20);
    for (const kill of partOf(taking, STEP)) {
      const root = project();
      const before = stateOf(root);
      traced([root, "take", "x"], ["-e", kill]);
      expectWholePoints(root);
      expect(stateOf(root)).toEqual(before);
      rmSync(root, { recursive: true });
    }
  },
);

function sorted(state: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1));
}
