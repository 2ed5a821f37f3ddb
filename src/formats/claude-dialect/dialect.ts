import type { Decision, HostName, PointName } from "../../core/index.ts";
import type { HostEvent, NoticeWay } from "../host-protocol.ts";
import type { AgentTools } from "../agent-tools.ts";

/** What an agent accepts at an event, compared with Claude Code. */
export interface DialectEvent extends HostEvent {
  /** Permission decisions that it follows. */
  readonly decisions: readonly Decision[];
  /** Whether text for the model reaches the model: always, only in the reason of a denial, or not at all. */
  readonly context: "always" | "in_denial" | "ignored";
  /** Whether a changed input of a tool replaces the call's. */
  readonly input: "replaced" | "ignored";
  /**
   * How the model gets another result of a tool: with `stopReason` and `continue: false`, or not at all. (Claude Code
   * has `updatedToolOutput`.)
   */
  readonly result: "stop_reason" | "ignored";
  /**
   * A denial also contains `continue: false`, without which the approval of another hook would win over it.
   */
  readonly halts?: true;
}

/**
 * An agent that speaks Claude Code's protocol with tools, settings and gaps of its own. Everything that is different is
 * data: `claude-dialect/host.ts` and `handler.ts` do the rest with Claude Code's own code.
 */
export interface ClaudeDialect {
  readonly name: HostName;
  /** Its name in texts. */
  readonly label: string;
  readonly tools: AgentTools;
  /** Every known event. */
  readonly events: Readonly<Record<string, DialectEvent>>;
  /**
   * The point of an event if it depends on its fields; undefined for the point of the table.
   * @param event as it was sent
   */
  pointOf?(name: string, event: Readonly<Record<string, unknown>>): PointName | undefined;
  /** How its user gets a notice at an event. */
  noticeAt(event: string): NoticeWay;
  /** Variables of its hooks. @param project absolute */
  variables(project: string): Readonly<Record<string, string>>;
}

/** The properties of an event; an unknown one is denied, which the agent may ignore. */
export function dialectEvent({ events }: ClaudeDialect, name: string): DialectEvent {
  return (Object.hasOwn(events, name) ? events[name] : undefined) ?? UNKNOWN;
}

const UNKNOWN: DialectEvent = {
  point: "host.pre_event",
  refusable: true,
  timeoutMs: 60_000,
  longestMs: 60_000,
  decisions: [],
  context: "ignored",
  input: "ignored",
  result: "ignored",
};
