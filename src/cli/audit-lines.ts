import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import type { LogLine } from "../records/index.ts";
import { isPlainObject, objectsIn, pointSet } from "../core/index.ts";
import type { Json, JsonObject } from "../core/index.ts";
import { printable, shortened } from "./table.ts";

/** Selects lines: all conditions must be true. */
export interface LineFilter {
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly point?: string;
  readonly hook?: string;
  readonly action?: string;
  readonly session?: string;
  readonly failed?: boolean;
}

/** Add the options of a filter to a command. */
export function withFilter(command: Command): Command {
  return command
    .addOption(sinceOption())
    .option("--point <name>", "only entries of this hook point or alias", pointName)
    .option("--hook <id>", "only entries in which this hook decided, changed something or failed")
    .option("--action <name>", "only entries with this action or decision: abort, ask, rewrite, …")
    .option("--session <id>", "only entries of this session")
    .option("--failed", "only entries in which a hook failed");
}

/** `--since`: milliseconds since 1970. */
export function sinceOption(): Option {
  return new Option(
    "--since <time>",
    "only entries since then: 90s, 10m, 2h or 7d ago, or a date",
  ).argParser(time);
}

/** Whether a line is selected. An unreadable line is, if there are no conditions. */
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

/** Kinds of lines that are failures. */
const FAILURES: readonly Json[] = ["reload_failed", "gap", "dropped", "refused"];

function isFailure({ kind = null, failures }: JsonObject): boolean {
  return FAILURES.includes(kind) || listOf(failures).length > 0;
}

function hooksOf({ hook, stopped_by, failures, changed, warned }: JsonObject): Json[] {
  const others = [...listOf(failures), ...listOf(changed), ...listOf(warned)];
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

/** A point that an embedding program has added is unknown here. */
function pointName(text: string): string {
  return pointSet().resolve(text)?.name ?? text;
}

/** The columns of a line. */
export const COLUMNS = ["seq", "time", "what", "action", "hook", "tool", "why"] as const;

/** Maximum length of shown texts, in characters; `--json` shows all. */
const MOST = 200;
const MOST_WHERE = 60;

/** The cells of a line, with control characters escaped. */
export function cellsOf({ file, line, text, record }: LogLine): string[] {
  if (!record) return ["?", "", "not JSON", "", "", "", safe(`${file}:${line}: ${text}`, MOST)];
  const { seq, time, kind, point, action, decision, hook, tool } = record;
  return [
    safe(seq, MOST_WHERE),
    safe(time, MOST_WHERE),
    safe(kind === "dispatch" ? point : whatOf(kind, point), MOST_WHERE),
    safe(decision ?? action, MOST_WHERE),
    safe(hook, MOST_WHERE),
    safe(tool, MOST_WHERE),
    safe(whyOf(record), MOST),
  ];
}

/** The run of a hook in shadow is named with its point. */
function whatOf(kind: Json | undefined, point: Json | undefined): Json | undefined {
  return kind === "shadow" ? `shadow ${plain(point)}` : kind;
}

/** A line as JSON, with control characters escaped for terminals. */
export function jsonOf({ file, line, text, record }: LogLine): string {
  const json = JSON.stringify(record ?? { file, line, not_json: text });
  return json.replaceAll(UNSAFE, (char) => char.replaceAll(/[^]/g, escaped));
}

/** In addition to control characters: directional marks and invisible characters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A value for a terminal, truncated. */
export function safe(value: Json | undefined, most: number): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const shown = printable(shortened(text, most));
  return shown.replaceAll(UNSEEN, (char) => char.replaceAll(/[^]/g, escaped));
}

/** Escapes one UTF-16 code unit. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The remaining details of a line. */
function whyOf(record: JsonObject): string {
  const { reason, refusal, failures, changed, warned, stopped_by, kind } = record;
  const details = [
    ...(typeof reason === "string" ? [reason] : []),
    ...(typeof refusal === "string" ? [refusal] : []),
    ...objectsIn(failures).map((each) => `${plain(each["hook"])} failed (${plain(each["kind"])})`),
    ...(stopped_by === undefined ? [] : [`${plain(stopped_by)} stopped the rest`]),
    ...objectsIn(warned).map((each) => `${plain(each["hook"])} warns: ${plain(each["action"])}`),
    ...objectsIn(changed).map((each) => `${plain(each["hook"])} changed ${plain(each["paths"])}`),
  ];
  if (details.length > 0) return details.join("; ");
  return kind === "dispatch" || kind === "shadow" ? "" : otherFacts(record);
}

/** Members of every line, which are not shown. */
const COMMON = [
  "v",
  "seq",
  "time",
  "pid",
  "prev",
  "hash",
  "kind",
  "point",
  "action",
  "hook",
  "tool",
];

function otherFacts(record: JsonObject): string {
  const facts = Object.entries(record).filter(([key]) => !COMMON.includes(key));
  return facts.map(([key, value]) => `${key} ${plain(value)}`).join(", ");
}

function plain(value: Json | undefined): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map(plain).join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
