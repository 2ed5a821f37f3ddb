import {
  str,
  int,
  obj,
  list,
  any,
  bool,
  name,
  elapsed,
  session,
  tool,
  model,
  prompt,
  generate,
  compact,
  question,
} from "./payload-keys.ts";
import type { PointRow } from "./payload-keys.ts";

/** What happens in an agent besides. Source: design.md §3. */
export const AGENT_POINTS = {
  "tool.on_failure": {
    phase: "on",
    doc: "After a tool threw or answered ok = false.",
    input: "args",
    keys: {
      ...tool,
      result: any("What the tool answered, when it did."),
      error: str("Why it failed."),
      ...elapsed,
    },
  },
  "prompt.pre_submit": {
    phase: "pre",
    doc: "Before a user's prompt is processed.",
    input: "prompt",
    keys: prompt,
  },
  "prompt.post_submit": {
    phase: "post",
    doc: "After a user's message was added to the conversation.",
    input: "prompt",
    keys: prompt,
  },
  "llm.pre_generate": {
    phase: "pre",
    doc: "Before the model is asked.",
    input: "prompt",
    result: "response_text",
    keys: generate,
  },
  "llm.post_generate": {
    phase: "post",
    doc: "After the model answered.",
    input: "prompt",
    result: "response_text",
    keys: {
      ...generate,
      response_text: str("What the model wrote."),
      tool_calls: list("The calls that it asks for, as the model gives them."),
      usage: obj("prompt_tokens, completion_tokens and total_tokens."),
      ...elapsed,
    },
  },
  "session.on_start": {
    phase: "on",
    doc: "When a session starts.",
    keys: { ...session, system_prompt: generate.system_prompt, ...model },
  },
  "session.on_end": {
    phase: "on",
    doc: "When a session ends.",
    keys: {
      ...session,
      system_prompt: generate.system_prompt,
      ...model,
      total_tokens: int("Tokens of the whole session."),
      total_tool_calls: int("Tool calls of the whole session."),
      elapsed_ms: int("Milliseconds that the session lasted."),
      reason: str("Why it ended."),
    },
  },
  "context.pre_compact": {
    phase: "pre",
    doc: "Before a conversation is compacted.",
    input: "custom_instructions",
    keys: compact,
  },
  "context.post_compact": {
    phase: "post",
    doc: "After a conversation was compacted.",
    result: "messages",
    keys: compact,
  },
  "agent.pre_stop": {
    phase: "pre",
    doc: "Before an agent stops; refusing makes it go on.",
    input: "message",
    keys: {
      message: str("The last message of the agent."),
      kind: str("Why it stops."),
      stop_hook_active: bool("Whether a hook has made it go on already."),
      ...session,
    },
  },
  "agent.on_notification": {
    phase: "on",
    doc: "When an agent notifies its user.",
    keys: {
      message: str("What the user is told."),
      kind: str("What it is about, as the host says it."),
      ...session,
    },
  },
  "ui.on_status_line": {
    phase: "on",
    doc: "Asks for the status line.",
    question: true,
    keys: question,
  },
  "ui.on_file_suggestion": {
    phase: "on",
    doc: "Asks for file names to suggest.",
    question: true,
    keys: question,
  },
  "tool.on_list": {
    phase: "on",
    doc: "Asks which tools to offer.",
    question: true,
    keys: question,
  },
  "host.pre_event": {
    phase: "pre",
    doc: "Any event of a host that has no point of its own; payload.event names it.",
    input: "event",
    keys: { event: name("The event's name, as the host gives it."), ...session },
  },
} as const satisfies Record<string, PointRow>;
