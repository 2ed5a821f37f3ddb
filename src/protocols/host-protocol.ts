import { OrcsError } from "../core/errors.ts";
import type { HostName } from "../core/hosts.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { equalJson, getOwn, setOwn } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import { POINT_TABLE } from "../core/point-table.ts";
import type { PointName } from "../core/points.ts";
import { escapeControl } from "../core/text.ts";
import { toJson } from "../core/visible-value.ts";
import { isJsonObject } from "./read-json.ts";

/** What a host tells its hooks about one kind of event, and what it lets them do. */
export interface HostEvent {
  /** Our point; `host.pre_event` where there is none of its own. */
  readonly point: PointName;
  /** Whether the host heeds a refusal at it. */
  readonly refusable: boolean;
  /** Only a hook may refuse here, no failure of ours. */
  readonly passes?: true;
  /** Milliseconds after which the host goes on without an answer, where its settings do not say. */
  readonly timeoutMs: number;
  /**
   * False where settings must not name it: another event covers it, or an answer to it replaces what the host
   * would do by itself.
   */
  readonly installed?: false;
}

/** One event of a host, in our words. */
export interface DecodedEvent {
  /** The host's name of the event. */
  readonly event: string;
  readonly point: PointName;
  /** Fits the point; all that the host sent stands under `host`, as it was sent. */
  readonly payload: JsonObject;
  /** `agent::<host>`. */
  readonly component: string;
  /** The host's id of the agent that works below its main one. */
  readonly child: string | undefined;
  readonly timeoutMs: number;
}

/** What is to be done where a host lacks a word. */
export interface HostOptions {
  /** `ask` where the host cannot ask its user: refuse, or say nothing. */
  readonly ask: "deny" | "pass";
  /** A rewrite that the host takes only together with an approval: refuse, or approve. */
  readonly rewrite: "refuse" | "approve";
  /** What its user is to be told besides, whatever the hooks came to. */
  readonly notice?: string | undefined;
}

/**
 * How the user of a host is told something beside the answer to an event: by a key of the output (`user_message`
 * is sure to be shown with a refusal alone, so it is on stderr as well), on stderr, or not at all, where the host
 * would take what it finds there for the answer.
 */
export type NoticeWay = "systemMessage" | "user_message" | "stderr" | "none";

/** The answer to an event as the host reads it. */
export interface HostAnswer {
  /** What goes to stdout, or into the body of an HTTP answer; undefined is nothing at all. */
  readonly output: JsonObject | undefined;
  /** What goes to stderr: where the code says so, the reason of a refusal. */
  readonly message?: string | undefined;
  /** What goes to stderr besides: a notice that the output cannot hold, or not for sure. */
  readonly notice?: string | undefined;
  /** Exit code of a command. */
  readonly code: number;
  /** What hooks wanted and the host cannot do, one line each, for the log. */
  readonly downgrades: readonly string[];
}

/**
 * How a foreign agent speaks with the hooks that it runs: what its events mean, and how it wants to be answered.
 * Pure: no file, process or socket. The host's own tool names and arguments are turned into ours (`exec` with
 * `command`, `read`, `write` and `edit` with `path`, `mcp__server__tool` as it is), and rewritten ones go back in
 * the host's own keys.
 */
export interface HostProtocol {
  readonly name: HostName;
  /** Every event that the host is known to send. Another one is `host.pre_event`. */
  readonly events: Readonly<Record<string, HostEvent>>;
  /** @throws OrcsError ORCS7001 when it is no event of this host: what is missing or of another type */
  decode(event: JsonObject): DecodedEvent;
  /**
   * The answer for what the hooks came to. Exactly what the host accepts at this event: what it cannot do is
   * among the `downgrades`, and where hooks meant to refuse, nothing that lets the operation pass. It carries
   * `options.notice` in the way that `noticeAt` says.
   */
  encode(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): HostAnswer;
  /** How its user is told something at an event. */
  noticeAt(event: string): NoticeWay;
  /**
   * The answer where no hook could be asked: a broken configuration, a service that died, an event that cannot
   * be read. Refuses what the host lets us refuse, but never keeps an agent from stopping.
   * @param event the host's name of it; undefined when it could not even be read
   */
  refuse(event: string | undefined, reason: string): HostAnswer;
}

