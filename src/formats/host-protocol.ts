import {
  denialText,
  equalJson,
  escapeControl,
  getOwn,
  injectedText,
  isJsonObject,
  OrcsError,
  POINT_TABLE,
  toJson,
  type HostName,
  type Json,
  type JsonObject,
  type KeyKind,
  type Outcome,
  type PointName,
  type ShellReader,
} from "../core/index.ts";
import { wholeText } from "./agent-text.ts";
import type { HostFields } from "./host-fields.ts";
import type { EventLimits } from "./host-limits.ts";

/** What an agent sends to hooks at one kind of event, and what it lets them do. */
export interface HostEvent {
  /** Our point; `host.pre_event` if there is no specific one. */
  readonly point: PointName;
  /** Whether the agent lets hooks deny it. */
  readonly refusable: boolean;
  /** Only a hook can deny here, not an error of orcs. */
  readonly passes?: true;
  /** The agent's time limit in milliseconds, unless its settings state another. */
  readonly timeoutMs: number;
  /** The longest that it waits, in milliseconds, whatever its settings state; undefined if these decide. */
  readonly longestMs?: number;
  /**
   * False if settings must not name it: another event covers it, or a response to it replaces what the agent would do
   * by itself.
   */
  readonly installed?: false;
  /** What the agent does not do there as hooks mean it; undefined for nothing. */
  readonly limits?: EventLimits;
  /** How the agent's user gets a notice with the response; `stderr` if it is not stated. */
  readonly notice?: NoticeWay;
  /** The only tools whose calls it is about, by our names; undefined for any. */
  readonly tools?: readonly string[];
}

/** A decoded event of an agent. */
export interface DecodedEvent {
  /** The agent's name of the event. */
  readonly event: string;
  readonly point: PointName;
  /** Valid for the point; everything that the agent sent is under `host`, unchanged. */
  readonly payload: JsonObject;
  /** `agent::<host>`. */
  readonly component: string;
  /** The agent's id of a subagent. */
  readonly child: string | undefined;
  readonly timeoutMs: number;
}

/** What to do where an agent lacks a feature. */
export interface HostOptions {
  /** For `ask` where the agent cannot ask its user: deny, or make no decision. */
  readonly ask: "deny" | "pass";
  /** For a rewrite that the agent accepts only together with an approval: deny, or approve. */
  readonly rewrite: "refuse" | "approve";
  /** Whether the agent has a user who can answer, as far as its protocol can tell; called where that decides. */
  readonly hasUser?: (() => boolean) | undefined;
  /** A notice for its user, independent of the hooks. */
  readonly notice?: string | undefined;
}

/**
 * How the user of an agent gets a notice with the response to an event: with a key of the output (`user_message` is
 * only certain to be shown in a denial, so it is on stderr as well), on stderr with exit code 2 where that code shows
 * stderr and has no other effect, on stderr, or not at all, where the agent would read stderr as the response.
 */
export type NoticeWay = "systemMessage" | "user_message" | "warning" | "stderr" | "none";

/** The response to an event in the form of the agent. */
export interface HostAnswer {
  /** The content of stdout, or the body of an HTTP response; undefined for empty. */
  readonly output: JsonObject | undefined;
  /** The content of stderr: with a denying exit code, the reason. */
  readonly message?: string | undefined;
  /** Additional content of stderr: a notice that the output cannot contain, or not reliably. */
  readonly notice?: string | undefined;
  /** Exit code of a command. */
  readonly code: number;
  /** What hooks wanted and the agent does not support, one line each, for the log. */
  readonly downgrades: readonly string[];
}

/** What a sample is about. */
export interface Sample {
  /** Of the event, and every other id. */
  readonly session: string;
  readonly project: string;
  /** The command of a call; default `true`. */
  readonly line?: string | undefined;
}

/** A process that an agent's hook comes from. */
export interface AgentProcess {
  /** The program and its arguments. */
  readonly args: readonly string[];
  /** Whether it has a terminal. */
  readonly hasTerminal: boolean;
}

