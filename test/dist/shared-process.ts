import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** How a process ended and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command, and where it is given. */
interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const ONE_AFTER_ANOTHER = fileURLToPath(new URL("one-after-another.mjs", import.meta.url));
const LIMIT_MS = 60_000;

/** More would but take turns on a small machine. */
const MOST = 2;

/** What commands leave behind must not add up. */
const MOST_COMMANDS = 100;
const commandsOf = new WeakMap<ChildProcess, number>();

/**
 * Processes that wait for the next command, those there are in all, and commands that wait for a process. They end with
 * the process of the tests.
 */
const idle: ChildProcess[] = [];
let running = 0;
const waiting: (() => void)[] = [];

/**
 * Run the command line as built in `root`, in a process that has run others before, or that will.
 * One that takes longer than a minute, or that ends the process in another way than by its exit code, ends for all.
 */
export async function inShared(root: string, command: Command): Promise<Ended> {
  if (running === MOST) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await runIn(root, command);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** Of what a test sets for Node itself, nothing is for the tests after it. */
function started(root: string): ChildProcess {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith("NODE_"));
  return fork(ONE_AFTER_ANOTHER, [root], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: Object.fromEntries(env),
  });
}

async function runIn(root: string, command: Command): Promise<Ended> {
  const child = idle.pop() ?? started(root);
  const { stdout, stderr } = child as { [name in "stdout" | "stderr"]: NodeJS.ReadableStream };
  const besides = { stdout: "", stderr: "" };
  const outs = [
    ["stdout", stdout],
    ["stderr", stderr],
  ] as const;
  for (const [name, stream] of outs) {
    stream.setEncoding("utf8").on("data", (text: string) => (besides[name] += text));
  }
  const ended = await new Promise<Ended>((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    child.once("message", (said) => {
      clearTimeout(timer);
      resolve(said as Ended);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, ...besides });
    });
    child.send(command);
  });
  for (const [, stream] of outs) stream.removeAllListeners("data");
  for (const event of ["message", "error", "close"]) child.removeAllListeners(event);
  const commands = (commandsOf.get(child) ?? 0) + 1;
  commandsOf.set(child, commands);
  if (commands === MOST_COMMANDS) child.disconnect();
  else if (child.connected) idle.push(child);
  return {
    code: ended.code,
    stdout: ended.stdout + besides.stdout,
    stderr: ended.stderr + besides.stderr,
  };
}
