import { MATCH_KEYS, MATCH_OPTIONS } from "../core/index.ts";
import type { HookOptions, MatchSpec, PointSpec } from "../core/index.ts";
import { type ConfigError, type KeyPath, pathText } from "./config-error.ts";
import type { HookTable } from "./hook-schema.ts";
import { type Table, valueAt, valueOf } from "./table.ts";

/** Alternative spellings that are accepted, so that files of other systems load: spelling → meaning. */
export const SPELLINGS = {
  event: ["point"],
  name: ["id"],
  timeout_sec: ["timeout_ms"],
  async_execution: ["async"],
  matcher: ["match", "tool"],
  tool_matcher: ["match", "tool"],
  path_pattern: ["match", "path"],
  command_pattern: ["match", "command"],
  session_id: ["match", "session"],
} as const satisfies Record<string, readonly [string] | readonly ["match", keyof MatchSpec]>;

/** All spellings of a key that has several, with their meaning: the usual spelling first. */
const ALL_SPELLINGS: readonly { readonly path: readonly string[]; readonly meaning: string }[] = [
  ...new Map(
    Object.values(SPELLINGS).map((path) => [path.join("."), { path, meaning: path.join(".") }]),
  ).values(),
  ...Object.entries(SPELLINGS).map(([key, meaning]) => ({
    path: [key],
    meaning: meaning.join("."),
  })),
];

/** Errors for a key in two spellings, where it is unclear which one counts (ORCS1017). */
export function spellingErrors(hook: Table, path: KeyPath): ConfigError[] {
  const mistakes: ConfigError[] = [];
  const written = new Map<string, readonly string[]>();
  for (const spelling of ALL_SPELLINGS) {
    if (valueAt(hook, spelling.path) === undefined) continue;
    const first = written.get(spelling.meaning);
    if (first === undefined) {
      written.set(spelling.meaning, spelling.path);
      continue;
    }
    const message = `${pathText(spelling.path)} is another spelling of ${pathText(first)}, which is also set`;
    const hint = `keep ${pathText(first)}`;
    mistakes.push({
      code: "ORCS1017",
      path: [...path, ...spelling.path],
      at: "key",
      message,
      hint,
    });
  }
  return mistakes;
}

/** The key under which a raw hook has its id or its point. */
export function writtenKey(hook: Table, meaning: "id" | "point"): string | undefined {
  const keys = ALL_SPELLINGS.filter((spelling) => spelling.meaning === meaning);
  return keys.flatMap(({ path }) => path).find((key) => valueOf(hook, key) !== undefined);
}

/** The values of a hook that a script can state as well; undefined values are open. */
export type StatedHook = { readonly [Key in keyof HookOptions]-?: HookOptions[Key] | undefined } & {
  readonly point: PointSpec | undefined;
};

/** The values of a hook, whatever the spelling of their keys. `match` is undefined when there is no condition. */
export function statedIn(hook: HookTable): StatedHook {
  const seconds = hook.timeout_sec;
  return {
    id: hook.id ?? hook.name,
    point: hook.point ?? hook.event,
    fql: hook.fql,
    priority: hook.priority,
    enabled: hook.enabled,
    match: matchOf({
      ...hook.match,
      tool: hook.match?.tool ?? hook.tool_matcher ?? hook.matcher,
      path: hook.match?.path ?? hook.path_pattern,
      command: hook.match?.command ?? hook.command_pattern,
      session: hook.match?.session ?? hook.session_id,
    }),
    once: hook.once,
    async: hook.async ?? hook.async_execution,
    observe: hook.observe,
    stream: hook.stream,
    timeoutMs:
      hook.timeout_ms ??
      (seconds === undefined ? undefined : Math.max(1, Math.round(seconds * 1000))),
    maxRetries: hook.max_retries,
    onError: hook.on_error,
    onTimeout: hook.on_timeout,
    onStoreError: hook.on_store_error,
    mode: hook.mode,
    rollout: hook.rollout,
    shadowEffects: hook.shadow_effects,
  };
}

/** The values of a bare function. */
export const NOTHING_STATED: StatedHook = statedIn({});

function matchOf(given: {
  readonly [Key in keyof MatchSpec]?: MatchSpec[Key] | undefined;
}): MatchSpec | undefined {
  let written: Record<string, unknown> | undefined;
  for (const key of [...MATCH_KEYS, ...MATCH_OPTIONS]) {
    if (given[key] !== undefined) (written ??= {})[key] = given[key];
  }
  return written;
}
