import type { Decision } from "../../core/index.ts";
import type { AgentEvent, AgentFormat } from "../agent-format.ts";
import type { AgentTools } from "../agent-tools.ts";

/** What an agent accepts at an event, compared with Claude Code. */
export interface DialectEvent extends AgentEvent {
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

/** An agent that speaks Claude Code's protocol with tools, settings and gaps of its own. */
export type ClaudeDialect = AgentFormat<DialectEvent> & { readonly tools: AgentTools };
