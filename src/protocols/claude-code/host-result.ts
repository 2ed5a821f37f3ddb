import type { Json, JsonObject } from "../../core/json.ts";
import { asText } from "../host-verdict.ts";
import { isJsonObject } from "../read-json.ts";

/** A result as the host takes it, and what of it it may not take. */
interface FittedResult {
  readonly value: Json;
  /** A key of the tool's own result that is missing, or of another type. */
  readonly misfit?: string | undefined;
}

/** Where Bash keeps a copy of what it wrote: the model would be shown that one. */
const COPIES = ["persistedOutputPath", "persistedOutputSize", "rawOutputPath"];

/**
 * Another result in the shape of the tool's own: Claude Code drops what has another shape, and the model is
 * shown what the hook has replaced. Nothing of the own result that could be text is put back.
 */
export function fittedResult(own: Json, other: Json): FittedResult {
  if (typeof own === "string") return { value: asText(other) };
  // Blocks of content, as MCP tools answer.
  if (Array.isArray(own)) {
    return { value: Array.isArray(other) ? other : [{ type: "text", text: asText(other) }] };
  }
  if (!isJsonObject(own)) return { value: other };
  if (isJsonObject(other)) return fittedObject(own, other);
  const value = typeof other === "string" ? textInside(own, other) : undefined;
  return value ? { value } : { value: other, misfit: Object.keys(own)[0] };
}

function fittedObject(own: JsonObject, other: JsonObject): FittedResult {
  const value = { ...flagsOf(own), ...other };
  if (own["stdout"] !== value["stdout"]) for (const key of COPIES) delete value[key];
  const misfit = Object.keys(own).find(
    (key) => !COPIES.includes(key) && kindOf(own[key]) !== kindOf(value[key]),
  );
  return { value, misfit };
}

/** A text in the place of what a command wrote, or of what a file holds. */
function textInside(own: JsonObject, text: string): JsonObject | undefined {
  if (typeof own["stdout"] === "string") {
    const flags = flagsOf(own);
    if ("isImage" in flags) flags["isImage"] = false;
    return { ...flags, stdout: text, stderr: "" };
  }
  const { file } = own;
  const isText =
    own["type"] === "text" && isJsonObject(file) && typeof file["content"] === "string";
  return isText ? { type: "text", file: { ...file, content: text } } : undefined;
}

/** What is true or false says nothing of what a hook may have wanted to hide. */
function flagsOf(own: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => typeof value === "boolean"));
}

function kindOf(value: Json | undefined): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
