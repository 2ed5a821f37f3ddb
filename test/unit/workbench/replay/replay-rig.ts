import { join } from "node:path";
import { writeFileSync } from "node:fs";
import type { RecordedEvent, RecordedOutcome } from "../../../../src/records/recording/format.ts";
import { replay } from "../../../../src/workbench/replay/replay.ts";
import type { ReplayOptions } from "../../../../src/workbench/replay/replay.ts";
import type {
  ReplayDifference,
  ReplaySummary,
} from "../../../../src/workbench/replay/replay-result.ts";
import { folder } from "../../engine/orcs/engine.ts";

/** When all records of these tests were begun, in milliseconds since 1970. */
export const BEGUN = Date.UTC(2026, 0, 1);

/** An event as it is recorded: a call of `exec` at the host's main component that nobody minded. */
export function event(
  more: Partial<Omit<RecordedEvent, "outcome">> & { outcome?: Partial<RecordedOutcome> } = {},
): object {
  const { outcome, ...rest } = more;
  return {
    at: BEGUN,
    point: "tool.pre_execute",
    component: "host::main",
    channel: "main",
    principal: { type: "Host", id: "main" },
    payload: { tool_name: "exec", args: { command: "ls" } },
    duration_ms: 0,
    ...rest,
    outcome: { action: "continue", edits: [], ...outcome },
  };
}

/** The same of a command. */
export function command(text: string, outcome: Partial<RecordedOutcome> = {}, more: object = {}) {
  return event({ payload: { tool_name: "exec", args: { command: text } }, outcome, ...more });
}

/** What a tool answered a hook, as it is recorded. */
export function answered(kind: string, args: object, came: object): object {
  return { call: { kind, args, ...came }, depth: 1 };
}

/** A record of these lines. */
export function recordOf(lines: readonly object[], { whole = true } = {}): string {
  const header = { orcs: "record", version: 1, time: new Date(BEGUN).toISOString(), whole };
  const file = join(folder(), "record.jsonl");
  writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}

/** What a replay came to. */
export interface Told extends Omit<ReplaySummary, "seconds"> {
  readonly differences: readonly ReplayDifference[];
  /** Numbers of the events that differ. */
  readonly numbers: readonly number[];
}

/** Limits that a script does not reach because the machine has other things to do. */
const PATIENT = { lua: { max_run_ms: 5000, max_chain_ms: 20_000 } };
const QUIET = { debug: none, info: none, warn: none, error: none };

/** Replay a record on a configuration. */
export async function replayed(
  file: string,
  config: object | string,
  { against, ...more }: Partial<Omit<ReplayOptions, "against">> & { against?: object } = {},
): Promise<Told> {
  const differences: ReplayDifference[] = [];
  const set = (hooks: object | string) =>
    ({ config: hooks as string, overrides: PATIENT, logger: QUIET }) as const;
  const { seconds: _, ...summary } = await replay({
    file,
    set: set(config),
    ...(against && { against: set(against) }),
    differs: (difference) => differences.push(difference),
    ...more,
  });
  return { ...summary, differences, numbers: differences.map((difference) => difference.event) };
}

/** A configuration of inline handlers at `tool.pre_execute`, by id. */
export function inline(handlers: Readonly<Record<string, string>>, more: object = {}): object {
  const hooks = Object.entries(handlers).map(([id, handler_inline]) => {
    return Object.assign({ id, point: "tool.pre_execute", handler_inline }, more);
  });
  return { hooks };
}

function none(): void {
  // What hooks log is not looked at.
}
