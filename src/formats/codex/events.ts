import type { HostEvent } from "../host-protocol.ts";

/**
 * How an event is denied in Codex: an object under `hookSpecificOutput` for a tool call or a permission, `decision:
 * "block"`, or `continue: false`.
 */
type Refusal = "deny" | "permission" | "block" | "halt";

/** What Codex lets hooks do at an event. Source: protocols.md §2 and Codex's own schemas of hook output. */
export interface CodexEvent extends HostEvent {
  /** Undefined if it cannot be denied. */
  readonly refusal?: Refusal;
  /** Passes `additionalContext` to its model. */
  readonly context?: true;
  /** Requires an object on stdout even without a decision. */
  readonly speaks?: true;
  /** Ignores all output of hooks. */
  readonly deaf?: true;
}

const usual = { timeoutMs: 600_000 } as const;
/** Codex waits one second for these, and three at most, whatever its settings state. */
const brief = { timeoutMs: 1_000, longestMs: 3_000, refusable: false } as const;

export const CODEX_EVENTS = {
  SessionStart: { ...usual, point: "session.on_start", refusable: false, context: true },
  SubagentStart: { ...usual, point: "child.post_spawn", refusable: false, context: true },
  PreToolUse: {
    ...usual,
    point: "tool.pre_execute",
    refusable: true,
    refusal: "deny",
    context: true,
  },
  PermissionRequest: {
    ...usual,
    point: "auth.pre_check",
    refusable: true,
    refusal: "permission",
  },
  PostToolUse: {
    ...usual,
    point: "tool.post_execute",
    refusable: false,
    refusal: "block",
    context: true,
  },
  PreCompact: { ...usual, point: "context.pre_compact", refusable: true, refusal: "halt" },
  PostCompact: { ...usual, point: "context.post_compact", refusable: false },
  UserPromptSubmit: {
    ...usual,
    point: "prompt.pre_submit",
    refusable: true,
    refusal: "block",
    context: true,
  },
  SubagentStop: {
    ...usual,
    point: "child.post_run",
    refusable: false,
    refusal: "block",
    speaks: true,
  },
  Stop: { ...usual, point: "agent.pre_stop", refusable: true, refusal: "block", speaks: true },
  SessionEnd: { ...brief, point: "session.on_end", deaf: true },
  Interrupt: { ...brief, point: "host.pre_event" },
  // In Codex's source, and in no program yet.
  StopFailure: { ...usual, point: "host.pre_event", refusable: false, installed: false },
} as const satisfies Record<string, CodexEvent>;

export type CodexEventName = keyof typeof CODEX_EVENTS;

/** The properties of an event; undefined for one of a newer Codex. */
export function codexEvent(name: string): CodexEvent | undefined {
  return isCodexEvent(name) ? CODEX_EVENTS[name] : undefined;
}

export function isCodexEvent(name: string): name is CodexEventName {
  return Object.hasOwn(CODEX_EVENTS, name);
}
