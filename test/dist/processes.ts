import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Ended } from "./shared-process.ts";

/** The checkout; its `dist/` was built before the tests. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The built command line. */
export const MAIN = join(ROOT, "dist/cli/main.js");

/** What a stream has given until now. */
export function heard(stream: Readable | null): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (part: string) => (text += part));
  return () => text;
}

/** What becomes of a process. @param stdin what it is given, where nobody writes to it */
export function ended(child: ChildProcessWithoutNullStreams, stdin?: string): Promise<Ended> {
  child.stdin.on("error", () => undefined);
  if (stdin !== undefined) child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    const [stdout, stderr] = [heard(child.stdout), heard(child.stderr)];
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
    child.on("exit", () => child.stdin.destroy());
  });
}

/** Start `orcs serve --json`, once it serves; it is killed after the test. */
export async function served(cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [MAIN, "serve", "--json"], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, said: JSON.parse(said.toString()) as { readonly socket: string } };
}

/** Kill a process that may have ended by itself. */
export function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
