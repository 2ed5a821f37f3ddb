import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { Logger, LogLevel } from "../../../../src/core/ports.ts";

/** A temporary directory with files in it, gone after the test. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-host-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

/** A logger that keeps its lines as `level: message`. */
export class Lines implements Logger {
  readonly lines: string[] = [];
  readonly debug = this.#keep("debug");
  readonly info = this.#keep("info");
  readonly warn = this.#keep("warn");
  readonly error = this.#keep("error");

  #keep(level: LogLevel): (message: string) => void {
    return (message) => void this.lines.push(`${level}: ${message}`);
  }
}

/** Limits that a script does not reach because the machine has other things to do. */
const PATIENT = { lua: { max_run_ms: 5000, max_chain_ms: 20_000 } };

/**
 * An engine that is closed after the test; without a configuration, and with limits that are not reached
 * by accident, unless others are given.
 */
export async function open(options: CreateOrcsOptions = {}): Promise<Orcs> {
  const orcs = await createOrcs({
    config: false,
    logger: new Lines(),
    overrides: PATIENT,
    ...options,
  });
  onTestFinished(() => orcs.close());
  return orcs;
}

/** The same with one inline hook, at `tool.pre_execute` unless said otherwise. */
export function openWith(
  handler: string,
  more: Readonly<Record<string, unknown>> = {},
  options: CreateOrcsOptions = {},
) {
  const hook = { id: "h", point: "tool.pre_execute", handler_inline: handler, ...more };
  return open({ config: { hooks: [hook] }, ...options });
}

/** The error of orcs that something ends with. */
export async function errorOf(doing: Promise<unknown> | (() => unknown)): Promise<OrcsError> {
  let thrown: unknown;
  try {
    await (typeof doing === "function" ? doing() : doing);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(OrcsError);
  return thrown as OrcsError;
}

/** A call as hooks see it. */
export function call(tool: string, args: Record<string, string | number> = {}) {
  return { tool_name: tool, args };
}

/** Whether a process still runs; one that is over and that nobody has waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    if (!existsSync("/proc/self/stat")) return process.kill(pid, 0);
    return !/^\S+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
