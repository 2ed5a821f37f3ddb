import { resolve } from "node:path";
import { splitShorthand } from "../core/index.ts";
import type { Diagnostic, JsonObject, PointSet, SourcePlace } from "../core/index.ts";
import { HANDLER_KEYS } from "./handlers.ts";
import { type ConfigError, didYouMean } from "./config-error.ts";
import { checkHook } from "./schema.ts";
import type { SchemaContext } from "./schema-parts.ts";
import { NOTHING_STATED, spellingErrors, type StatedHook, statedIn } from "./spellings.ts";

/** Reads the table of a hook in a script: returns its values, or its errors. */
export type ScriptHookReader = (
  fields: JsonObject,
  place: SourcePlace,
) => { stated: StatedHook | undefined; diagnostics: readonly Diagnostic[] };

/**
 * A reader that validates a script's hooks by the rules of the configuration: the same keys, spellings and messages,
 * placed at the handler. `fields.shorthand` is the `"{FQL}:{point}"` of `orcs.hook`.
 */
export function scriptHookReader({
  points,
  cwd,
}: {
  readonly points: PointSet;
  readonly cwd: string;
}): ScriptHookReader {
  const around: SchemaContext = {
    points,
    cwd,
    baseDir: cwd,
    locate: (path: string) => resolve(cwd, path),
    findScript: () => ({ file: undefined, lookedIn: [], nearest: undefined }),
  };
  return (fields, place) => {
    if (Object.keys(fields).length === 0) return { stated: NOTHING_STATED, diagnostics: [] };
    const { stated, errors } = read(fields, around);
    return { stated, diagnostics: errors.map((mistake) => placed(mistake, place)) };
  };
}

/** Keys of a hook that only a configuration has. */
const NOT_OF_SCRIPTS: readonly string[] = [...HANDLER_KEYS, "options", "type"];

function read(
  fields: JsonObject,
  around: SchemaContext,
): { stated: StatedHook | undefined; errors: readonly ConfigError[] } {
  const { points } = around;
  const { shorthand, ...written } = fields;
  const named: Named = typeof shorthand === "string" ? fromShorthand(shorthand, points) : {};
  if ("mistake" in named) return { stated: undefined, errors: [named.mistake] };
  const stray = NOT_OF_SCRIPTS.filter((key) => written[key] !== undefined);
  const { table, errors } = checkHook(around, { ...written, ...named });
  const all = [...stray.map(unknownHere), ...spellingErrors(written, []), ...errors];
  if (!table || all.length > 0) return { stated: undefined, errors: all };
  return { stated: statedIn(table), errors: [] };
}

function placed(mistake: ConfigError, place: SourcePlace): Diagnostic {
  // The text about an unknown key names it.
  const within = luaPath(mistake.path.slice(0, mistake.code === "ORCS1003" ? -1 : undefined));
  return {
    code: mistake.code,
    severity: "error",
    message: `${within}${within === "" ? "" : ": "}${messageOf(mistake)}`,
    place,
    ...(mistake.path.length > 0 && { field: mistake.path.map(String) }),
    ...(mistake.hint !== undefined && { hint: mistake.hint }),
  };
}

/** A path as Lua writes it: `match.runs[2]`. */
function luaPath(path: ConfigError["path"]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key + 1}]` : `.${key}`))
    .join("")
    .slice(1);
}

function messageOf(mistake: ConfigError): string {
  return typeof mistake.message === "string"
    ? mistake.message
    : mistake.message((path) => path.join("."));
}

type Named = { fql?: string; point?: string } | { mistake: ConfigError };

function fromShorthand(text: string, points: PointSet): Named {
  const split = splitShorthand(text, points);
  if (split) return { fql: split.fql, point: split.point.name };
  const end = text.lastIndexOf(":");
  const fql = end < 0 ? "*::*" : text.slice(0, end);
  const near = points.suggest(text.slice(end + 1));
  const message = `${JSON.stringify(text)} does not have the form FQL:point, such as "builtin::llm:tool.pre_execute"`;
  const hint = didYouMean(near && `${fql}:${near}`);
  return { mistake: { code: "ORCS1005", path: [], at: "value", message, hint } };
}

function unknownHere(key: string): ConfigError {
  const message = `${key} can be set in the configuration only, not in a script`;
  return { code: "ORCS1003", path: [key], at: "key", message };
}
