import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hook } from "../../../../src/core/hook.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { ShellRunner, type ShellOptions } from "../../../../src/engine/handlers/shell.ts";
import { HANDLER_PROTOCOLS } from "../../../../src/formats/handler-protocols.ts";
import { ProcessSet } from "../../../../src/machine/spawn/processes.ts";
import { bench, hook, type HookWords } from "../registry/hooks.ts";

/** What a test may say of a command; by default it speaks orcs at `tool.pre_execute`. */
export type ShellWords = Partial<ShellOptions>;

export const PATH = process.env["PATH"] ?? "/usr/bin:/bin";

export function shell(command: string, words: ShellWords = {}): ShellRunner {
  return new ShellRunner({
    command,
    passContext: true,
    parseResult: true,
    protocol: HANDLER_PROTOCOLS.orcs,
    leavesProcesses: false,
    backgroundS: 0,
    sessionMarks: (session) => join(tmpdir(), "orcs-marks", session),
    env: [],
    environment: { variables: { PATH } },
    configDir: "/etc/orcs",
    cwd: process.cwd(),
    processes: new ProcessSet(),
    maxOutputBytes: 1 << 20,
    ...words,
  });
}

/** A command as a hook in a chain, and what one dispatch of it came to. */
export interface Ran {
  readonly outcome: Outcome;
  /** Of the hook: `ran`, `failed`, `timed_out`. */
  readonly status: string | undefined;
  readonly errors: readonly string[];
}

const EXEC = { tool_name: "exec", args: { command: "ls" } };

export async function runShell(
  command: string,
  words: ShellWords = {},
  hookWords: HookWords = {},
  payload: Record<string, unknown> = EXEC,
): Promise<Ran> {
  const { registry, log } = bench({ trace: true });
  const made: Hook = hook(shell(command, words), {
    id: "shell",
    point: "tool.pre_execute",
    ...hookWords,
  });
  registry.register(made);
  const outcome = await registry.dispatch(made.point.name, payload);
  return { outcome, status: outcome.trace?.[0]?.status, errors: log.of("error") };
}
