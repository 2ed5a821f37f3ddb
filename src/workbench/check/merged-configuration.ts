import { loadBundles } from "../../fleet/index.ts";
import { isAbsolute, resolve } from "node:path";
import {
  HANDLER_KEYS,
  isTable,
  loadTrusted,
  placeOfHook,
  shownFile,
  SPELLINGS,
  valueAt,
} from "../../config/index.ts";
import type { HookEntry, Table, TrustedFiles } from "../../config/index.ts";
import { DEFAULT_MAX_RETRIES, DEFAULT_PRIORITY, DEFAULT_TIMEOUT_MS } from "../../core/index.ts";
import type { Hook } from "../../core/index.ts";
import type { Checked, CheckOptions } from "./check.ts";
import type { RawHook, RawLayer } from "./raw-layers.ts";

/** A key with its effective value and origin. */
export interface MergedKey {
  readonly key: string;
  readonly value: unknown;
  /** `machine`, `user`, `project`, `local`, `named`, `script` or `default`. */
  readonly origin: string;
  readonly file?: string;
  readonly line?: number;
}

/** A hook as stated by its configuration and its script. */
export interface MergedHook {
  readonly id: string;
  readonly keys: readonly MergedKey[];
}

/** The effective content of a valid configuration. */
export interface MergedConfiguration {
  readonly settings: readonly MergedKey[];
  /** In the order in which they run. */
  readonly hooks: readonly MergedHook[];
}

/** The active settings and hooks, each key with its origin. An untrusted project contributes nothing. */
export async function mergedConfiguration(
  options: CheckOptions,
  { loaded = [], layers: all, diagnostics, untrusted }: Checked,
): Promise<MergedConfiguration> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const layers = untrusted ? all.filter(({ layer }) => layer.rank !== 1) : all;
  const { settings, hooks, projectTrust } = await loadTrusted({
    config: options.config,
    bundles: loadBundles,
    cwd,
  });
  const { scriptRoots: _roots, ...shown } = settings;
  const written = new Map<string, RawHook>();
  for (const hook of layers.flatMap((layer) => layer.hooks)) {
    const { file, line } = placeOfHook(hook.layer.source, hook.path);
    written.set(`${file}:${line}`, hook);
  }
  // The places of a project's values that are ignored.
  const ignored = new Set(
    diagnostics.flatMap(({ code, place }) =>
      code === "ORCS1016" && place ? `${place.file}:${place.line}` : [],
    ),
  );
  return {
    settings: leavesOf(shown).map(([path, value]) =>
      settingKey(path, shownPaths(value, projectTrust), layers, ignored),
    ),
    hooks: loaded.map((hook) => mergedHook(hook, entryOf(hook, hooks, cwd, projectTrust), written)),
  };
}

/** The values in a table, with nested tables flattened. */
function leavesOf(table: object, path: readonly string[] = []): [string[], unknown][] {
  return Object.entries(table).flatMap(([key, value]): [string[], unknown][] => {
    if (value === undefined) return [];
    return isTable(value) ? leavesOf(value, [...path, key]) : [[[...path, key], value]];
  });
}

function settingKey(
  path: readonly string[],
  value: unknown,
  layers: readonly RawLayer[],
  ignored: ReadonlySet<string>,
): MergedKey {
  const key = path.join(".");
  for (const { layer, tree, source } of [...layers].reverse()) {
    if (valueAt(tree, path) === undefined) continue;
    const span = source.places("value", path);
    const at = { file: source.file ?? "", line: span?.line ?? 1 };
    if (!ignored.has(`${at.file}:${at.line}`)) return { key, value, origin: layer.origin, ...at };
  }
  return { key, value, origin: "default" };
}

/** Paths as users know them: for a sealed set, those in the project. */
function shownPaths(value: unknown, projectTrust: TrustedFiles | undefined): unknown {
  if (!projectTrust) return value;
  if (Array.isArray(value)) return value.map((each) => shownPaths(each, projectTrust));
  return typeof value === "string" && isAbsolute(value) ? projectTrust.shown(value) : value;
}

/** The entry of a hook: the one of its script, otherwise the last one that begins before its handler. */
function entryOf(
  hook: Hook,
  entries: readonly HookEntry[],
  cwd: string,
  projectTrust: TrustedFiles | undefined,
): HookEntry | undefined {
  const { id, source } = hook;
  if (!source) return undefined;
  const named = (file: string) => shownFile(projectTrust?.shown(file) ?? file, cwd);
  const ofScript = entries.filter(
    ({ handler }) => handler.kind === "script" && named(handler.file) === source.file,
  );
  const byId = ofScript.find((entry) => id === entry.id || id.startsWith(`${entry.id}:`));
  if (byId ?? ofScript[0]) return byId ?? ofScript[0];
  return entries.findLast(
    ({ handler, place }) =>
      handler.kind !== "script" && place.file === source.file && place.line <= source.line,
  );
}

/** The values that every hook has, by key. */
function valuesOf(hook: Hook): Record<string, unknown> {
  return {
    point: hook.point.name,
    fql: hook.fql,
    priority: hook.priority,
    match: hook.match,
    enabled: hook.enabled,
    once: hook.once,
    async: hook.async,
    observe: hook.observe,
    timeout_ms: hook.timeoutMs,
    max_retries: hook.maxRetries,
    on_error: hook.onError,
    on_timeout: hook.onTimeout,
    on_store_error: hook.onStoreError,
  };
}

/** The default values. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  fql: "*::*",
  priority: DEFAULT_PRIORITY,
  enabled: true,
  once: false,
  async: false,
  observe: false,
  timeout_ms: DEFAULT_TIMEOUT_MS,
  max_retries: DEFAULT_MAX_RETRIES,
};

function mergedHook(
  hook: Hook,
  entry: HookEntry | undefined,
  written: ReadonlyMap<string, RawHook>,
): MergedHook {
  const from = entry && written.get(`${entry.place.file}:${entry.place.line}`);
  const values = { ...valuesOf(hook), ...(from && writtenOnly(from)) };
  const keys = Object.entries(values).flatMap(([key, value]): MergedKey[] => {
    if (value === undefined) return [];
    const stated = from && statedAt(from, key);
    if (stated) return [{ key, value, ...stated }];
    if (value === DEFAULTS[key] || !hook.source) return [{ key, value, origin: "default" }];
    const { file, line } = hook.source;
    return [{ key, value, origin: "script", file, line }];
  });
  return { id: hook.id, keys };
}

/** Configured values that are not part of the hook itself: its handler and its options. */
function writtenOnly({ table }: RawHook): Table {
  const keys = [...HANDLER_KEYS, "options"].filter((key) => table[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, table[key]]));
}

/** Where a key of a hook is written, in either spelling. */
function statedAt({ table, path, layer }: RawHook, key: string) {
  const others = Object.entries(SPELLINGS).filter(([, [meaning]]) => meaning === key);
  const spelt = [key, ...others.map(([spelling]) => spelling)].find(
    (each) => table[each] !== undefined,
  );
  if (spelt === undefined) return undefined;
  const { file, line } = placeOfHook(layer.source, [...path, spelt]);
  return { origin: layer.layer.origin, file, line };
}
