import type { JsonObject } from "../../src/core/json.ts";
import type { HostAnswer } from "../../src/formats/host-protocol.ts";
import type { Keys } from "./answer-checks.ts";
import { object, oneOf, text } from "./answer-checks.ts";

const user: Keys = { user_message: text };
const both: Keys = { ...user, agent_message: text };
const execution: Keys = {
  ...both,
  permission: oneOf("allow", "deny", "ask"),
  userMessage: text,
  agentMessage: text,
  continue: oneOf(true, false),
};
const read: Keys = { ...user, permission: oneOf("allow", "deny") };

/** What each event takes, older names too; written by hand from protocols.md §4. */
export const TAKES: Readonly<Record<string, Keys>> = {
  preToolUse: {
    ...both,
    permission: oneOf("allow", "deny"),
    updated_input: object,
    decision: oneOf("allow", "deny"),
    reason: text,
  },
  beforeShellExecution: execution,
  beforeMCPExecution: execution,
  beforeReadFile: read,
  beforeTabFileRead: read,
  beforeSubmitPrompt: { ...user, continue: oneOf(true, false) },
  postToolUse: {
    updated_mcp_tool_output: object,
    additional_context: (value) => text(value) && (value as string).length <= 10_000,
  },
  postToolUseFailure: {},
  sessionStart: { env: object, additional_context: text },
  sessionEnd: {},
  subagentStart: { ...read, decision: oneOf("allow", "deny"), reason: text },
  stop: { followup_message: text },
  subagentStop: { followup_message: text },
  preCompact: user,
  afterShellExecution: {},
  afterMCPExecution: {},
  afterFileEdit: {},
  afterTabFileEdit: {},
  afterAgentResponse: {},
  afterAgentThought: {},
};

/** What a refusal of each event has to say; not there where Cursor heeds none. */
const DENIED: Readonly<Record<string, JsonObject>> = {
  preToolUse: { permission: "deny", decision: "deny" },
  beforeShellExecution: { permission: "deny", continue: false },
  beforeMCPExecution: { permission: "deny", continue: false },
  beforeReadFile: { permission: "deny" },
  beforeTabFileRead: { permission: "deny" },
  beforeSubmitPrompt: { continue: false },
  subagentStart: { permission: "deny", decision: "deny" },
};

/** What Cursor would not take of an answer. */
export function faults(event: string, { output, code }: HostAnswer): string[] {
  if (output === undefined) return ["printed nothing, which counts as a failure"];
  if (!Object.hasOwn(TAKES, event))
    return code === 0 && Object.keys(output).length > 0 ? ["?"] : [];
  const wrong = code === 0 ? [] : [`code ${code}`];
  for (const [key, value] of Object.entries(output)) {
    const check = TAKES[event]?.[key];
    if (!check) wrong.push(`${key} is none of ${event}`);
    else if (!check(value)) wrong.push(`${key} is ${JSON.stringify(value)}`);
  }
  return wrong;
}

/** Whether Cursor keeps what it was about to do from happening; of a stop, whether the agent goes on. */
export function refuses(event: string, { output = {}, code }: HostAnswer): boolean {
  if (event === "stop") return Object.hasOwn(output, "followup_message");
  if (!Object.hasOwn(TAKES, event)) return code === 2;
  const words = Object.entries(DENIED[event] ?? {});
  return words.length > 0 && words.every(([key, value]) => output[key] === value);
}

/** Whether Cursor heeds a refusal at the event. */
export function isRefusable(event: string): boolean {
  return event === "stop" || !Object.hasOwn(TAKES, event) || Object.hasOwn(DENIED, event);
}