/**
 * How to communicate with a coding agent: the meaning of its events, and the form of responses. Pure: no files,
 * processes or sockets. The agent's tool names and arguments are converted to ours (`exec` with `command`, `read`,
 * `write` and `edit` with `path`, `mcp__server__tool` unchanged), and changed ones are converted back.
 */
export interface HostProtocol {
  readonly name: HostName;
  /** The fields of its responses. */
  readonly fields: HostFields;
  /** Every known event of the agent. Other events are `host.pre_event`. */
  readonly events: Readonly<Record<string, HostEvent>>;
  /** @throws OrcsError ORCS7001 when it is not an event of this agent, naming what is missing or of another type */
  readonly decode: (event: JsonObject) => DecodedEvent;
  /**
   * Further calls that a call makes by its command line, each as an event of its own. Guards of both must be able to
   * deny the call.
   * @param payload of the call as its hooks left it
   */
  callsWithin?(
    decoded: DecodedEvent,
    payload: Readonly<Record<string, unknown>>,
    read: ShellReader["read"],
  ): readonly DecodedEvent[];
  /**
   * Encode an outcome. The response contains exactly what the agent accepts at this event: unsupported parts are listed
   * in `downgrades`, and if hooks meant to deny, nothing in it allows the operation. It contains `options.notice` in
   * the way of `noticeAt`.
   */
  encode(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): HostAnswer;
  /** An event as the agent sends it, for a test. */
  sample(event: string, about: Sample): JsonObject;
  /** How its user gets a notice at an event. */
  noticeAt(event: string): NoticeWay;
  /**
   * The response when no hook could be run: an invalid configuration, a lost service, an unreadable event. Denies what
   * the agent lets hooks deny, but never keeps an agent from stopping.
   * @param event the agent's name of it; undefined when it could not be read
   */
  refuse(event: string | undefined, reason: string): HostAnswer;
}

/** Whether a value is of a type. */
export const KINDS: Readonly<Record<KeyKind, (value: Json) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  object: isJsonObject,
  list: Array.isArray,
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  any: () => true,
};

interface KindOf {
  string: string;
  object: JsonObject;
}

/**
 * A required field of an event.
 * @throws OrcsError ORCS7001
 */
export function requiredField<K extends keyof KindOf>(
  host: HostName,
  event: JsonObject,
  key: string,
  kind: K,
): KindOf[K] {
  const value = getOwn(event, key);
  if (value !== undefined && KINDS[kind](value)) return value as KindOf[K];
  const got = value === undefined ? "is missing" : `is not of the type ${kind}`;
  const named = getOwn(event, "hook_event_name");
  const which = typeof named === "string" ? `the event ${named}` : "an event";
  throw new OrcsError("ORCS7001", `${which} of ${host}: ${key} ${got}`, { host, key });
}

/** A response with a notice for the agent's user. */
export function withNotice(answer: HostAnswer, way: NoticeWay, notice: string): HostAnswer {
  if (way === "none") return answer;
  const line = noticeLine(notice);
  const { output, message, code } = answer;
  if (way === "warning") return { ...answer, message: below(message, line), code: WARNING_CODE };
  const extended = way === "stderr" ? answer : { ...answer, output: joined(output, way, line) };
  // In a response by exit code the agent reads only stderr.
  if (code !== 0) return { ...extended, message: below(message, line) };
  // A key that is only shown in a denial may not be shown, so the notice goes to stderr as well.
  return way === "systemMessage" ? extended : { ...extended, notice: line };
}

/** Exit code with which an agent shows stderr to its user. */
const WARNING_CODE = 2;

/** Keys with the same meaning; all but the first are for older versions. */
const KEYS = {
  systemMessage: ["systemMessage"],
  user_message: ["user_message", "userMessage"],
} as const;

