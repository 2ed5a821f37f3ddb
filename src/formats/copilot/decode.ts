import { getOwn, isJsonObject, OrcsError, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { DecodedEvent } from "../host-protocol.ts";
import { requiredField, stated } from "../host-protocol.ts";
import type { CopilotEventName } from "./events.ts";
import { copilotEvent, eventNameOf, isCopilotEvent, withSharedKeys } from "./events.ts";
import { fromCopilotInput, fromCopilotName, isOurTool } from "./tools.ts";

type Fields = Readonly<Record<string, Json | undefined>>;

/**
 * Decode an event of Copilot CLI, in its own format or in the one that it shares with VS Code.
 * @throws OrcsError ORCS7001 naming what is missing or of another type
 */
export function decodeCopilot(event: JsonObject): DecodedEvent {
  const sent = withSharedKeys(event);
  const name = eventNameOf(sent);
  if (name === undefined) {
    const why = "an event of copilot: it has no hook_event_name, and the keys of no known event";
    throw new OrcsError("ORCS7001", why, { host: "copilot", key: "hook_event_name" });
  }
  const row = copilotEvent(name);
  const agent = textAt(sent, "agent_id");
  const own = isCopilotEvent(name) ? READERS[name](sent) : { event: name };
  const payload = stated({
    session_id: textAt(sent, "session_id"),
    cwd: textAt(sent, "cwd"),
    transcript_path: textAt(sent, "transcript_path"),
    agent_id: agent,
    agent_type: textAt(sent, "agent_type"),
    ...own,
    // Conditions read the name of the tool there, which its own format spells differently.
    host: { ...event, ...stated({ tool_name: getOwn(sent, "tool_name") }) },
  });
  return {
    event: name,
    point: row?.point ?? "host.pre_event",
    payload,
    component: "agent::copilot",
    child: agent === "" ? undefined : agent,
    timeoutMs: row?.timeoutMs ?? 30_000,
  };
}

/** Reads the other fields of each event. */
const READERS: Readonly<Record<CopilotEventName, (event: JsonObject) => Fields>> = {
  SessionStart: (event) => ({
    source: textAt(event, "source"),
    prompt: textAt(event, "initial_prompt"),
  }),
  SessionEnd: (event) => ({ reason: textAt(event, "reason") }),
  UserPromptSubmit: (event) => ({ prompt: requiredField("copilot", event, "prompt", "string") }),
  PreToolUse: toolCall,
  PermissionRequest: (event) => {
    const call = toolCall(event);
    const { tool_name: tool, args } = call;
    const command = tool === "exec" && isJsonObject(args) ? getOwn(args, "command") : undefined;
    return { ...call, command: typeof command === "string" ? command : undefined };
  },
  PostToolUse: (event) => ({ ...toolCall(event), result: resultOf(getOwn(event, "tool_result")) }),
  PostToolUseFailure: (event) => ({ ...toolCall(event), error: textAt(event, "error") }),
  SubagentStart: subagent,
  SubagentStop: (event) => ({
    ...subagent(event),
    ...stopping(event),
    child_result: textAt(event, "last_assistant_message"),
  }),
  Stop: (event) => ({ ...stopping(event), kind: textAt(event, "stop_reason") }),
  PreCompact: (event) => ({
    trigger: textAt(event, "trigger"),
    custom_instructions: textAt(event, "custom_instructions"),
  }),
  Notification: (event) => ({
    message: textAt(event, "message"),
    kind: textAt(event, "notification_type"),
  }),
  ErrorOccurred: () => ({ event: "ErrorOccurred" }),
};

function toolCall(event: JsonObject): Fields {
  const name = fromCopilotName(requiredField("copilot", event, "tool_name", "string"));
  const input = getOwn(event, "tool_input");
  // A tool without arguments may come with none; no tool of ours is one. A list or a number is no call that a guard could read.
  const readable = isOurTool(name) ? input : (input ?? {});
  const args =
    typeof readable === "string"
      ? readable
      : requiredField(
          "copilot",
          stated({ ...event, tool_input: readable }),
          "tool_input",
          "object",
        );
  return { tool_name: name, tool: name, args: fromCopilotInput(name, args) };
}

/** The text for the model, which is all that Copilot CLI sends of a result besides its type. */
function resultOf(result: Json | undefined): Json | undefined {
  if (!isJsonObject(result)) return result;
  return textAt(withSharedKeys(result), "text_result_for_llm") ?? result;
}

function subagent(event: JsonObject): Fields {
  return {
    child_id: textAt(event, "agent_id"),
    agent_type: textAt(event, "agent_type") ?? textAt(event, "agent_name"),
  };
}

function stopping(event: JsonObject): Fields {
  const active = getOwn(event, "stop_hook_active");
  return { stop_hook_active: typeof active === "boolean" ? active : undefined };
}
