import { resolve } from "node:path";
import { CAPABILITIES } from "../core/capabilities.ts";
import type { CapabilityName } from "../core/capabilities.ts";
import { DEFAULT_MAX_DEPTH } from "../core/context.ts";
import type { SettingsTable } from "./settings-schema.ts";
import { isDirectory } from "./scripts.ts";
import { isTable } from "./table.ts";

type Section<Name extends keyof SettingsTable> = NonNullable<SettingsTable[Name]>;

/** A section in which some keys have a value even when nobody gave one. */
type Filled<Name extends keyof SettingsTable, Key extends keyof Section<Name>> = Omit<
  Section<Name>,
  Key
> & { [K in Key]-?: NonNullable<Section<Name>[K]> };

/**
 * The settings of an engine: keys as in TOML, paths absolute, times in milliseconds. Open are those
 * whose default is for others to choose: `hil.mode` (who there is to ask), `paths`, `permissions.env`,
 * `permissions.grants` (left out, commands need none) and `engine.on_error` (follows the phase of a point).
 */
export interface Settings {
  debug: boolean;
  /** Whether coding agents are kept from switching orcs off; only the user's own configuration says it. */
  self_guard?: boolean | undefined;
  model: Section<"model">;
  hil: Filled<"hil", "timeout_ms">;
  paths: Section<"paths">;
  ui: Filled<"ui", "color" | "verbose">;
  /** Where scripts are looked for, over all layers, whether a directory exists or not. */
  scripts: { dirs: string[] };
  permissions: Filled<"permissions", "root" | "capabilities">;
  engine: Filled<"engine", "max_depth" | "trace" | "max_payload_mb" | "test_on_reload" | "load_ms">;
  lua: Filled<"lua", "max_run_ms" | "max_chain_ms" | "memory_mb" | "isolation">;
  serve: Filled<"serve", "auto" | "idle_minutes">;
  hosts: Filled<"hosts", "ask" | "rewrite">;
  audit: Filled<"audit", "level" | "fsync" | "on_error" | "max_mb">;
  redact: Filled<"redact", "keys" | "patterns">;
  trust: Filled<"trust", "untrusted">;
  /** The directories of `scripts.dirs` that exist: where `require` looks. */
  scriptRoots: string[];
}

/** What holds where no configuration says anything. */
export const DEFAULT_SETTINGS: SettingsTable = {
  debug: false,
  model: {},
  hil: { timeout_ms: 300_000 },
  paths: {},
  ui: { color: "auto", verbose: false },
  permissions: { capabilities: Object.keys(CAPABILITIES) as CapabilityName[] },
  engine: {
    max_depth: DEFAULT_MAX_DEPTH,
    trace: false,
    max_payload_mb: 16,
    test_on_reload: false,
    load_ms: 5000,
  },
  lua: { max_run_ms: 100, max_chain_ms: 1000, memory_mb: 16, isolation: "thread" },
  serve: { auto: true, idle_minutes: 30 },
  hosts: { ask: "deny", rewrite: "refuse" },
  audit: { level: "decisions", fsync: "never", on_error: "closed", max_mb: 64 },
  redact: { keys: [], patterns: [] },
  trust: { untrusted: "warn" },
};

/** One configuration's settings with its relative paths made absolute. */
export function locatedSettings(table: SettingsTable, baseDir: string): SettingsTable {
  const { permissions, paths } = table;
  const at = (path: string | undefined) => path && resolve(baseDir, path);
  return {
    ...table,
    ...(permissions && { permissions: { ...permissions, root: at(permissions.root) } }),
    ...(paths && {
      paths: {
        ...paths,
        state: at(paths.state),
        audit: at(paths.audit),
        snapshots: at(paths.snapshots),
      },
    }),
  };
}

/** Settings of two layers: section by section, key by key, the upper one wins; lists are not joined. */
export function mergeSettings(lower: SettingsTable, upper: SettingsTable): SettingsTable {
  const merged: Record<string, unknown> = { ...lower };
  for (const [name, value] of Object.entries(upper)) {
    const under = merged[name];
    if (isTable(value)) merged[name] = { ...(isTable(under) ? under : {}), ...stated(value) };
    else if (value !== undefined) merged[name] = value;
  }
  return merged;
}

/**
 * The settings with defaults filled in.
 * @param scriptDirs absolute, over all layers
 */
export function filledSettings(
  merged: SettingsTable,
  scriptDirs: readonly string[],
  cwd: string,
): Settings {
  const base = mergeSettings(DEFAULT_SETTINGS, { permissions: { root: cwd } });
  const dirs = [...new Set(scriptDirs)];
  // The defaults have every key that `Settings` promises, and merging never takes one away.
  return {
    ...(mergeSettings(base, merged) as Settings),
    scripts: { dirs },
    scriptRoots: dirs.filter(isDirectory),
  };
}

function stated(section: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined));
}
