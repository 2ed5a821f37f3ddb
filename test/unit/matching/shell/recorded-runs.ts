import { spawnSync } from "node:child_process";
import {
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

/** A run of the program `zap`. */
export interface RecordedRun {
  readonly argv: readonly string[];
  /** Where it ran, as the shell says it. */
  readonly cwd: string;
}

const LINE = "\x1e";
const RUN = "\x1d";
const WORD = "\x1f";

/**
 * Have bash run lines, each in a shell of its own, and say for each how `zap` was run.
 * @returns the folder that they began in as well
 */
export function recordRuns(lines: readonly string[]): {
  readonly folder: string;
  readonly runs: readonly (readonly RecordedRun[])[];
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orcs-shell-")));
  try {
    const [bin, log] = [join(folder, "bin"), join(folder, "log")];
    const work = join(folder, "qdir", "qdir", "qdir");
    mkdirSync(bin);
    makeFolders(folder, 7);
    const format = `${RUN}%s`;
    const zap = `#!/bin/sh\n{ printf '${format}' "$(pwd)"; printf '${WORD}%s' "$0" "$@"; } >> '${log}'\n`;
    writeFileSync(join(bin, "zap"), zap, { mode: 0o755 });
    // One shell for all scripts: that of the system reads braces and arrays, or it does not.
    symlinkSync("/bin/bash", join(bin, "sh"));
    writeFileSync(log, "");
    writeFileSync(join(folder, "lines"), lines.map((line) => `${line}\0`).join(""));
    // A function may call itself.
    const each = `while IFS= read -r -d '' line <&9; do
      printf '${LINE}' >> '${log}'
      ( exec 9<&-; unset OLDPWD; ulimit -t 5; FUNCNEST=6; eval "unset line; $line" ) < /dev/null > /dev/null 2>&1
    done 9< '${join(folder, "lines")}'`;
    const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: "/home/me", LC_ALL: "C.UTF-8" };
    spawnSync("bash", ["--norc", "-c", each], { cwd: work, env, stdio: "ignore" });
    const recorded = readFileSync(log, "utf8").split(LINE).slice(1);
    return { folder: work, runs: recorded.map(runsOf) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Wherever a line goes, there are folders of the names that it goes to. */
function makeFolders(at: string, depth: number): void {
  for (const name of depth > 0 ? ["qdir", "sub"] : []) {
    mkdirSync(join(at, name), { recursive: true });
    makeFolders(join(at, name), depth - 1);
  }
}

function runsOf(recorded: string): readonly RecordedRun[] {
  const runs = recorded.split(RUN).slice(1);
  return runs.map((run) => {
    const [cwd = "", , ...args] = run.split(WORD);
    return { argv: ["zap", ...args], cwd };
  });
}
