import { InvalidArgumentError } from "commander";
import type { LogLine } from "../records/index.ts";
import { escapedUnits, isPlainObject, objectsIn, pointSet } from "../core/index.ts";
import type { Json, JsonObject } from "../core/index.ts";
import { escapedJson, printable, shortened, UNSEEN } from "./table.ts";
import { flag, type OptionsOf, value } from "./verb-command.ts";

/** `--since`: milliseconds since 1970. */
export const SINCE = value("<time>", "only entries since then: 90s, 10m, 2h or 7d ago, or a date", {
  parse: time,
});

/** Selects lines: all conditions must be true. */
export const FILTER = {
  since: SINCE,
  point: value("<name>", "only entries of this hook point or alias", {
    // A point that an embedding program has added is unknown here.
    parse: (text) => pointSet().resolve(text)?.name ?? text,
  }),
  hook: value("<id>", "only entries in which this hook decided, changed something or failed"),
  action: value("<name>", "only entries with this action or decision: abort, ask, rewrite, …"),
  session: value("<id>", "only entries of this session"),
  failed: flag("only entries in which a hook failed"),
};
export type LineFilter = OptionsOf<typeof FILTER>;

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
  ({ kind = null, failures }, { failed }) =>
    failed !== true || FAILURES.includes(kind) || listOf(failures).length > 0,
];

/** Kinds of lines that are failures. */
const FAILURES: readonly Json[] = ["reload_failed", "gap", "dropped", "refused"];

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

function time(text: string): number {
  const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
  const ago = /^(\d+)([smhd])$/.exec(text);
  const seconds = ago && Number(ago[1]) * (units[ago[2] ?? ""] ?? 0);
  const at = seconds === null ? Date.parse(text) : Date.now() - seconds * 1000;
  if (Number.isNaN(at)) throw new InvalidArgumentError("Write 90s, 10m, 2h, 7d, or a date.");
  return at;
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
    // The run of a hook in shadow is named with its point.
    safe(
      kind === "dispatch" ? point : kind === "shadow" ? `shadow ${plain(point)}` : kind,
      MOST_WHERE,
    ),
    safe(decision ?? action, MOST_WHERE),
    safe(hook, MOST_WHERE),
    safe(tool, MOST_WHERE),
    safe(whyOf(record), MOST),
  ];
}

/** A line as JSON, with control characters escaped for terminals. */
export function jsonOf({ file, line, text, record }: LogLine): string {
  return escapedJson(record ?? { file, line, not_json: text });
}

/** A value for a terminal, truncated. */
export function safe(value: Json | undefined, most: number): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return printable(shortened(text, most)).replaceAll(UNSEEN, escapedUnits);
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
