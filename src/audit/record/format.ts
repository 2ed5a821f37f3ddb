import type { Decision, Injection } from "../../core/actions.ts";
import type { Principal } from "../../core/context.ts";
import type { HookFailure } from "../../core/hook.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isPlainObject } from "../../core/json.ts";
import type { OutcomeAction } from "../../core/outcome.ts";

// A record is a text in UTF-8 of one JSON object per line: a header, then what happened, in the order in which it
// was answered. Several processes may append to one.

/** Of the format; a record of another version is refused. */
const RECORD_VERSION = 1;

/** The longest line that is written or read, in bytes. */
export const MAX_RECORD_LINE = 64 * 2 ** 20;

/** The first line. */
export interface RecordHeader {
  readonly orcs: "record";
  readonly version: typeof RECORD_VERSION;
  /** When it was begun, as ISO 8601. */
  readonly time: string;
  /** Whether secrets stand in it as they were; else they are masked. */
  readonly whole: boolean;
  /** Digest of the configuration that it was begun with. */
  readonly config?: string;
}

/** A dispatch that was not nested in another: those happen again when it is replayed. */
export interface RecordedEvent {
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
  readonly point: string;
  /** `namespace::name`. */
  readonly component: string;
  readonly child?: string;
  readonly instance?: string;
  readonly channel: string;
  readonly principal: Principal;
  /** What it began with, where that was anything. */
  readonly metadata?: JsonObject;
  /** As it was dispatched. */
  readonly payload: JsonObject;
  readonly outcome: RecordedOutcome;
  readonly failures?: readonly RecordedFailure[];
  readonly duration_ms: number;
  /** Where hooks cannot look: null stands in its place. It cannot be replayed. */
  readonly not_json?: readonly NotRecorded[];
}

/** What a chain answered. */
export interface RecordedOutcome {
  readonly action: OutcomeAction["action"];
  readonly reason?: string;
  readonly hook?: string;
  readonly decision?: Decision;
  /** Of `skip`. */
  readonly result?: Json;
  /** Of `retry`. */
  readonly delay_ms?: number;
  readonly inject?: readonly Injection[];
  /** What the hooks made of payload and metadata. */
  readonly edits: readonly RecordedEdit[];
}

/** One value that is not what it was. */
export interface RecordedEdit {
  /** JSON Pointer from the context's root: `/payload/args/command`. */
  readonly path: string;
  /** Left out where nothing is left. */
  readonly value?: Json;
}

export interface RecordedFailure {
  readonly hook: string;
  readonly kind: HookFailure["kind"];
  readonly message: string;
}

/** One value that could not be written down. */
export interface NotRecorded {
  /** JSON Pointer from the event's root, or from the call's: `/payload/args/when`. */
  readonly path: string;
  readonly why: string;
}

/** A tool that a hook called, and what the tool gave: when that hook is replayed, this is given in its place. */
export interface RecordedCall {
  readonly call: {
    readonly kind: string;
    /** As the hooks before the tool left them. */
    readonly args: JsonObject;
    /** Before the hooks after the tool. Left out when it threw. */
    readonly result?: Json;
    /** The message of what it threw. */
    readonly error?: string;
  };
  /** Of the call: 1 for a hook's that served an event of this record. */
  readonly depth: number;
  readonly not_json?: readonly NotRecorded[];
}

export type RecordEntry = RecordedEvent | RecordedCall;

export function isCall(entry: RecordEntry): entry is RecordedCall {
  return "call" in entry;
}

export const NO_RECORD = "this is not a record of orcs";

/**
 * What the first line of a record says, or why it is none.
 * @param value of a line, as JSON
 */
export function headerOf(value: unknown): RecordHeader | string {
  if (!isHeader(value)) return NO_RECORD;
  const { version, time, whole, config } = value;
  if (version !== RECORD_VERSION) {
    const which = typeof version === "number" ? `version ${version}` : "an unknown version";
    return `the record has ${which}; this orcs supports version ${RECORD_VERSION}`;
  }
  if (typeof whole !== "boolean" || typeof time !== "string") return "its header is damaged";
  const known = { orcs: "record", version: RECORD_VERSION, time, whole } as const;
  return typeof config === "string" ? { ...known, config } : known;
}

/** Whether a line means to be a header. */
export function isHeader(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && value["orcs"] === "record";
}

/** The first line of a new record. */
export function headerText(whole: boolean, config: string | undefined): string {
  const header: RecordHeader = {
    orcs: "record",
    version: RECORD_VERSION,
    time: new Date().toISOString(),
    whole,
    ...(config !== undefined && { config }),
  };
  return `${JSON.stringify(header)}\n`;
}
