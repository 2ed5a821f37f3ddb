import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { atFileEnd } from "../file-end.ts";
import { trusted } from "../trusted.ts";
import { ended, MAIN, ROOT } from "./processes.ts";
import type { Ended } from "./shared-process.ts";
import { inShared } from "./shared-process.ts";

export { ended, MAIN, ROOT } from "./processes.ts";
export type { Ended } from "./shared-process.ts";

/** The end of an `orcs.toml`: limits that are not reached because the machine has other things to do. */
export const PATIENT = "\n[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n";

interface ExpandContext {
  readonly cwd: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const temporary: string[] = [];
atFileEnd(() => {
  for (const dir of temporary.splice(0)) rmSync(dir, { recursive: true, force: true });
  state = undefined;
});

/** A temporary directory with files in it, gone after the file's tests, which may run side by side. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-dist-")));
  temporary.push(dir);
  writeFiles(dir, files);
  return dir;
}

/** Write files into a directory. */
export function writeFiles(
  dir: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
}

/** Commit all files of a folder, as the first ones of a repository. */
export function commitAll(cwd: string): void {
  const who = "-c user.name=t -c user.email=t@localhost -c commit.gpgsign=false";
  for (const line of ["init -q", "add -A", `${who} commit -qm all --allow-empty`])
    execFileSync("git", line.split(" "), { cwd });
}

/** What is kept of one run for the next of a test file, away from this user's. */
let state: string | undefined;
function stateFolder(): string {
  return (state ??= folder());
}

/** A folder whose project is trusted as it is by all that `start` starts; as it will be with `dev`. */
export async function project(
  files: Readonly<Record<string, string | Uint8Array>>,
  how?: Parameters<typeof trusted>[2],
): Promise<string> {
  const dir = folder(files);
  await trusted(dir, stateFolder(), how);
  return dir;
}

/** Run the built command line in a process that others ran in before it, where that comes to the same. */
export function orcs(args: readonly string[], around: ExpandContext): Promise<Ended> {
  if (!canShare(args, around)) return orcsAlone(args, around);
  return inShared(ROOT, { args, cwd: around.cwd, env: environment(around) });
}

/** Run the built command line as a process of its own. */
export function orcsAlone(args: readonly string[], around: ExpandContext): Promise<Ended> {
  return start(process.execPath, [MAIN, ...args], around);
}

/** Whether a command needs no stdin, and nothing of how Node itself starts and ends. */
function canShare([verb = ""]: readonly string[], { stdin, env = {} }: ExpandContext): boolean {
  return (
    stdin === undefined &&
    !["hook", "serve", "mcp"].includes(verb) &&
    !Object.keys(env).some((name) => /^NODE_|COLOR/.test(name))
  );
}

function environment({ cwd, env = {} }: ExpandContext): Record<string, string> {
  return {
    ...(process.env as Record<string, string>),
    XDG_CONFIG_HOME: join(cwd, "no-user"),
    XDG_STATE_HOME: stateFolder(),
    NO_COLOR: "1",
    ...env,
  };
}

/** Run a program to its end; it is killed after a minute. Nobody's own configuration is read. */
export function start(
  file: string,
  args: readonly string[],
  around: ExpandContext,
): Promise<Ended> {
  const { cwd, stdin = "" } = around;
  const limits = { timeout: 60_000, killSignal: "SIGKILL" } as const;
  return ended(spawn(file, args, { cwd, ...limits, env: environment(around) }), stdin);
}
