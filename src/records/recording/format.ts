import { isPlainObject } from "../../core/index.ts";
import type {
  Decision,
  HookFailure,
  Injection,
  Json,
  JsonObject,
  OutcomeAction,
  Principal,
} from "../../core/index.ts";

// A record is a UTF-8 text with one JSON object per line: a header, then events and calls in the order in which they
// ended. Several processes can append to it.

/** Version of the format; records of other versions are rejected. */
const RECORD_VERSION = 1;

/** Maximum length of a line, in bytes. */
export const MAX_RECORD_LINE = 64 * 2 ** 20;

/** The first line. */
export interface RecordHeader {
  readonly orcs: "record";
  readonly version: typeof RECORD_VERSION;
  /** When it was started, ISO 8601. */
  readonly time: string;
  /** Whether it contains secrets; otherwise it is redacted. */
  readonly whole: boolean;
  /** Digest of the configuration at the start. */
  readonly config?: string;
}

/** A dispatch that was not nested in another one; a replay repeats the nested ones. */
export interface RecordedEvent {
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly point: string;
  /** `namespace::name`. */
  readonly component: string;
  readonly child?: string;
  readonly instance?: string;
  readonly channel: string;
  readonly principal: Principal;
  /** Its initial metadata, if any. */
  readonly metadata?: JsonObject;
  /** As dispatched. */
  readonly payload: JsonObject;
  readonly outcome: RecordedOutcome;
  readonly failures?: readonly RecordedFailure[];
  readonly duration_ms: number;
  /** Values that hooks cannot read: null in their place. Such an event cannot be replayed. */
  readonly not_json?: readonly NotRecorded[];
}

/** The outcome of a chain. */
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
  /** Changes of payload and metadata by hooks. */
  readonly edits: readonly RecordedEdit[];
}

/** One changed value. */
export interface RecordedEdit {
  /** JSON Pointer from the context's root: `/payload/args/command`. */
  readonly path: string;
  /** Missing when the value was removed. */
  readonly value?: Json;
}

export interface RecordedFailure {
  readonly hook: string;
  readonly kind: HookFailure["kind"];
  readonly message: string;
}

/** One value that could not be recorded. */
export interface NotRecorded {
  /** JSON Pointer from the root of the event or call: `/payload/args/when`. */
  readonly path: string;
  readonly why: string;
}

/** A tool call of a hook, and the result of the tool: a replay returns it instead of running the tool. */
export interface RecordedCall {
  readonly call: {
    readonly kind: string;
    /** As the pre hooks left them. */
    readonly args: JsonObject;
    /** Before the post hooks. Missing when the tool threw. */
    readonly result?: Json;
    /** The message of the thrown error. */
    readonly error?: string;
  };
  /** Depth of the call: 1 for a hook that served an event of this record. */
  readonly depth: number;
  /** The hook in shadow that made it, with `shadow_effects`. It is no call of the event's hooks. */
  readonly shadow_hook?: string;
  readonly not_json?: readonly NotRecorded[];
}

export type RecordEntry = RecordedEvent | RecordedCall;

export function isCall(entry: RecordEntry): entry is RecordedCall {
  return "call" in entry;
}

export const NO_RECORD = "this is not a record of orcs";

/**
 * The header of a record, or why it is invalid.
 * @param value the first line, as JSON
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

/** Whether a line is meant as a header. */
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
