import { isJsonObject, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { asText } from "../host-protocol.ts";

/** A result as Claude Code accepts it, and why it might not. */
interface FittedResult {
  readonly value: Json;
  /** A key of the tool's own result that is missing, or has another type. */
  readonly misfit?: string | undefined;
}

/** Keys under which Bash stores a copy of its output, which the model would be shown. */
const COPIES = ["persistedOutputPath", "persistedOutputSize", "rawOutputPath"];

/**
 * A changed result in the form of the tool's own: Claude Code drops other forms, and the model would see the original.
 * No text of the original is kept.
 */
export function fittedResult(own: Json, other: Json): FittedResult {
  if (typeof own === "string") return { value: asText(other) };
  // Blocks of content, as in results of MCP tools.
  if (Array.isArray(own)) {
    return { value: Array.isArray(other) ? other : [{ type: "text", text: asText(other) }] };
  }
  if (!isJsonObject(own)) return { value: other };
  if (isJsonObject(other)) return fittedObject(own, other);
  const value = typeof other === "string" ? textInside(own, other) : undefined;
  return value ? { value } : { value: other, misfit: Object.keys(own)[0] };
}

/**
 * A text in place of a withheld result, in any form that the tool's own may have. Of the original, only what Claude
 * Code needs to accept it is kept.
 */
export function withheldResult(own: Json, text: string): Json {
  if (!isJsonObject(own)) return fittedResult(own, text).value;
  const { file } = own;
  // A read image, notebook or document becomes a text; otherwise the model's API would reject it.
  const filePath = (isJsonObject(file) && textAt(file, "filePath")) || "";
  const read = isJsonObject(file) ? { type: "text", file: { ...TEXT_FILE, filePath } } : own;
  return textInside(read, text) ?? blanked(own, text);
}

const TEXT_FILE = { filePath: "", content: "", numLines: 1, startLine: 1, totalLines: 1 };

/** Values that determine the form of the rest of a result in Claude Code's tools. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  type: ["text", "create", "update", "image", "base64"],
  mode: ["content", "files_with_matches", "count"],
  status: ["completed", "async_launched", "remote_launched"],
};

/** A value with each text replaced, each number 0 and each list cut to one item; keys and kinds are kept. */
function blanked(value: Json, text: string): Json {
  if (typeof value === "string") return text;
  if (typeof value === "number") return 0;
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => blanked(item, text));
  if (!isJsonObject(value)) return value;
  // If names are data, they are as secret as their values.
  const entries = Object.entries(value).filter(([key]) => /^[A-Za-z_]\w{0,40}$/.test(key));
  return Object.fromEntries(
    entries
      .filter(([key]) => !COPIES.includes(key))
      .map(([key, item]) => [
        key,
        (KINDS[key] as readonly Json[] | undefined)?.includes(item) ? item : blanked(item, text),
      ]),
  );
}

function fittedObject(own: JsonObject, other: JsonObject): FittedResult {
  const value = { ...flagsOf(own), ...other };
  if (own["stdout"] !== value["stdout"]) for (const key of COPIES) delete value[key];
  const misfit = Object.keys(own).find(
    (key) => !COPIES.includes(key) && kindOf(own[key]) !== kindOf(value[key]),
  );
  return { value, misfit };
}

/** A text in place of a command's output, or of a file's content. */
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

/** Booleans are kept: they reveal nothing that a hook may want to hide. */
function flagsOf(own: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => typeof value === "boolean"));
}

function kindOf(value: Json | undefined): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
