import { AGENT_TOOLS, getOwn, isJsonObject, OrcsError, toJson } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { asText, ourTool, patchPaths, swapKeys } from "../../formats/index.ts";

/** A patch is a tool of its own: see `PATCH_TOOL`. */
export const OPENCODE_TOOLS = AGENT_TOOLS.opencode;

/** Its argument `patchText` names the files, also those that no guard of `edit` would see otherwise. */
const PATCH_TOOL = "apply_patch";

/** The arguments of a call as hooks see them: a patch has the files that it touches as `path`. */
export function fromOpencodeCall(tool: string, given: Json): JsonObject {
  const patch = tool === PATCH_TOOL && isJsonObject(given) ? getOwn(given, "patchText") : undefined;
  return typeof patch === "string"
    ? { path: patchPaths(patch), patch }
    : fromOpencodeInput(tool, given);
}

/** The arguments with our keys, or back with those of opencode. @param tool as opencode names it */
function fromOpencodeInput(tool: string, given: Json): JsonObject {
  const args = isJsonObject(given) ? given : { value: given };
  return swapKeys(OPENCODE_TOOLS, ourTool(OPENCODE_TOOLS, tool), args, tool);
}

/** A value of opencode as JSON. */
export function json(value: unknown): Json {
  return toJson(value ?? null, undefined, ["payload"]);
}

/**
 * Give opencode changed arguments, in the object with which it runs the tool.
 * @throws OrcsError ORCS2001 if there is no such object
 */
export function replaceInput(target: unknown, tool: string, input: Json): void {
  if (typeof target !== "object" || target === null) {
    throw unpassable();
  }
  const values = tool === PATCH_TOOL ? patchInput(target, input) : fromOpencodeInput(tool, input);
  for (const key of Object.keys(target)) {
    if (getOwn(values, key) === undefined) Reflect.deleteProperty(target, key);
  }
  Object.assign(target, values);
}

/** The input of a rewritten patch, of which opencode takes only the text. */
function patchInput(target: object, input: Json): JsonObject {
  const patch = isJsonObject(input) ? getOwn(input, "patch") : undefined;
  if (typeof patch !== "string" || patch === Reflect.get(target, "patchText")) throw unpassable();
  return { patchText: patch };
}

function unpassable(): OrcsError {
  return new OrcsError("ORCS2001", "the changed arguments cannot be passed to the tool", {});
}

/**
 * Replace a result, also where opencode shows and stores parts of it: in the metadata, at any depth, whose texts may be
 * cut, or have other line numbers and notes.
 */
export function replaceResult(output: object, key: string, old: Json, result: Json): void {
  const isContent = key === "content" && !Array.isArray(result);
  const content = isContent ? [{ type: "text", text: asText(result) }] : result;
  Reflect.set(output, key, key === "output" ? asText(result) : content);
  const [before, after] = [textsIn(old).join("\n"), textsIn(result).join("\n")];
  const gone = (before.match(/\S{4,}/g) ?? []).filter((word) => !after.includes(word));
  const replaceIn = (owner: object): void => {
    for (const [name, value] of Object.entries(owner) as [string, unknown][]) {
      if (owner === output && name === key) continue;
      if (typeof value === "object" && value !== null) replaceIn(value);
      if (typeof value !== "string") continue;
      if (overlaps(value, before) || gone.some((word) => value.includes(word))) {
        Reflect.set(owner, name, asText(result));
      }
    }
  };
  replaceIn(output);
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Whether one text is a part of the other: the shown output may be cut, or have a note added. */
function overlaps(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.trim().length > 3 && long.includes(short.trim());
}
