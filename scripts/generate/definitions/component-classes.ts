import { CAPABILITIES } from "../../../src/core/permission.ts";
import type { Request, Signal } from "../../../src/core/component.ts";
import { SIGNAL_RESPONSES, SIGNALS } from "../../../src/core/component.ts";
import type { LuaField } from "../../../src/core/orcs-api.ts";
import { LOG_LEVELS } from "../../../src/core/ports.ts";
import type { COMPONENT_KEYS } from "../../../src/engine/orcs/runtime/lua-component.ts";
import { aliasText, classText, oneOf } from "./lua-writer.ts";

/** What scripts of components and children return, and what they are called with. */
export function componentClasses(): string[] {
  return [
    aliasText("orcs.LogLevel", "Level of a log line.", oneOf(LOG_LEVELS)),
    aliasText("orcs.Capability", "A capability of a component.", oneOf(Object.keys(CAPABILITIES))),
    aliasText("orcs.SignalKind", "Every signal.", oneOf(Object.keys(SIGNALS))),
    aliasText(
      "orcs.SignalResponse",
      "A component's response to a signal; abort ends its channel.",
      oneOf(SIGNAL_RESPONSES),
    ),
    classText({
      name: "orcs.Request",
      doc: "A request to a component. An event is a request without a response.",
      fields: REQUEST,
    }),
    classText({
      name: "orcs.Signal",
      doc: "A message that is delivered before waiting requests.",
      fields: SIGNAL,
    }),
    classText({
      name: "orcs.Component",
      doc: "What the script of a component returns.",
      fields: COMPONENT,
    }),
    classText({
      name: "orcs.Child",
      doc: "What the script of a child returns, if not a bare function.",
      fields: {
        run: {
          type: "fun(input: any): any",
          doc: "Called with the child's input; the result must be JSON.",
        },
      },
    }),
  ];
}

const REQUEST: Readonly<Record<keyof Request, LuaField>> = {
  id: { type: "string", doc: "The request's id." },
  category: { type: "string", doc: "The category; for an event, the category of subscriptions." },
  operation: { type: "string", doc: "The requested operation." },
  source: { type: "string", doc: "The sender." },
  target: { type: "string", doc: "The component that receives the request." },
  payload: { type: "any", doc: "The request's payload." },
  timeout_ms: { type: "integer", doc: "Milliseconds from sending to the response." },
};

const SIGNAL: Readonly<Record<keyof Signal, LuaField>> = {
  kind: { type: "orcs.SignalKind", doc: "The signal." },
  approval_id: {
    type: "string",
    doc: "The question that approve and reject answer.",
    optional: true,
  },
  reason: { type: "string", doc: "The reason.", optional: true },
  source: { type: "string", doc: "The sender.", optional: true },
};

const COMPONENT: Readonly<Record<(typeof COMPONENT_KEYS)[number], LuaField>> = {
  id: { type: "string", doc: "The name, without the prefix lua::." },
  subscriptions: {
    type: "string[]",
    doc: "The event categories that it subscribes to; * means all.",
    optional: true,
  },
  init: { type: "fun(): any", doc: "Called once, after restore.", optional: true },
  on_request: {
    type: "fun(request: orcs.Request): any",
    doc: "Called with one request or event at a time; returns the response.",
  },
  on_signal: {
    type: "fun(signal: orcs.Signal): orcs.SignalResponse|nil",
    doc: "Called for each signal, also while a request is waiting.",
    optional: true,
  },
  shutdown: {
    type: "fun(status: string)",
    doc: "Called at the end, with the state of the channel.",
    optional: true,
  },
  snapshot: {
    type: "fun(): any",
    doc: "Returns the snapshot for the next start; called after shutdown.",
    optional: true,
  },
  restore: {
    type: "fun(snapshot: any)",
    doc: "Called before init, with what snapshot returned.",
    optional: true,
  },
  tools: {
    type: "table<string, fun(args: table<string, any>): any>",
    doc: "Tools that it offers while it runs, by name; each returns its result.",
    optional: true,
  },
};
