/**
 * `npm run bench:effects`: what the dictionary of programs says beside what the programs do. Each line of the guards'
 * tables is run in a sandbox, and the system calls that change files are compared with its effects.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Effect } from "../../src/core/index.ts";
import { createEffectReader } from "../../src/guards/index.ts";
import { createShellReader, globMatcher } from "../../src/matching/index.ts";
import { verdictLines } from "../../test/unit/hooks/verdict-lines.ts";
import { HOME, PROJECT, copyWorld, makeWorld } from "./world.ts";
import type { Traced } from "./traced.ts";
import { traced } from "./traced.ts";

/** Places in which programs keep their own state; editors have theirs beside each file, and git a lock. */
const STATE =
  /^(?:\/mnt\/home\/project\/\.git\/|\/mnt\/home\/\.(?:cache|config|local|npm|gnupg|terraform\.d)(?:\/|$)|\/mnt\/home\/\.(?:cache|config|local|npm|gnupg|viminfo|lesshst|wget-hsts)$|\/dev\/|\/proc\/|\/tmp(?:\/|$)|.*\/\.[^/]*\.sw[a-z]x?$|.*~$|.*\.lock$)/;
/** Lines that would take the machine's processes, or wait for a person. */
const NOT_RUN =
  /:\s*\(\)|fork|\byes\b|shutdown|reboot|kill\s+-?\d*\s*-1|while true|\/dev\/(?:sd|nvme|mem)|\bdocker\b|\bssh\b/;

interface Tally {
  changes: number;
  covered: number;
  wide: number;
  sure: number;
  happened: number;
}

function main(): void {
  if (spawnSync("bwrap", ["--version"]).error ?? spawnSync("strace", ["-V"]).error) {
    console.error(
      "SKIPPED: bwrap or strace is not installed (Debian packages bubblewrap and strace)",
    );
    return;
  }
  const options = process.argv.slice(2);
  const wanted = valueOf(options, "--only");
  const most = Number(valueOf(options, "--lines") ?? Infinity);
  const root = mkdtempSync(join(tmpdir(), "orcs-effects-"));
  const world = join(root, "world");
  makeWorld(world);
  const reader = createEffectReader(createShellReader({ home: HOME, root: "/" }), PROJECT);
  const byProgram = new Map<string, Tally>();
  const missed: string[] = [];
  let run = 0;
  try {
    for (const line of linesOf(wanted).slice(0, most)) {
      const { effects } = reader.ofCall({
        tool_name: "exec",
        args: { command: line },
        cwd: PROJECT,
      });
      const copy = join(root, "copy");
      copyWorld(world, copy);
      const real = traced(line, copy);
      run++;
      if (process.stderr.isTTY && run % 50 === 0) process.stderr.write(`\r${run} lines`);
      const programs = new Set([...real.run].map((path) => path.replace(/.*\//, "")));
      const tally = compared(effects, real, (what) => missed.push(`${what}\t${line}`));
      for (const program of programs) add(byProgram, program, tally);
      add(byProgram, "", tally);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const all = byProgram.get("");
  byProgram.delete("");
  if (!all) return;
  if (options.includes("--missed")) for (const each of missed) console.log(each);
  console.log(`${run} lines, ${byProgram.size} programs`);
  console.log(
    `real changes covered: ${all.covered} of ${all.changes} (${percent(all.covered, all.changes)}, goal 99)`,
  );
  console.log(
    `covered only by a wide target: ${all.wide} (${percent(all.wide, all.changes)}, goal 3)`,
  );
  console.log(
    `sure effects that happened: ${all.happened} of ${all.sure} (${percent(all.happened, all.sure)}, goal 95)`,
  );
  const worst = [...byProgram].filter(([, { changes, covered }]) => covered < changes);
  worst.sort(([, a], [, b]) => b.changes - b.covered - (a.changes - a.covered));
  for (const [program, { changes, covered }] of worst.slice(0, 30))
    console.log(`  ${program}: ${covered} of ${changes}`);
}

function linesOf(wanted: string | undefined): string[] {
  const lines = ["path-guard", "secret-guard", "self-guard", "shell-guard"]
    .flatMap(verdictLines)
    .map(([line]) => line.replaceAll("/home/me", HOME).replaceAll("/work", PROJECT));
  return [...new Set(lines)].filter(
    (line) => !NOT_RUN.test(line) && (wanted === undefined || line.startsWith(wanted)),
  );
}

const CHANGES: readonly Effect["kind"][] = ["write", "remove", "attributes"];

function compared(effects: readonly Effect[], real: Traced, miss: (what: string) => void): Tally {
  const tally: Tally = { changes: 0, covered: 0, wide: 0, sure: 0, happened: 0 };
  const predicted = effects.filter(({ kind }) => CHANGES.includes(kind));
  const changed = [...real.written, ...real.removed, ...real.attributes].filter(
    (path) => !STATE.test(path),
  );
  for (const path of new Set(changed)) {
    tally.changes++;
    const covering = predicted.filter((effect) => covers(effect, path));
    if (covering.length === 0) miss(`missed ${path}`);
    else {
      tally.covered++;
      if (covering.every(isWide)) tally.wide++;
    }
  }
  if (real.status !== 0) return tally;
  for (const effect of predicted) {
    const { target, sure } = effect;
    if (!sure || target === undefined) continue;
    tally.sure++;
    const all = [...real.written, ...real.removed, ...real.attributes];
    if (all.some((path) => covers(effect, path) || path.startsWith(`${target}/`))) tally.happened++;
    else miss(`did not happen: ${effect.kind} ${target}`);
  }
  return tally;
}

function covers({ target, recursive }: Effect, path: string): boolean {
  if (target === undefined) return true;
  if (
    target === path ||
    (recursive === true && path.startsWith(target === "/" ? "/" : `${target}/`))
  )
    return true;
  return /[*?[]/.test(target) && globMatcher(target)(path);
}

/** Unknown, or wider than one folder below the project. */
function isWide({ target, recursive }: Effect): boolean {
  if (target === undefined) return true;
  return (
    recursive === true &&
    (PROJECT === target || PROJECT.startsWith(target === "/" ? "/" : `${target}/`))
  );
}

function add(to: Map<string, Tally>, program: string, tally: Tally): void {
  const sum = to.get(program) ?? { changes: 0, covered: 0, wide: 0, sure: 0, happened: 0 };
  for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += tally[key];
  to.set(program, sum);
}

function percent(part: number, of: number): string {
  return `${((part / Math.max(1, of)) * 100).toFixed(1)} %`;
}

function valueOf(options: readonly string[], name: string): string | undefined {
  const at = options.indexOf(name);
  return at < 0 ? undefined : options[at + 1];
}

main();
