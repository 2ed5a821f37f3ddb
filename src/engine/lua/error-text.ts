import type { LuaChunk, LuaFrame } from "../../core/index.ts";
import { placeText } from "./traceback.ts";

/** The place of a library function that the package has replaced (`lua/prelude.lua`). */
const OWN_PLACE = /^orcs:\d+: /;
/** Messages of the VM that have no place, because a function in C raised them. */
const OF_C =
  /^(?:attempt to |bad argument #|calling '|too many results to unpack|C stack overflow)/;
/** The message of `ipairs` for a value without fields. */
const NOT_A_LIST = /^attempt to index an? (\w+) value$/;
const NO_LENGTH = /^attempt to get length of a nil value$/;
const BAD_ARGUMENT = /bad argument #(\d+) to '([\w ]+)' \(.*got n\w+\)$/;

/**
 * A message with the place of the script's line, where the VM gives none or one in the package's own Lua, and with the
 * name of an argument that is nil.
 * @param calls the active calls when it was raised
 * @param chunks the sources of the script
 */
export function errorText(
  message: string,
  calls: readonly LuaFrame[] | undefined,
  chunks: readonly LuaChunk[],
): string {
  const at = calls?.[0];
  if (!at) return message;
  const isPlaceless = OF_C.test(message);
  const text = message.replace(OWN_PLACE, "");
  const prefix = isPlaceless || text !== message ? placeText(calls) : "";
  const [, type] = NOT_A_LIST.exec(message) ?? [];
  const unlisted = type === undefined ? undefined : called("ipairs", 1, at, chunks);
  if (type !== undefined && unlisted) {
    const why = `bad argument #1 to 'ipairs' (table expected, got ${type})`;
    return `${prefix}${why}${type === "nil" ? unlisted.name : ""}`;
  }
  if (NO_LENGTH.test(message)) return prefix + text + (called("unpack", 1, at, chunks)?.name ?? "");
  const [, n, name = ""] = BAD_ARGUMENT.exec(text) ?? [];
  if (n === undefined) return prefix + text;
  const fn = name === "for iterator" ? "pairs" : name;
  return prefix + text + (called(fn, Number(n), at, chunks)?.name ?? "");
}

/** The only call of a function on a line, and its argument if that is a name such as `ctx.payload.args.files`. */
function called(
  fn: string,
  n: number,
  at: LuaFrame,
  chunks: readonly LuaChunk[],
): { readonly name: string } | undefined {
  const line = sourceLine(at, chunks);
  const [only, ...others] = line.matchAll(new RegExp(`\\b${fn}\\s*\\(`, "g"));
  if (!only || others.length > 0) return undefined;
  const args = line.slice(only.index + only[0].length);
  const argument = new RegExp(`^(?:[^,()]*,){${n - 1}}\\s*([A-Za-z_][\\w.]*)\\s*[,)]`).exec(
    args,
  )?.[1];
  return { name: argument === undefined || argument === "nil" ? "" : `: ${argument}` };
}

function sourceLine({ file, line }: LuaFrame, chunks: readonly LuaChunk[]): string {
  const chunk = chunks.findLast((each) => each.file === file && (each.line ?? 1) <= line);
  if (!chunk) return "";
  const code = typeof chunk.code === "string" ? chunk.code : new TextDecoder().decode(chunk.code);
  return code.split("\n", line)[line - (chunk.line ?? 1)] ?? "";
}
