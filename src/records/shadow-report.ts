import type { LogLine } from "./audit/read-log.ts";
import {
  isNote,
  isPlainObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsIn,
  stated,
  textAt,
} from "../core/index.ts";

/** Selects what is reported. */
export interface ShadowSelection {
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly hook?: string;
}

/** What a hook in shadow, or one that only warns, would have done. */
export interface ShadowReport {
  readonly hook: string;
  /** `audit` or `warn`, as of its last entry. */
  readonly mode: string;
  readonly point: string;
  readonly source: string | undefined;
  /** Entries in the log. With the audit level `decisions`, those in which it would have done something. */
  readonly entries: number;
  /** How often it would have done what; a hook can ask and change at once. */
  readonly would: Readonly<Record<Would, number>>;
  readonly failed: number;
  /** Number of sessions in which it would have done something. */
  readonly sessions: number;
  /** How often something else denied or asked anyway. */
  readonly anyway: number;
  /** ISO 8601. */
  readonly first: string;
  readonly last: string;
  /** The latest, each with another input if possible. */
  readonly examples: readonly ShadowExample[];
  /** The command that raises its mode. */
  readonly promote: string;
}

/** What a hook would have done, the gravest first. */
export const WOULD = [
  "deny",
  "ask",
  "defer",
  "skip",
  "retry",
  "change",
  "allow",
  "inject",
] as const;
export type Would = (typeof WOULD)[number];

/** One thing that a hook would have done. */
export interface ShadowExample {
  readonly time: string;
  readonly session: string | undefined;
  readonly tool: string | undefined;
  /** The command, path or text that it was about. */
  readonly subject: string | undefined;
  readonly would: readonly Would[];
  readonly reason: string | undefined;
  /** What it would have changed: operations of JSON Patch, or only their paths. */
  readonly changes: readonly Json[];
}

const MOST_EXAMPLES = 3;

/** What each hook would have done, the one with the most entries first. */
export function shadowReport(
  lines: Iterable<Pick<LogLine, "record">>,
  { since, hook: only }: ShadowSelection,
): ShadowReport[] {
  const tallies = new ShadowTallies();
  const earliest = since === undefined ? "" : new Date(since).toISOString();
  for (const { record } of lines) {
    if (!record || typeof record["time"] !== "string" || record["time"] < earliest) continue;
    tallies.add(record, only);
  }
  return tallies.reports();
}

/** What hooks would have done, counted line by line. */
export class ShadowTallies {
  readonly #byHook = new Map<string, Tally>();

  /**
   * Count what a line of the audit log says of hooks in shadow, or of those that warn.
   * @param only the hook to count, if not all
   */
  add(record: JsonObject, only?: string): void {
    for (const entry of entriesOf(record)) {
      const id = entry["hook"];
      if (typeof id !== "string" || (only !== undefined && id !== only)) continue;
      let tally = this.#byHook.get(id);
      if (!tally) this.#byHook.set(id, (tally = new Tally(id)));
      tally.add(entry);
    }
  }

  /** The hook with the most entries first. */
  reports(): ShadowReport[] {
    return [...this.#byHook.values()]
      .map((tally) => tally.report())
      .sort((a, b) => b.entries - a.entries || (a.hook < b.hook ? -1 : 1));
  }
}

/** A line of a hook in shadow; or what the hooks that warn said in a dispatch, each as such a line. */
function entriesOf(record: JsonObject): readonly JsonObject[] {
  if (record["kind"] === "shadow") return [record];
  if (record["warned"] === undefined) return [];
  const { time, point, session, tool, subject, action, decision } = record;
  const call = { mode: "warn", time, point, session, tool, subject };
  const enforced = stated<Json>({ action, decision });
  return objectsIn(record["warned"]).map((said) => {
    const { hook, source, action: would, decision: asked, reason, paths: patch } = said;
    const own = { hook, source, action: would, decision: asked, reason, patch };
    return stated<Json>({ ...own, ...call, enforced });
  });
}

/** The entries of one hook so far. */
class Tally {
  readonly #hook: string;
  readonly #would = new Map<Would, number>();
  readonly #sessions = new Set<string>();
  /** By what they were about. */
  readonly #examples = new Map<string, ShadowExample>();
  #entries = 0;
  #failed = 0;
  #anyway = 0;
  #first = "";
  #last: JsonObject = {};

  constructor(hook: string) {
    this.#hook = hook;
  }

  add(entry: JsonObject): void {
    const time = textAt(entry, "time") ?? "";
    this.#entries++;
    if (this.#first === "") this.#first = time;
    this.#last = entry;
    if (entry["action"] === "failed") {
      this.#failed++;
      return;
    }
    const would = wouldOf(entry);
    for (const each of would) this.#would.set(each, (this.#would.get(each) ?? 0) + 1);
    if (would.length === 0) return;
    const session = textAt(entry, "session");
    if (session !== undefined) this.#sessions.add(session);
    const enforced = objectAt(entry, "enforced");
    const isRefused = enforced["action"] === "abort" || enforced["decision"] === "ask";
    if (isRefused && would.some((each) => each === "deny" || each === "ask")) this.#anyway++;
    this.#keep({
      time,
      session,
      tool: textAt(entry, "tool"),
      subject: textAt(entry, "subject"),
      would,
      reason: textAt(entry, "reason"),
      changes: Array.isArray(entry["patch"]) ? entry["patch"] : [],
    });
  }

  #keep(example: ShadowExample): void {
    const about = `${example.tool}\n${example.subject}\n${example.would.join()}`;
    this.#examples.delete(about);
    this.#examples.set(about, example);
    const [oldest] = this.#examples.keys();
    if (this.#examples.size > MOST_EXAMPLES && oldest !== undefined) this.#examples.delete(oldest);
  }

  report(): ShadowReport {
    const would = Object.fromEntries(WOULD.map((each) => [each, this.#would.get(each) ?? 0]));
    return {
      hook: this.#hook,
      mode: textAt(this.#last, "mode") ?? "audit",
      point: textAt(this.#last, "point") ?? "",
      source: textAt(this.#last, "source"),
      entries: this.#entries,
      would: would as Record<Would, number>,
      failed: this.#failed,
      sessions: this.#sessions.size,
      anyway: this.#anyway,
      first: this.#first,
      last: textAt(this.#last, "time") ?? "",
      examples: [...this.#examples.values()],
      promote: `orcs rules promote ${quoted(this.#hook)}`,
    };
  }
}

/** By the action of an entry; `continue` and `rewrite` do nothing by themselves. */
const OF_ACTION: Readonly<Record<string, Would>> = {
  abort: "deny",
  skip: "skip",
  retry: "retry",
  replace: "change",
};

function wouldOf({ action, decision, patch, inject }: JsonObject): Would[] {
  const found: Would[] = [];
  const named = typeof action === "string" ? OF_ACTION[action] : undefined;
  if (named) found.push(named);
  if (decision === "ask" || decision === "defer" || decision === "allow") found.push(decision);
  if (named !== "change" && isPatch(patch)) found.push("change");
  if (inject !== undefined) found.push("inject");
  return found;
}

/** Whether a patch changes more than notes for other hooks. */
function isPatch(patch: Json | undefined): boolean {
  if (!Array.isArray(patch)) return false;
  return !patch.every((each) => isPlainObject(each) && isNote(textAt(each, "path") ?? ""));
}

/** An id as one word of a shell. */
function quoted(id: string): string {
  return /^[\w.:@/+-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`;
}
