import type { FailureMode, ProtocolName } from "../core/index.ts";

/** What a hook system does when a handler fails; undefined if it defines nothing, and `on_error` decides. */
export interface ProtocolFailures {
  /** The handler was late. */
  readonly timeout: FailureMode | undefined;
  /** It could not be started or reached. */
  readonly unreachable: FailureMode | undefined;
  /** Its output is no valid response: broken JSON, two objects, an unknown value, a key that has no effect there. */
  readonly answer: FailureMode | undefined;
}

const open = { timeout: "open", unreachable: "open", answer: "open" } as const;

/**
 * For handlers of other systems, what these do: coding agents report an error of the hook, and continue. What is
 * written for orcs fails by the phase of its point. A response that is meant as a denial fails closed in any case
 * (`strictIfDenied`). Sources: protocols.md §1 to §4 and §7; seeds 003 and 004.
 */
export const PROTOCOL_FAILURES: Readonly<Record<ProtocolName, ProtocolFailures>> = {
  orcs: { timeout: undefined, unreachable: undefined, answer: undefined },
  "claude-code": open,
  codex: open,
  gemini: open,
  cursor: open,
  copilot: open,
  qwen: open,
  cocode: { ...open, unreachable: "closed" },
  // Of a response of another shape, seed 004 says nothing.
  massgen: { ...open, unreachable: "closed", answer: undefined },
};
