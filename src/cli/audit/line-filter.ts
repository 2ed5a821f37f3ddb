import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import type { Json, JsonObject } from "../../core/json.ts";
import { isPlainObject } from "../../core/json.ts";
import { pointSet } from "../../core/points.ts";

/** Which lines are wanted: all that is said must hold. */
export interface LineFilter {
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly point?: string;
  readonly hook?: string;
  readonly action?: string;
  readonly session?: string;
  readonly failed?: boolean;
}

/** The options of a filter, the same for all verbs that have one. */
export function withFilter(command: Command): Command {
  return command
    .option("--since <time>", "from this time on: 90s, 10m, 2h, 7d ago, or a date", time)
    .option("--point <name>", "of this hook point, or its alias", pointName)
    .option("--hook <id>", "in which this hook decided, changed something or failed")
    .option("--action <name>", "with this action or decision: abort, ask, rewrite, …")
    .option("--session <id>", "of this session")
    .option("--failed", "in which something failed");
}

/** Whether a line is wanted. One that cannot be read is, where nothing is asked of it. */
export function isWanted(record: JsonObject | undefined, filter: LineFilter): boolean {
  return TESTS.every((test) => test(record ?? {}, filter));
}

const TESTS: readonly ((record: JsonObject, filter: LineFilter) => boolean)[] = [
  ({ time: at }, { since }) =>
    since === undefined || (typeof at === "string" && Date.parse(at) >= since),
  (record, { point }) => point === undefined || record["point"] === point,
  (record, { hook }) => hook === undefined || hooksOf(record).includes(hook),
  ({ action, decision }, { action: wanted }) =>
    wanted === undefined || action === wanted || decision === wanted,
  (record, { session }) => session === undefined || record["session"] === session,
  (record, { failed }) => failed !== true || isFailure(record),
];

/** Kinds of lines that are failures by themselves. */
const FAILURES: readonly Json[] = ["reload_failed", "gap", "dropped", "refused"];

function isFailure({ kind = null, failures }: JsonObject): boolean {
  return FAILURES.includes(kind) || listOf(failures).length > 0;
}

function hooksOf({ hook, stopped_by, failures, changed }: JsonObject): Json[] {
  const others = [...listOf(failures), ...listOf(changed)];
  return [
    hook ?? null,
    stopped_by ?? null,
    ...others.map((each) => (isPlainObject(each) ? (each["hook"] ?? null) : null)),
  ];
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function time(text: string): number {
  const ago = /^(\d+)([smhd])$/.exec(text);
  const at = ago ? Date.now() - Number(ago[1]) * (UNITS[ago[2] ?? ""] ?? 0) : Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError("Write 90s, 10m, 2h, 7d, or a date.");
  return at;
}

/** A point that an embedding program has added is known to no one here. */
function pointName(text: string): string {
  return pointSet().resolve(text)?.name ?? text;
}