/** What a chain came to, in the parts that a host's answer is made of. */
export interface AgentVerdict {
  /** Why the operation must not go on; undefined when it may. */
  readonly refusal: string | undefined;
  /** `ask` and `defer` where nothing refuses, `allow` where a hook said so. */
  readonly decision: "allow" | "ask" | "defer" | undefined;
  readonly reason: string | undefined;
  /** The input when hooks changed it: `args` of a tool, a prompt. */
  readonly input: Json | undefined;
  /** The result when hooks changed it. */
  readonly result: Json | undefined;
  /** Text for the model, one below the other. */
  readonly context: string | undefined;
  /** What no host can do. */
  readonly downgrades: readonly string[];
}

/** Read an outcome for a host. A host cannot be handed a result, nor told to try again later: both refuse. */
export function agentVerdict(decoded: DecodedEvent, outcome: Outcome): AgentVerdict {
  const row: { phase: string; input?: string; result?: string } = POINT_TABLE[decoded.point];
  const { payload } = outcome.ctx;
  const context = outcome.inject.map((text) => (typeof text === "string" ? text : text.content));
  const said = {
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
    return { ...said, decision, reason: reason ?? (decision && hook && `hook ${hook}`) };
  }
  const { hook } = outcome;
  if (outcome.action === "abort") {
    return { ...said, refusal: `denied by hook ${hook}: ${outcome.reason}` };
  }
  if (outcome.action === "skip") {
    const result = asText(outcome.result);
    return {
      ...said,
      refusal: `hook ${hook} skipped the tool with the result: ${result}`,
      downgrades: [
        `skip by hook ${hook}: the coding agent can only run or deny the tool, so it is denied`,
      ],
    };
  }
  const again = `hook ${hook} requests a retry in ${outcome.delay_ms} ms`;
  const why = `retry by hook ${hook}: the coding agent does not retry by itself`;
  return row.phase === "pre"
    ? { ...said, refusal: again, downgrades: [`${why}, so it is denied`] }
    : { ...said, downgrades: [why] };
}

/** A value as a model reads it. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a payload's key holds now, where that is something else than it was: null where nothing is left. */
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

const KINDS = {
  string: (value: Json): value is string => typeof value === "string",
  object: isJsonObject,
} as const;

interface KindOf {
  string: string;
  object: JsonObject;
}

/**
 * A field that an event must have.
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

/** A field that an event may have; undefined also where it is of another type, which `host` still shows. */
export function textField(event: JsonObject, key: string): string | undefined {
  const value = getOwn(event, key);
  return typeof value === "string" ? value : undefined;
}

/** The object without the keys that are undefined. */
export function stated(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const given: Record<string, Json> = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value !== undefined) setOwn(given, key, value);
  }
  return given;
}

/**
 * An `encode` that puts `options.notice` where the user of the host reads it.
 * @param encode makes the answer, and knows of no notice
 */
export function noticing(
  encode: HostProtocol["encode"],
  noticeAt: HostProtocol["noticeAt"],
): HostProtocol["encode"] {
  return (decoded: DecodedEvent, outcome, options: HostOptions) => {
    const answer = encode(decoded, outcome, options);
    const { notice } = options;
    return notice === undefined ? answer : withNotice(answer, noticeAt(decoded.event), notice);
  };
}

/** An answer that tells the user of its host something besides. */
export function withNotice(answer: HostAnswer, way: NoticeWay, notice: string): HostAnswer {
  if (way === "none") return answer;
  const line = noticeLine(notice);
  const { output, message, code } = answer;
  const told = way === "stderr" ? answer : { ...answer, output: joined(output, way, line) };
  // Of an answer by exit code the host reads stderr alone.
  if (code !== 0) return { ...told, message: below(message, line) };
  // What only a refusal shows may be shown to nobody.
  return way === "systemMessage" ? told : { ...told, notice: line };
}

/** The keys that say the same to the user; all but the first are there for older versions. */
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

function below(said: unknown, line: string): string {
  return typeof said === "string" && said !== "" ? `${said}\n${line}` : line;
}

/** Half of a character: a host may reject the whole answer for it, a refusal with it. */
const HALF = /\p{Surrogate}/gu;

/** A notice as people and models read it: one line that says whose it is. A path in it may hold anything. */
export function noticeLine(text: string): string {
  return `orcs: ${escapeControl(text).replace(HALF, "\ufffd")}`;
}
