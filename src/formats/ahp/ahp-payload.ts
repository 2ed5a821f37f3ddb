import { AGENT_TOOLS, getOwn, isJsonObject, setOwn } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { ourTool, swapKeys } from "../agent-tools.ts";
import type { AhpEventRow } from "./ahp-tables.ts";

type Keys = Pick<AhpEventRow, "keys" | "also">;

/** An event's payload with the keys of its point. */
export function toPointKeys({ keys, also = {} }: Keys, payload: JsonObject): JsonObject {
  const renamed: JsonObject = {};
  for (const [key, value] of Object.entries(payload)) {
    // With both spellings, the first one counts, and the other is not lost.
    const other = getOwn(also, key) ?? key;
    const isThere = Object.entries(keys).some(
      ([k, to]) => to === other && Object.hasOwn(payload, k),
    );
    setOwn(renamed, getOwn(keys, key) ?? (isThere ? key : other), value);
  }
  return renamed;
}

/**
 * The call in a point's payload with the agent's names in place of ours, or back: both directions exchange the same.
 * @param sent the agent's name of the tool; undefined if it is unknown, and nothing changes
 */
export function swapCall(payload: JsonObject, sent: string | undefined): JsonObject {
  if (sent === undefined) return payload;
  const { tool_name, args } = payload;
  const ours = ourTool(AGENT_TOOLS.ahp, sent);
  const other = tool_name === ours ? sent : ours;
  return {
    ...payload,
    ...((tool_name === ours || tool_name === sent) && { tool_name: other }),
    ...(isJsonObject(args) && { args: swapKeys(AGENT_TOOLS.ahp, ours, args, sent) }),
  };
}

/** A point's payload with the keys of the event, the other spellings included. */
export function toEventKeys({ keys, also = {} }: Keys, payload: JsonObject): JsonObject {
  const names = new Map(Object.entries(keys).map(([key, inner]) => [inner, key]));
  const event: JsonObject = {};
  for (const [inner, value] of Object.entries(payload)) {
    setOwn(event, names.get(inner) ?? inner, value);
  }
  for (const [key, inner] of Object.entries(also)) {
    const value: Json | undefined = getOwn(payload, inner);
    if (value !== undefined) setOwn(event, key, value);
  }
  return event;
}
