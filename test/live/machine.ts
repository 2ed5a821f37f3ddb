import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { modelServer } from "./model-server.ts";
import type { Program } from "./programs.ts";

/** The Node that runs npm need not be the one that runs what is installed. */
export const NPM_INSTALL = ["install", "--no-audit", "--no-fund", "--no-engine-strict"] as const;

/** End what the hooks of somebody have started: all that serves with this home directory. */
export function endServices(home: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const env = readFileSync(`/proc/${pid}/environ`, "utf8");
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (env.includes(`HOME=${home}\0`) && words.includes("serve")) process.kill(Number(pid));
    } catch {
      // It has ended, or is another user's.
    }
  }
}

/** The program's executable, and the folder of the Node that it needs; installed from npm when not there yet. */
export function installed(
  { bin, package: name, node }: Program,
  folder: string,
): { readonly bin: string; readonly node: string | undefined } {
  const needed = { bin: installedFrom(name, bin, folder), node: undefined };
  // In a folder of its own: it must not become the Node of the others.
  return node === undefined
    ? needed
    : { ...needed, node: dirname(installedFrom(node, "node", join(folder, node))) };
}

function installedFrom(name: string, bin: string, folder: string): string {
  const path = join(folder, "node_modules/.bin", bin);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    execFileSync("npm", [...NPM_INSTALL, "--prefix", folder, name], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return path;
}

/** The repository. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The packed package, in a folder. */
export function packed(folder: string): string {
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(
    execFileSync("npm", pack, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  ) as [{ filename: string }];
  return join(folder, filename);
}

/** The built command line of the repository. */
export const MAIN = join(ROOT, "dist/cli/main.js");

/** Somebody's home directory, with the files that a program wants there, and an empty project. */
export function person(what: string, files: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), `orcs-live-${what}-`));
  const [home, project] = [join(root, "home"), join(root, "project")];
  for (const dir of [home, project]) mkdirSync(dir);
  mkdirSync(join(root, "run"), { mode: 0o700 });
  for (const [path, text] of Object.entries(files)) put(join(home, path), text);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, XDG_RUNTIME_DIR: join(root, "run") };
  return { root, home, project, env };
}

/** One session of a program, in which its model runs these commands. */
export async function play(
  program: Program,
  commands: readonly string[],
  { bin, cwd, env }: { bin: string; cwd: string; env: NodeJS.ProcessEnv },
  { more = [], withinMs }: { more?: readonly string[]; withinMs?: number } = {},
) {
  const script = [...commands.map((command) => program.shell(command)), { text: "finished" }];
  const model = await modelServer(script, program.speak, program.position);
  for (const [path, text] of Object.entries(program.project?.(model.url) ?? {})) {
    put(join(cwd, path), text);
  }
  const args = [...program.args(model.url), ...more];
  const began = performance.now();
  const ended = await run(bin, args, cwd, { ...env, ...program.env(model.url) }, withinMs);
  const ms = Math.round(performance.now() - began);
  await model.close();
  const isWhole = ended.code === 0 && model.requests.length === script.length;
  return { ...ended, ms, requests: model.requests, turns: script.length, ended: isWhole };
}

/** Remove a session's folder where all held, as far as what is still ending lets it: some agents leave processes behind. */
export function judged<T extends Readonly<Record<string, boolean>>>(root: string, findings: T): T {
  if (!Object.values(findings).every(Boolean)) {
    process.stdout.write(`kept for a look: ${root}\n`);
    return findings;
  }
  try {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // In the temporary folder.
  }
  return findings;
}

/** Write a file, with the folders that it needs. */
export function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Run a program, with what it prints. */
export function run(
  bin: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  withinMs = 120_000,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    // A group of its own: some programs start themselves again, and what is left of them would hold the pipes.
    const child = spawn(bin, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), withinMs);
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output: Buffer.concat(chunks).toString("utf8") });
    });
  });
}
