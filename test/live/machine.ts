import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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

/** Remove a session's folder, as far as what is still ending lets it: some agents leave processes behind. */
export function discard(root: string): void {
  try {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // In the temporary folder.
  }
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
