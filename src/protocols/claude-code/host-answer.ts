import type { HostAnswer } from "../host.ts";
import { claudeHostEvent } from "./host-events.ts";
import type { ClaudeOutput, ClaudeWords } from "./host-output.ts";
import { claudeSpecific } from "./host-specific.ts";

/** An answer while it is being made. */
export type ClaudeDraft = { -readonly [K in keyof ClaudeWords]: ClaudeWords[K] } & {
  /** What the user is shown. */
  notes: string[];
  downgrades: string[];
};

/** An answer as a command gives it. A refusal that the event does not heed is shown to the user. */
export function claudeAnswer(event: string, draft: ClaudeDraft): HostAnswer {
  const row = claudeHostEvent(event);
  const { downgrades } = draft;
  if (draft.refusal !== undefined && !row.refusable) {
    draft.notes.push(draft.refusal);
    downgrades.push(`a refusal at ${event}: Claude Code heeds none there, so the user is shown it`);
    draft.refusal = undefined;
  }
  const said = claudeOutput(event, draft);
  const output = Object.keys(said).length > 0 ? { ...said } : undefined;
  const exits = draft.refusal !== undefined && row.refusal === "exit";
  return { output, code: exits ? 2 : 0, downgrades, ...(exits && { message: draft.refusal }) };
}

/** What stands on stdout, or in the body of an HTTP answer. */
export function claudeOutput(
  event: string,
  { notes, ...words }: Omit<ClaudeDraft, "downgrades">,
): ClaudeOutput {
  const { refusal } = words;
  const way = claudeHostEvent(event).refusal;
  // A request for input is declined without a word; nobody should wonder why.
  const shown = way === "decline" && refusal !== undefined ? [...notes, refusal] : notes;
  const specific = claudeSpecific(event, words);
  // An exit code refuses whatever stands beside it; over HTTP there is none.
  const blocks = refusal !== undefined && (way === "block" || way === "exit");
  return {
    ...(shown.length > 0 && { systemMessage: shown.join("\n") }),
    ...(blocks && { decision: "block", reason: refusal }),
    ...(specific && { hookSpecificOutput: specific }),
  };
}
