import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isPlainObject, objectIn, setOwn, textIn, type JsonObject } from "../core/index.ts";

/** Where the next reading of a transcript begins, and what it must not count again. */
export interface TranscriptMark {
  readonly at: number;
  /** The model of the lines that follow, where they do not name theirs. */
  readonly model: string;
  /** What the latest responses have used so far, by their ids. */
  readonly seen: readonly (readonly [id: string, usage: Usage])[];
}

type Usage = Readonly<Record<(typeof COUNTS)[number], number>>;

/** The counts of Claude Code. Cached tokens are not part of the input. */
const COUNTS = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "output_tokens",
] as const;
/** The most that one call reads; the next one goes on there. */
const MOST_BYTES = 4 << 20;
/** Responses whose parts may come one after the other, and one between the others. */
const MOST_SEEN = 4;
/** Of Codex, whose counts are those of the whole session. */
const SESSION = "";
const START: TranscriptMark = { at: 0, model: "", seen: [] };
const INTERESTING = /"(?:usage|token_count|turn_context)"/;

/**
 * The tokens that an agent has written into its transcript since a mark: Claude Code and what speaks as it, and Codex.
 * A line that cannot be read is skipped: whoever writes the file may be at it.
 * @returns by model, and the next mark; undefined when there is no such file
 */
export function transcriptUsage(
  path: string,
  mark: Partial<TranscriptMark> = START,
): { readonly mark: TranscriptMark; readonly used: Readonly<Record<string, Usage>> } | undefined {
  const read = piece(path, mark.at ?? 0);
  if (!read) return undefined;
  const { at, text } = read;
  const seen = new Map(mark.seen);
  const used: Record<string, Usage> = {};
  let model = mark.model ?? "";
  for (const line of text.split("\n")) {
    const row = INTERESTING.test(line) ? objectIn(line) : undefined;
    const content = row && (objectAt(row, "payload") ?? objectAt(row, "message"));
    if (!content) continue;
    model = textIn(content, "model") ?? model;
    const [id, usage] = usageOf(content);
    if (!usage) continue;
    const before = seen.get(id);
    seen.delete(id);
    seen.set(id, usage);
    const isReset = before && usage.output_tokens < before.output_tokens;
    const fresh = summed(usage, before && !isReset ? before : undefined, -1);
    setOwn(used, model, summed(fresh, used[model], 1));
  }
  return { mark: { at, model, seen: [...seen].slice(-MOST_SEEN) }, used };
}

/** What a response has used so far, or a session of Codex. */
function usageOf(content: JsonObject): [id: string, usage: Usage | undefined] {
  const session = objectAt(objectAt(content, "info"), "total_token_usage");
  if (!session) return [textIn(content, "id") ?? "", countsOf(objectAt(content, "usage"))];
  const counts = countsOf(session);
  const cached = Number(session["cached_input_tokens"]) || 0;
  const rest = counts && Math.max(0, counts.input_tokens - cached);
  return [
    SESSION,
    counts && { ...counts, input_tokens: rest ?? 0, cache_read_input_tokens: cached },
  ];
}

function countsOf(usage: JsonObject | undefined): Usage | undefined {
  const count = (key: string): number => {
    const value = usage?.[key];
    return typeof value === "number" && value >= 0 ? value : 0;
  };
  return usage && (Object.fromEntries(COUNTS.map((key) => [key, count(key)])) as Usage);
}

function summed(usage: Usage, other: Usage | undefined, sign: 1 | -1): Usage {
  const sums = COUNTS.map((key) => [key, Math.max(0, usage[key] + sign * (other?.[key] ?? 0))]);
  return Object.fromEntries(sums) as Usage;
}

function objectAt(of: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = of?.[key];
  return isPlainObject(value) ? value : undefined;
}

/** The whole lines of a file from an offset, and the offset behind them; from the start when the file is shorter. */
function piece(
  path: string,
  from: number,
): { readonly at: number; readonly text: string } | undefined {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
  let file: number | undefined;
  try {
    file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const start = from > stats.size ? 0 : from;
    const bytes = Buffer.allocUnsafe(Math.min(MOST_BYTES, stats.size - start));
    const read = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
    // A line longer than that is skipped.
    const end = read.lastIndexOf("\n") + 1 || (read.length === MOST_BYTES ? read.length : 0);
    return { at: start + end, text: read.subarray(0, end).toString() };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
