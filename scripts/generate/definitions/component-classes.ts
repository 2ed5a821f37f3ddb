import { CAPABILITIES } from "../../../src/core/permission.ts";
import type { Request, Signal } from "../../../src/core/component.ts";
import { SIGNAL_RESPONSES, SIGNALS } from "../../../src/core/component.ts";
import type { LuaField } from "../../../src/core/orcs-api.ts";
import { LOG_LEVELS } from "../../../src/core/ports.ts";
import type { COMPONENT_KEYS } from "../../../src/engine/runtime/lua-component.ts";
import { aliasText, classText, oneOf } from "./lua-writer.ts";

/** What scripts of components and children return, and what they are called with. */
export function componentClasses(): string[] {
  return [
    aliasText("orcs.LogLevel", "How important a line of the log is.", oneOf(LOG_LEVELS)),
    aliasText(
      "orcs.Capability",
      "What a component may be allowed.",
      oneOf(Object.keys(CAPABILITIES)),
    ),
    aliasText("orcs.SignalKind", "Every signal.", oneOf(Object.keys(SIGNALS))),
    aliasText(
      "orcs.SignalResponse",
      "What a component answers to a signal; abort ends its channel.",
      oneOf(SIGNAL_RESPONSES),
    ),
    classText({
      name: "orcs.Request",
      doc: "What a component is asked. An event is a request that nobody waits for.",
      fields: REQUEST,
    }),
    classText({
      name: "orcs.Signal",
      doc: "Word from outside that overtakes what waits.",
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
          doc: "Called with what the child is given; the answer must be JSON.",
        },
      },
    }),
  ];
}

const REQUEST: Readonly<Record<keyof Request, LuaField>> = {
  id: { type: "string", doc: "The request's id." },
  category: { type: "string", doc: "What kind it is; of an event, what subscriptions name." },
  operation: { type: "string", doc: "What the component is asked to do." },
  source: { type: "string", doc: "Who asks." },
  target: { type: "string", doc: "Who is asked." },
  payload: { type: "any", doc: "What it is asked with." },
  timeout_ms: { type: "integer", doc: "Milliseconds from sending to the answer." },
};

const SIGNAL: Readonly<Record<keyof Signal, LuaField>> = {
  kind: { type: "orcs.SignalKind", doc: "Which signal." },
  approval_id: {
    type: "string",
    doc: "Which question approve and reject answer.",
    optional: true,
  },
  reason: { type: "string", doc: "Why.", optional: true },
  source: { type: "string", doc: "Who sent it.", optional: true },
};

const COMPONENT: Readonly<Record<(typeof COMPONENT_KEYS)[number], LuaField>> = {
  id: { type: "string", doc: "Its name; lua:: is put in front." },
  subscriptions: {
    type: "string[]",
    doc: "Categories of events that it wants; * is all of them.",
    optional: true,
  },
  init: { type: "fun(): any", doc: "Called once, after restore.", optional: true },
  on_request: {
    type: "fun(request: orcs.Request): any",
    doc: "Called with one request or event at a time; returns the answer.",
  },
  on_signal: {
    type: "fun(signal: orcs.Signal): orcs.SignalResponse|nil",
    doc: "Called when a signal comes, also while a request waits.",
    optional: true,
  },
  shutdown: {
    type: "fun(status: string)",
    doc: "Called at the end, with what the channel was doing.",
    optional: true,
  },
  snapshot: {
    type: "fun(): any",
    doc: "Returns what to begin with next time; taken after shutdown.",
    optional: true,
  },
  restore: {
    type: "fun(snapshot: any)",
    doc: "Called before init, with what snapshot returned.",
    optional: true,
  },
};
