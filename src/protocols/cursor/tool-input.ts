import { OrcsError } from "../../core/errors.ts";
import { getOwn } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { requiredField } from "../host-fields.ts";
import { readJsonObject } from "../read-json.ts";

/**
 * The input of a call as Cursor sent it: some events write it as a text of JSON.
 * @throws OrcsError ORCS7001
 */
export function sentToolInput(event: JsonObject): JsonObject {
  const input = getOwn(event, "tool_input");
  // A tool without arguments may come with none.
  if (input === null || input === "") return {};
  if (typeof input !== "string") return requiredField("cursor", event, "tool_input", "object");
  const read = readJsonObject(input);
  if (read.ok) return read.value;
  throw new OrcsError("ORCS7001", `an event of cursor: tool_input ${read.why}`, {
    host: "cursor",
    key: "tool_input",
  });
}

/** The same where there may be none that can be read. */
export function sentToolInputOr(event: JsonObject, otherwise: JsonObject): JsonObject {
  try {
    return sentToolInput(event);
  } catch (thrown) {
    if (thrown instanceof OrcsError) return otherwise;
    throw thrown;
  }
}