function joined(output: JsonObject = {}, way: keyof typeof KEYS, line: string): JsonObject {
  const words = KEYS[way]
    .filter((key, i) => i === 0 || Object.hasOwn(output, key))
    .map((key) => [key, below(output[key], line)] as const);
  return { ...output, ...Object.fromEntries(words) };
}

function below(text: unknown, line: string): string {
  return typeof text === "string" && text !== "" ? `${text}\n${line}` : line;
}

/** A notice as one line that names orcs. A path in it may contain anything. */
export function noticeLine(text: string): string {
  return `orcs: ${wholeText(escapeControl(text))}`;
}

/** The outcome of a chain, in the parts of an agent's response. */
export interface AgentVerdict {
  /** Why the operation must not continue; undefined when it may. */
  readonly refusal: string | undefined;
  /** `ask` and `defer` if nothing denies, `allow` if a hook decided so. */
  readonly decision: "allow" | "ask" | "defer" | undefined;
  readonly reason: string | undefined;
  /** The input if hooks changed it: `args` of a tool, a prompt. */
  readonly input: Json | undefined;
  /** The result if hooks changed it. */
  readonly result: Json | undefined;
  /** Text for the model, one below the other. */
  readonly context: string | undefined;
  /** What no agent supports. */
  readonly downgrades: readonly string[];
}

/**
 * Convert an outcome for an agent. No agent accepts a result in place of an operation, or a retry: both become denials.
 */
export function agentVerdict(decoded: DecodedEvent, outcome: Outcome): AgentVerdict {
  const row: { phase: string; input?: string; result?: string } = POINT_TABLE[decoded.point];
  const { payload } = outcome.ctx;
  const context = outcome.inject.map(injectedText);
  const common = {
    decision: undefined,
    reason: undefined,
    refusal: undefined,
    downgrades: [],
    input: changed(decoded.payload, payload, row.input ?? "input"),
    result: changed(decoded.payload, payload, row.result ?? "result"),
    context: context.length > 0 ? context.join("\n\n") : undefined,
  };
  if (outcome.action === "continue") {
    const { decision, reason, hook } = outcome;
    return { ...common, decision, reason: reason ?? (decision && hook && `hook ${hook}`) };
  }
  const { hook } = outcome;
  if (outcome.action === "abort") {
    return { ...common, refusal: denialText(outcome) };
  }
  if (outcome.action === "skip") {
    const result = asText(outcome.result);
    return {
      ...common,
      refusal: `hook ${hook} skipped the tool with the result: ${result}`,
      downgrades: [
        `skip by hook ${hook}: the coding agent can only run or deny the tool, so it is denied`,
      ],
    };
  }
  const because = outcome.reason === undefined ? "" : `: ${outcome.reason}`;
  const again = `hook ${hook} requests a retry in ${outcome.delay_ms} ms${because}`;
  const why = `retry by hook ${hook}: the coding agent does not retry by itself`;
  return row.phase === "pre"
    ? { ...common, refusal: again, downgrades: [`${why}, so it is denied`] }
    : { ...common, downgrades: [why] };
}

/** A value as text for the model. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A result as text for the model: the model's part of it, or the text of its parts. Never empty. */
export function resultText(result: Json, otherwise: string): string {
  const content = isJsonObject(result) ? getOwn(result, "llmContent") : undefined;
  return partText(content ?? result) || otherwise;
}

/** The text of the parts of a content. */
export function partText(content: Json): string {
  if (Array.isArray(content)) return content.map(partText).join("\n");
  const text = isJsonObject(content) ? getOwn(content, "text") : undefined;
  return typeof text === "string" ? text : asText(content);
}

/** The current value of a payload's key if it was changed; null if it was removed. */
export function changed(
  before: JsonObject,
  after: Readonly<Record<string, unknown>>,
  key: string,
): Json | undefined {
  const value = getOwn(after, key);
  if (value === getOwn(before, key)) return undefined;
  if (value === undefined) return null;
  const json = toJson(value, undefined, ["payload", key]);
  return equalJson(getOwn(before, key), json) ? undefined : json;
}
