import type { Json, JsonObject } from "../core/json.ts";
import { isPlainObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { Refusal } from "./refusal.ts";
import { BUILTIN_TOOLS } from "../core/tool-table.ts";
import type { ArgKind, ArgsOf, ArgSpec, ToolName } from "../core/tool-table.ts";

/** Node's timers hold 31 bits; a longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1;

/**
 * The arguments of a call, checked against the table; null counts as left out.
 * @throws Refusal naming the argument that is missing, unknown or of the wrong type.
 */
export function checkArgs<N extends ToolName>(tool: N, args: JsonObject): ArgsOf<N> {
  const specs: Readonly<Record<string, ArgSpec>> = BUILTIN_TOOLS[tool].args;
  const given = Object.entries(args).filter(([, value]) => value !== null);
  for (const [key, value] of given) {
    const spec = Object.hasOwn(specs, key) ? specs[key] : undefined;
    if (!spec) throw new Refusal(unknownArgument(key, Object.keys(specs)));
    const expected = misfit(spec.kind, value);
    if (expected !== undefined) {
      throw new Refusal(
        `argument ${JSON.stringify(key)} is ${describe(value)}, expected ${expected}`,
      );
    }
  }
  const missing = Object.keys(specs).find(
    (key) => specs[key]?.required && !given.some(([name]) => name === key),
  );
  if (missing !== undefined) throw new Refusal(`argument ${JSON.stringify(missing)} is missing`);
  return Object.fromEntries(given) as ArgsOf<N>;
}

/** What a value should have been, or undefined when it fits. */
function misfit(kind: ArgKind, value: Json): string | undefined {
  switch (kind) {
    case "string":
      return typeof value === "string" ? undefined : "a string";
    case "text":
      return typeof value === "string" && value !== "" ? undefined : "a string that is not empty";
    case "path":
      if (typeof value !== "string" || value === "") return "a path";
      return value.includes("\0") ? "a path without NUL" : undefined;
    case "milliseconds":
      return isMilliseconds(value) ? undefined : `whole milliseconds from 1 to ${MAX_MS}`;
    case "strings":
      return isStrings(value) ? undefined : "an object whose values are strings";
  }
}

function isMilliseconds(value: Json): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_MS;
}

function isStrings(value: Json): boolean {
  return isPlainObject(value) && Object.values(value).every((item) => typeof item === "string");
}

function describe(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function unknownArgument(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  const hint = meant === undefined ? `it takes ${known.join(", ")}` : `did you mean ${meant}?`;
  return `unknown argument ${JSON.stringify(key)}; ${hint}`;
}
