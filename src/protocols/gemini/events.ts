import type { Json } from "../../core/json.ts";
import type { PointName } from "../../core/points.ts";
import type { HostEvent } from "../host-protocol.ts";

/** Where a field of an event comes from: a key of our payload, what the host sent under its name, or this. */
interface FieldSource {
  readonly key?: string;
  readonly otherwise?: Json;
}

/** An event of Gemini CLI's: what it lets hooks do, and what it carries. */
interface GeminiEvent extends HostEvent {
  /** Whether it takes text for the model beside what happens. */
  readonly context: boolean;
  /** Who sees the reason of a denial. */
  readonly reasonFor: "model" | "user";
  /** Plain fields besides those that all events carry. */
  readonly fields: Readonly<Record<string, FieldSource>>;
}

/** Gemini CLI's own, in milliseconds: so its settings are written, too. */
const TIMEOUT_MS = 60_000;

function row(
  point: PointName,
  words: Partial<Pick<GeminiEvent, "refusable" | "context" | "reasonFor">> = {},
  fields: GeminiEvent["fields"] = {},
): GeminiEvent {
  const can = { refusable: false, context: false, reasonFor: "user", ...words } as const;
  return { point, timeoutMs: TIMEOUT_MS, ...can, fields };
}

const refusable = { refusable: true } as const;
const toldTheModel = { refusable: true, reasonFor: "model" } as const;
const text = { context: true } as const;

/** Every event of Gemini CLI's. Source: protocols.md §3, its reference of hooks and its code (0.61). */
export const GEMINI_EVENTS = {
  SessionStart: row("session.on_start", text, {
    source: { key: "source", otherwise: "startup" },
  }),
  SessionEnd: row("session.on_end", {}, { reason: { key: "reason", otherwise: "other" } }),
  BeforeAgent: row(
    "prompt.pre_submit",
    { ...refusable, ...text },
    { prompt: { key: "prompt", otherwise: "" } },
  ),
  AfterAgent: row("agent.pre_stop", toldTheModel, {
    prompt: { key: "prompt", otherwise: "" },
    prompt_response: { key: "message", otherwise: "" },
    stop_hook_active: { key: "stop_hook_active", otherwise: false },
  }),
  BeforeModel: row("llm.pre_generate", refusable),
  AfterModel: row("llm.post_generate", refusable),
  BeforeToolSelection: row("tool.on_list", refusable),
  BeforeTool: row("tool.pre_execute", toldTheModel),
  AfterTool: row("tool.post_execute", { ...toldTheModel, ...text }),
  PreCompress: row("context.pre_compact", {}, { trigger: { key: "trigger", otherwise: "auto" } }),
  Notification: row(
    "agent.on_notification",
    {},
    {
      notification_type: { key: "kind", otherwise: "ToolPermission" },
      message: { key: "message", otherwise: "" },
      details: { otherwise: {} },
    },
  ),
} as const satisfies Record<string, GeminiEvent>;

export type GeminiEventName = keyof typeof GEMINI_EVENTS;

/** An event that nobody knows here may be one that can be refused. */
const UNKNOWN: GeminiEvent = row("host.pre_event", refusable);

export function isGeminiEvent(name: string): name is GeminiEventName {
  return Object.hasOwn(GEMINI_EVENTS, name);
}

export function geminiEvent(name: string): GeminiEvent {
  return isGeminiEvent(name) ? GEMINI_EVENTS[name] : UNKNOWN;
}
