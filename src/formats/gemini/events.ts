import type { Json, PointName } from "../../core/index.ts";
import type { HostEvent } from "../host-protocol.ts";

/** The source of a field: a key of our payload, the agent's own value, or a constant. */
interface FieldSource {
  readonly key?: string;
  readonly otherwise?: Json;
}

/** An event of Gemini CLI: what it lets hooks do, and its fields. */
interface GeminiEvent extends HostEvent {
  /** Whether it accepts text for the model besides a decision. */
  readonly context: boolean;
  /** Who sees the reason of a denial. */
  readonly reasonFor: "model" | "user";
  /** Fields in addition to the common ones. */
  readonly fields: Readonly<Record<string, FieldSource>>;
}

/** Gemini CLI's default, in milliseconds, which is also the unit of its settings. */
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
const modelSeesReason = { refusable: true, reasonFor: "model" } as const;
const text = { context: true } as const;

/** All events of Gemini CLI. Source: protocols.md §3, its hook reference and its code (0.61). */
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
  AfterAgent: row("agent.pre_stop", modelSeesReason, {
    prompt: { key: "prompt", otherwise: "" },
    prompt_response: { key: "message", otherwise: "" },
    stop_hook_active: { key: "stop_hook_active", otherwise: false },
  }),
  BeforeModel: row("llm.pre_generate", refusable),
  AfterModel: row("llm.post_generate", refusable),
  BeforeToolSelection: row("tool.on_list", refusable),
  BeforeTool: row("tool.pre_execute", modelSeesReason),
  AfterTool: row("tool.post_execute", { ...modelSeesReason, ...text }),
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

/** An unknown event may be one that can be denied. */
const UNKNOWN: GeminiEvent = row("host.pre_event", refusable);

export function isGeminiEvent(name: string): name is GeminiEventName {
  return Object.hasOwn(GEMINI_EVENTS, name);
}

export function geminiEvent(name: string): GeminiEvent {
  return isGeminiEvent(name) ? GEMINI_EVENTS[name] : UNKNOWN;
}
