import { resolve } from "node:path";
import { splitShorthand } from "../core/index.ts";
import type {
  Diagnostic,
  FailureMode,
  HookMode,
  JsonObject,
  MatchSpec,
  PointSet,
  PointSpec,
  SourcePlace,
  StoreErrorMode,
} from "../core/index.ts";
import { HANDLER_KEYS } from "./handlers.ts";
import { didYouMean } from "./config-error.ts";
import type { ConfigError } from "./config-error.ts";
import { checkHook } from "./schema.ts";
import type { SchemaContext } from "./schema-parts.ts";
import { respelled, spellingErrors } from "./spellings.ts";

/** The values of a hook in a script; undefined values are open. */
export interface StatedHook {
  readonly id: string | undefined;
  readonly point: PointSpec | undefined;
  readonly fql: string | undefined;
  readonly priority: number | undefined;
  readonly enabled: boolean | undefined;
  readonly match: MatchSpec | undefined;
  readonly once: boolean | undefined;
  readonly async: boolean | undefined;
  readonly observe: boolean | undefined;
  readonly stream: boolean | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxRetries: number | undefined;
  readonly onError: FailureMode | undefined;
  readonly onTimeout: FailureMode | undefined;
  readonly onStoreError: StoreErrorMode | undefined;
  readonly mode: HookMode | undefined;
  readonly rollout: number | undefined;
  readonly shadowEffects: boolean | undefined;
}

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

/** The values of a bare function. */
export const NOTHING_STATED = {
  id: undefined,
  point: undefined,
  fql: undefined,
  priority: undefined,
  enabled: undefined,
  match: undefined,
  once: undefined,
  async: undefined,
  observe: undefined,
  stream: undefined,
  timeoutMs: undefined,
  maxRetries: undefined,
  onError: undefined,
  onTimeout: undefined,
  onStoreError: undefined,
  mode: undefined,
  rollout: undefined,
  shadowEffects: undefined,
} as const satisfies StatedHook;

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
  return {
    stated: {
      ...respelled(table),
      fql: table.fql,
      priority: table.priority,
      enabled: table.enabled,
      once: table.once,
      observe: table.observe,
      stream: table.stream,
      maxRetries: table.max_retries,
      onError: table.on_error,
      onTimeout: table.on_timeout,
      onStoreError: table.on_store_error,
      mode: table.mode,
      rollout: table.rollout,
      shadowEffects: table.shadow_effects,
    },
    errors: [],
  };
}

function placed(mistake: ConfigError, place: SourcePlace): Diagnostic {
  return {
    code: mistake.code,
    severity: "error",
    message: `${mistake.path.join(".")}${mistake.path.length > 0 ? ": " : ""}${messageOf(mistake)}`,
    place,
    ...(mistake.path.length > 0 && { field: mistake.path.map(String) }),
    ...(mistake.hint !== undefined && { hint: mistake.hint }),
  };
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
  const written = text.slice(text.lastIndexOf(":") + 1);
  return {
    mistake: {
      code: "ORCS1005",
      path: [],
      at: "value",
      message: `${JSON.stringify(text)} does not have the form FQL:point, such as "builtin::llm:tool.pre_execute"`,
      hint: didYouMean(points.suggest(written)),
    },
  };
}

function unknownHere(key: string): ConfigError {
  return {
    code: "ORCS1003",
    path: [key],
    at: "key",
    message: `${key} can be set in the configuration only, not in a script`,
  };
}
