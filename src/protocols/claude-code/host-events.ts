import type { Decision } from "../../core/actions.ts";
import { POINT_ALIASES } from "../../core/point-table.ts";
import type { PointName } from "../../core/points.ts";
import type { HostEvent } from "../host.ts";

/**
 * How an event is refused: `permission` by a permission decision, `request` by a decision on the request,
 * `block` by the decision that most events share, `decline` in the user's place, `exit` by exit code 2.
 */
export type Refusal = "permission" | "request" | "block" | "decline" | "exit";

/** What Claude Code lets its hooks do at an event. */
interface EventRow {
  /** Left out where it heeds none. */
  readonly refusal?: Refusal;
  /** Permission decisions that it has a word for. */
  readonly decisions?: readonly Decision[];
  /** Takes text for the model. */
  readonly context?: true;
  /**
   * Only a hook may refuse here, no failure of ours: it would keep an agent from stopping, or what it is
   * about is over already.
   */
  readonly passes?: true;
  readonly timeoutMs?: number;
  readonly installed?: false;
}

/** Every event of Claude Code's. Source: protocols.md §1 and the types of its SDK. */
const ROWS = {
  PreToolUse: { refusal: "permission", decisions: ["allow", "ask", "defer"], context: true },
  PostToolUse: { context: true },
  PostToolUseFailure: { context: true },
  PostToolBatch: { refusal: "block", context: true, passes: true },
  Notification: { context: true },
  UserPromptSubmit: { refusal: "block", context: true, timeoutMs: 30_000 },
  UserPromptExpansion: { refusal: "block", context: true },
  SessionStart: { context: true },
  SessionEnd: { timeoutMs: 1_500 },
  Stop: { refusal: "block", context: true, passes: true },
  StopFailure: {},
  SubagentStart: { context: true },
  SubagentStop: { refusal: "block", passes: true },
  PreCompact: { refusal: "block" },
  PostCompact: {},
  PreModelSwitch: { refusal: "permission", decisions: ["allow", "ask"] },
  PostModelSwitch: { context: true },
  PermissionRequest: { refusal: "request", decisions: ["allow"] },
  PermissionDenied: {},
  Setup: { context: true },
  TeammateIdle: { refusal: "exit", passes: true },
  TaskCreated: { refusal: "exit" },
  TaskCompleted: { refusal: "exit", passes: true },
  Elicitation: { refusal: "decline" },
  ElicitationResult: { refusal: "decline" },
  ConfigChange: { refusal: "block" },
  // With an entry there Claude Code makes no worktree by itself.
  WorktreeCreate: { refusal: "exit", installed: false },
  WorktreeRemove: {},
  InstructionsLoaded: {},
  CwdChanged: {},
  // Its matcher says which files are watched.
  FileChanged: { installed: false },
  DirectoryAdded: {},
  // Sent for every piece of text that is shown.
  MessageDisplay: { installed: false },
} as const satisfies Record<string, EventRow>;

export type ClaudeHostEventName = keyof typeof ROWS;
export interface ClaudeHostEvent extends HostEvent, Omit<EventRow, "timeoutMs"> {}

const TIMEOUT_MS = 600_000;

/** The same with what every host says of its events. */
export const CLAUDE_HOST_EVENTS: Readonly<Record<string, ClaudeHostEvent>> = Object.fromEntries(
  Object.entries<EventRow>(ROWS).map(([name, row]) => [name, hostEvent(name, row)]),
);

/** What is known of an event; one of a newer version is refused in the way that most events heed. */
export function claudeHostEvent(name: string): ClaudeHostEvent {
  return Object.hasOwn(CLAUDE_HOST_EVENTS, name)
    ? (CLAUDE_HOST_EVENTS[name] as ClaudeHostEvent)
    : hostEvent(name, { refusal: "exit" });
}

function hostEvent(name: string, row: EventRow): ClaudeHostEvent {
  const aliases: Readonly<Record<string, PointName>> = POINT_ALIASES;
  const point = Object.hasOwn(ROWS, name) ? aliases[name] : undefined;
  return {
    timeoutMs: TIMEOUT_MS,
    ...row,
    point: point ?? "host.pre_event",
    refusable: row.refusal !== undefined,
  };
}
