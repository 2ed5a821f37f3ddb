import type { HostEvent } from "../host-protocol.ts";

/**
 * How Codex is told no at an event: an object under `hookSpecificOutput` for a tool's call or a permission,
 * `decision: "block"`, or `continue: false`.
 */
type Refusal = "deny" | "permission" | "block" | "halt";

/** What Codex lets hooks do at an event. Source: protocols.md §2 and Codex's own schemas of its hooks' output. */
export interface CodexEvent extends HostEvent {
  /** Undefined where it heeds none. */
  readonly refusal?: Refusal;
  /** Hands `additionalContext` on to its model. */
  readonly context?: true;
  /** Wants an object on stdout even where a hook has nothing to say. */
  readonly speaks?: true;
  /** Reads nothing of what a hook writes. */
  readonly deaf?: true;
}

const usual = { timeoutMs: 600_000 } as const;
/** Codex waits for these one second, and three at most, whatever its settings say. */
const brief = { timeoutMs: 1_000, refusable: false } as const;

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
} as const satisfies Record<string, CodexEvent>;

export type CodexEventName = keyof typeof CODEX_EVENTS;

/** What is known of an event; undefined for one that a newer Codex may send. */
export function codexEvent(name: string): CodexEvent | undefined {
  return isCodexEvent(name) ? CODEX_EVENTS[name] : undefined;
}

export function isCodexEvent(name: string): name is CodexEventName {
  return Object.hasOwn(CODEX_EVENTS, name);
}
