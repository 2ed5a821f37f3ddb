import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createOrcs } from "orcs";
import { metatablesHandler } from "./metatables-program.ts";
import { Random } from "./random.ts";

/** Longest stretch of a program, and the processor time that its dispatch may take. */
const RUN_MS = 50;
const MOST_MS = 2 * RUN_MS + 50;
/** A process that does not answer for so long hangs, however busy the machine is. */
const HUNG_MS = 30_000;
/** Programs that one process carries out. */
const PER_PROCESS = 200;

interface Task {
  readonly seed: number;
  readonly isolation: string;
}

/**
 * Random programs over metatables: each has to end within twice its budget and 50 ms of processor time. They run
 * in processes of their own, which are killed when they hang.
 */
export async function fuzzMetatables(seed: number, until: number, isolation: string) {
  let count = 0;
  let slowest = 0;
  let child: ChildProcess | undefined;
  try {
    while (performance.now() < until) {
      if (count % PER_PROCESS === 0) {
        child?.kill("SIGKILL");
        child = fork(fileURLToPath(import.meta.url), { serialization: "advanced" });
      }
      const task = { seed: seed + count++, isolation };
      let ms = await carriedOut(child as ChildProcess, task);
      // What the compiler and the collector of JavaScript add by chance, they do not add again.
      for (let again = 0; ms > MOST_MS && again < 2; again++) {
        ms = Math.min(ms, await carriedOut(child as ChildProcess, task));
      }
      slowest = Math.max(slowest, ms);
      if (ms > MOST_MS) fail(task.seed, `took ${ms.toFixed(0)} ms of processor time`);
      if (count % 250 === 0) {
        process.stderr.write(`${count} programs, the slowest took ${slowest.toFixed(0)} ms\n`);
      }
    }
  } finally {
    child?.kill("SIGKILL");
  }
  process.stdout.write(`${count} programs, the slowest took ${slowest.toFixed(0)} ms\n`);
}

function carriedOut(child: ChildProcess, task: Task): Promise<number> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      child.off("exit", died).off("message", answered);
    };
    const failed = (why: string): void => {
      end();
      child.kill("SIGKILL");
      try {
        fail(task.seed, why);
      } catch (thrown) {
        reject(thrown as Error);
      }
    };
    const died = (): void => failed("ended its process");
    const answered = (ms: unknown): void => {
      end();
      resolve(Number(ms));
    };
    const timer = setTimeout(() => failed("hung"), HUNG_MS);
    child.on("exit", died).on("message", answered);
    child.send(task);
  });
}

function fail(seed: number, why: string): never {
  throw new Error(`program ${seed}: ${why}\n${metatablesHandler(new Random(seed))}`);
}

/** Has the VM run for a while. */
const WARM = `local t = {}
for i = 1, 20000 do t[i % 100] = setmetatable({ ("x"):rep(i % 9) }, { __index = t, __lt = function() return true end }) end
pcall(table.sort, t) pcall(string.format, "%s", t) pcall(table.concat, t)`;

/** Processor time of the dispatch of one program, all threads of this process together. */
async function dispatched({ seed, isolation }: Task): Promise<number> {
  const handler = metatablesHandler(new Random(seed));
  const orcs = await createOrcs({
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    config: {
      lua: { isolation, max_run_ms: RUN_MS },
      hooks: [
        { id: "fuzz", point: "tool.pre_execute", handler_inline: handler, on_error: "open" },
        { id: "warm", point: "prompt.pre_submit", handler_inline: WARM },
      ],
    },
  });
  const payload = { tool_name: "t", args: {} };
  // A new thread compiles the VM besides, which is not the program's time.
  await orcs.dispatch("prompt.pre_submit", { prompt: "" });
  const began = process.cpuUsage();
  await orcs.dispatch("tool.pre_execute", payload);
  const { user, system } = process.cpuUsage(began);
  await orcs.close();
  return (user + system) / 1000;
}

if (process.send) {
  process.on("message", (task: Task) => {
    dispatched(task).then(
      (ms) => process.send?.(ms),
      (thrown: unknown) => {
        process.stderr.write(`${String(thrown)}\n`);
        process.exit(1);
      },
    );
  });
}
