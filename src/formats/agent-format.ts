import type { Decision, HostName, Json, JsonObject, KeyKind, PointName } from "../core/index.ts";
import type { HandlerCall } from "./handler-protocol.ts";
import type { HostEvent } from "./host-protocol.ts";

/** A field of an agent's event, and the key of our payload that stands for it. */
export interface EventField {
  /** Undefined if it is only available under `host`. */
  readonly key?: string;
  /** The value for a handler if neither the payload nor the agent's event has one. */
  readonly otherwise?: Json;
  /** Without it, an event is invalid. It is a text. */
  readonly required?: true;
  /** The type that it must have for our key; undefined for the type of the key at the point. */
  readonly kind?: KeyKind;
  /** Only decoded, or only sent to handlers. */
  readonly only?: "read" | "write";
  /** Its value for our key, if it is not the field's. */
  readonly read?: (value: Json | undefined, event: JsonObject) => Json | undefined;
}

export type EventFields = Readonly<Record<string, EventField>>;

/** A text under the same or another key of ours. */
export function text(key: string, otherwise?: Json): EventField {
  return { key, kind: "string", ...(otherwise !== undefined && { otherwise }) };
}

/** Texts under keys of the same name, which handlers get from elsewhere. */
export function readTexts(...keys: readonly string[]): EventFields {
  return Object.fromEntries(keys.map((key) => [key, { ...text(key), only: "read" }]));
}

/** Names in camel case, between blanks, with the same in snake case. */
export function snakeCased(...names: readonly string[]): Readonly<Record<string, string>> {
  const snake = (name: string): string =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(
    names
      .join(" ")
      .split(" ")
      .map((name) => [name, snake(name)]),
  );
}

/** An event of an agent: what it lets hooks do, and what it carries. */
export interface AgentEvent extends HostEvent {
  /** Besides those of every event. */
  readonly fields?: EventFields;
  /** The decisions that the agent follows there. */
  readonly decisions?: readonly Decision[];
  /** Keys that are no single field: parts of a request, or a call in a form of its own. */
  readParts?(event: JsonObject): JsonObject;
  /** The same for a handler. @param sent what the agent sent, if it sent this event */
  writeParts?(call: HandlerCall, sent: JsonObject): JsonObject;
}

/**
 * The rows of an agent.
 * @param usual what they have unless they say otherwise
 * @param derived what follows from the rest of a row
 */
export function rowsOf<Row extends AgentEvent>(
  usual: Omit<Row, "point">,
  derived: (words: Partial<Row>, point: PointName) => Partial<Row> = () => ({}),
) {
  return (point: PointName, words: Partial<Row> = {}): Row => {
    const rest = { ...usual, ...derived(words, point), ...words };
    return { point, limits: {}, fields: {}, ...rest } as unknown as Row;
  };
}

/** How the events of an agent are read, and written for its own handlers. */
export interface AgentFormat<Row extends AgentEvent = AgentEvent> {
  readonly name: HostName;
  /** Its name in texts. */
  readonly label: string;
  readonly events: Readonly<Record<string, Row>>;
  /** An event of a newer version. */
  readonly unknown: Row;
  /** The fields of every event. */
  readonly common: EventFields;
  /** An event with its fields as named here, if there are other spellings. */
  current?(event: JsonObject): JsonObject;
  /** Whether `host` has the name of the tool in current spelling as well. */
  readonly keepsTool?: true;
  /** The name of an event; without it, it is in `hook_event_name`. @throws OrcsError ORCS7001 */
  eventName?(event: JsonObject): string;
  /** The point of an event if it depends on its fields; undefined for the point of its row. */
  pointOf?(name: string, event: JsonObject): PointName | undefined;
  /** The agent's id of a subagent; without it, `agent_id`. */
  childOf?(event: JsonObject, name: string): string | undefined;
  /** A tool call in our names. @throws OrcsError ORCS7001 */
  readCall(event: JsonObject): ReadCall;
  /** Whether events without a point may have a call as well. */
  readonly callsAnywhere?: true;
  /** A tool call in the agent's names. @param sent what the agent sent, if it sent this event */
  writeCall(call: NamedCall, sent: JsonObject, event: string): JsonObject;
  /**
   * Whether what an agent sent is this event of this agent; without it, if it has this name.
   * @param host in current spelling
   */
  isOwn?(call: HandlerCall, host: JsonObject, event: string): boolean;
  /** Whether a handler also gets fields that another agent sent. */
  readonly borrows?: true;
  /** Further fields for a handler, which what the agent sent replaces. */
  usual?(call: HandlerCall): JsonObject;
  /** Other names under which handlers find a field as well. */
  readonly alsoAs?: Readonly<Record<string, string>>;
  /** The field with the session. */
  readonly session?: string;
}

/** The keys of a tool call in a payload. */
export type ReadCall = JsonObject & { readonly tool_name: string; readonly args: JsonObject };

/** A tool call in our names. */
export interface NamedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Points of events that have a call, unless its row reads it in a form of its own. */
const CALL_POINTS: readonly PointName[] = [
  "tool.pre_execute",
  "tool.post_execute",
  "tool.on_failure",
  "auth.pre_check",
];

export function hasCall(row: AgentEvent): boolean {
  return CALL_POINTS.includes(row.point) && !("readParts" in row);
}

/** The properties of an event. */
export function eventOf<Row>(
  { events, unknown }: { readonly events: Readonly<Record<string, Row>>; readonly unknown: Row },
  name: string,
): Row {
  return (Object.hasOwn(events, name) ? events[name] : undefined) ?? unknown;
}
