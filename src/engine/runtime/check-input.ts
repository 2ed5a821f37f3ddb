import {
  type BatchRequest,
  CAPABILITIES,
  type ChildConfig,
  type Component,
  type Event,
  GRANT_KINDS,
  isPlainObject,
  type Json,
  messageOf,
  OrcsError,
  expectComponentId,
  type Signal,
  SIGNAL_RESPONSES,
  type SignalResponse,
  SIGNALS,
  suggestion,
  toJson,
} from "../../core/index.ts";
import { MAX_MS } from "./with-timeout.ts";

type Check = { readonly expected: string; holds(value: unknown): boolean };

const text: Check = { expected: "a non-empty string", holds: isText };
const flag: Check = { expected: "true or false", holds: (value) => typeof value === "boolean" };
const table: Check = { expected: "a table with string keys", holds: isPlainObject };
const milliseconds: Check = {
  expected: `milliseconds from 1 to ${MAX_MS}`,
  holds: (value) => typeof value === "number" && value >= 1 && value <= MAX_MS,
};
const count: Check = {
  expected: "an integer >= 1",
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
const segment: Check = {
  expected: "one path segment, without '/', '#', '::', '*', spaces and control characters",
  holds: (value) => isText(value) && !/[/#*\s\p{Cc}]|::/u.test(value),
};
const capabilities: Check = {
  expected: `a list of ${Object.keys(CAPABILITIES).join(", ")}`,
  holds: (value) =>
    isNothing(value) ||
    (Array.isArray(value) &&
      value.every((name) => typeof name === "string" && Object.hasOwn(CAPABILITIES, name))),
};

const CHILD_CONFIG = {
  id: segment,
  capabilities,
  script: text,
  code: text,
  options: table,
  timeout_ms: milliseconds,
  elevated: flag,
};

/** Keys of the last argument of each verb. */
const OPTIONS = {
  request: { category: text, timeout_ms: milliseconds },
  send_to_child: { wait: flag },
  grant_command: { kind: oneOf(GRANT_KINDS) },
  send_signal: { reason: text, approval_id: text },
} as const satisfies Record<string, Readonly<Record<string, Check>>>;

/** @throws OrcsError ORCS6010 */
export function checkedOptions(verb: keyof typeof OPTIONS, options: unknown): object {
  if (options === undefined) return {};
  return checked<Record<string, unknown>>(options, OPTIONS[verb], `the options of ${verb}`, []);
}

/**
 * One of several requests.
 * @param at its index
 * @throws OrcsError ORCS6010
 */
export function checkedBatchRequest(request: unknown, at: number): BatchRequest {
  const shape = {
    target: text,
    operation: text,
    payload: anything,
    category: text,
    timeout_ms: milliseconds,
  };
  const what = `request ${at + 1} of the batch`;
  const found = checked<BatchRequest>(request, shape, what, ["target", "operation"]);
  return { ...found, payload: checkedPayload(found.payload, what) };
}

/**
 * Check a child's configuration, written by a caller or changed by a hook.
 * @throws OrcsError ORCS6010
 */
export function checkedChildConfig(config: unknown, hasChild: boolean): ChildConfig {
  const { id, ...rest } = checked<ChildConfig>(config, CHILD_CONFIG, "the child's config", ["id"]);
  if (isNothing(rest.capabilities)) Object.assign(rest, { capabilities: [] });
  const sources = ["script", "code"].filter((key) => key in rest).length + (hasChild ? 1 : 0);
  if (sources === 1) return { id, ...rest };
  throw invalid(`the child ${id} needs exactly one of script and code`, { child: id });
}

type Hints = Readonly<Record<"mailbox" | "request_timeout_ms", number>>;

/** @throws OrcsError ORCS6010 */
export function checkedHints(hints: unknown): Hints {
  const shape = { mailbox: count, request_timeout_ms: milliseconds };
  const what = "the runtime hints of a channel";
  return checked<Hints>(hints, shape, what, ["mailbox", "request_timeout_ms"]);
}

/** @throws OrcsError ORCS6010 */
export function checkedEvent(event: unknown): Event {
  const shape = { category: text, operation: text, source: text, payload: anything };
  const found = checked<Event>(event, shape, "the event", ["category", "operation", "source"]);
  return { ...found, payload: checkedPayload(found.payload, `the event ${found.operation}`) };
}

/** @throws OrcsError ORCS6010 */
export function checkedSignal(signal: unknown): Signal {
  const kind = oneOf(Object.keys(SIGNALS));
  const shape = { kind, approval_id: text, reason: text, source: text };
  return checked<Signal>(signal, shape, "the signal", ["kind"]);
}

/** @throws OrcsError ORCS6010 */
export function checkedResponse(response: unknown, component: string): SignalResponse {
  const given = response ?? "handled";
  if (SIGNAL_RESPONSES.some((known) => known === given)) return given as SignalResponse;
  const expected = SIGNAL_RESPONSES.join(", ");
  const why = `${component} returned an invalid response to a signal; expected one of ${expected}`;
  throw invalid(why, { component });
}

/**
 * Time limit of a request in milliseconds; Infinity becomes the longest possible.
 * @throws OrcsError ORCS6010
 */
export function checkedTimeout(ms: number): number {
  if (typeof ms === "number" && ms > 0) return Math.min(ms, MAX_MS);
  throw invalid(`timeout_ms must be ${milliseconds.expected}`, { key: "timeout_ms" });
}

/** @throws OrcsError ORCS6010, ORCS1010 */
export function checkComponent(component: Component, instance?: string): void {
  if (typeof component !== "object" || component === null) {
    throw invalid("a component must be an object with id and onRequest", {});
  }
  const { id, subscriptions = [], tools = [] } = component;
  if (typeof id !== "string") throw invalid("a component needs an id", {});
  expectComponentId(id);
  if (typeof component.onRequest !== "function") {
    throw invalid(`the component ${id} has no onRequest`, { component: id });
  }
  if (!Array.isArray(subscriptions) || !subscriptions.every(isText)) {
    throw invalid(`the subscriptions of ${id} must be a list of categories`, { component: id });
  }
  if (!Array.isArray(tools) || !tools.every(isText)) {
    throw invalid(`the tools of ${id} must be a list of names`, { component: id });
  }
  if (instance !== undefined && !segment.holds(instance)) {
    throw invalid(`the instance of ${id} must be ${segment.expected}`, { component: id });
  }
}

const anything: Check = { expected: "JSON", holds: () => true };

/**
 * A copy of what is sent, as JSON: sender and receivers can change theirs.
 * @throws OrcsError ORCS6010
 */
export function checkedPayload(payload: unknown, what: string): Json {
  if (payload === undefined || payload === null) return null;
  try {
    return toJson(payload);
  } catch (thrown) {
    throw invalid(`the payload of ${what} is not JSON: ${messageOf(thrown)}`, { key: "payload" });
  }
}

function oneOf(names: readonly string[]): Check {
  return {
    expected: names.join(", "),
    holds: (value) => typeof value === "string" && names.includes(value),
  };
}

/** @param shape the check of each key that the value may have */
function checked<T extends object>(
  value: unknown,
  shape: Readonly<Record<keyof T & string, Check>>,
  what: string,
  required: readonly (keyof T & string)[],
): T {
  if (!isPlainObject(value)) throw invalid(`${what} is not an object`, {});
  const found: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    // Values that a script left out or a hook removed can be present as null.
    if (item === undefined || (item === null && key !== "payload")) continue;
    const check = Object.hasOwn(shape, key) ? shape[key as keyof typeof shape] : undefined;
    if (!check) {
      const hint = suggestion(key, Object.keys(shape));
      throw invalid(`${what} has the unknown key ${JSON.stringify(key)}${hint}`, { key });
    }
    if (!check.holds(item)) throw invalid(`${what}: ${key} must be ${check.expected}`, { key });
    found[key] = item;
  }
  const missing = required.find((key) => !(key in found));
  if (missing !== undefined) throw invalid(`${what} has no ${missing}`, { key: missing });
  return found as T;
}

/** Lua's `{}`, which is not a list. */
function isNothing(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).length === 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function invalid(message: string, fields: Readonly<Record<string, unknown>>): OrcsError {
  return new OrcsError("ORCS6010", message, fields);
}
