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

/**
 * A text in the place of a result that hooks withhold, in the shape of the tool's own whatever that is: of the
 * result nothing is left but what Claude Code needs to take the other one.
 */
export function withheldResult(own: Json, text: string): Json {
  if (!isJsonObject(own)) return fittedResult(own, text).value;
  const { file } = own;
  // An image, a notebook or a document that was read: as a text, or the model's own service would be given nonsense.
  const read = isJsonObject(file) ? { type: "text", file: { ...TEXT_FILE, ...pathOf(file) } } : own;
  return textInside(read, text) ?? blanked(own, text);
}

const TEXT_FILE = { filePath: "", content: "", numLines: 1, startLine: 1, totalLines: 1 };

function pathOf({ filePath }: JsonObject): JsonObject {
  return typeof filePath === "string" ? { filePath } : {};
}

/** Words that say what the rest of a result looks like, as Claude Code's tools have them. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  type: ["text", "create", "update", "image", "base64"],
  mode: ["content", "files_with_matches", "count"],
  status: ["completed", "async_launched", "remote_launched"],
};

/** A value with each text replaced, each number 0 and each list cut to one item; keys and kinds stay as they are. */
function blanked(value: Json, text: string): Json {
  if (typeof value === "string") return text;
  if (typeof value === "number") return 0;
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => blanked(item, text));
  if (!isJsonObject(value)) return value;
  // Where names are data, they are as secret as what they name.
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
