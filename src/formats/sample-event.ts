import { pointSet } from "../core/index.ts";
import type { HookContext, JsonObject } from "../core/index.ts";
import type { AgentFormat } from "./agent-format.ts";
import { eventOf } from "./agent-format.ts";
import { handlerInput } from "./handler-input.ts";

/** What an event is about, by the keys of payloads. */
const ABOUT: JsonObject = {
  prompt: "orcs doctor",
  message: "orcs doctor",
  error: "orcs doctor",
  result: "",
};

/** What a sample is about. */
export interface Sample {
  /** Of the event, and every other id. */
  readonly session: string;
  readonly project: string;
  /** The command of a call; default `true`. */
  readonly line?: string | undefined;
}

/** An event as its agent sends it, as far as its table says, for a test. */
export function sampleEvent(
  format: AgentFormat,
  event: string,
  { session, project, line = "true" }: Sample,
): JsonObject {
  const { point, tools } = eventOf(format, event);
  const reads = tools?.includes("read") && { tool_name: "read", args: { path: "orcs-doctor.txt" } };
  const ids = { session_id: session, tool_use_id: session, child_id: session, agent_type: session };
  const payload = {
    ...ABOUT,
    tool_name: "exec",
    args: { command: line },
    ...ids,
    ...reads,
    event,
    cwd: project,
    host: { hook_event_name: event },
  };
  const ctx: HookContext = {
    hook_point: point,
    component_id: `agent::${format.name}`,
    channel_id: "",
    principal: { type: "system", id: "orcs" },
    timestamp_ms: 0,
    payload,
    metadata: {},
    depth: 0,
    max_depth: 1,
  };
  const spec = pointSet().get(point);
  return spec ? handlerInput(format, { point: spec, ctx, cwd: project, projectDir: project }) : {};
}
