import { weakestMode } from "../core/index.ts";
import type { HookMode, JsonObject, PointSpec, Rank, SourcePlace } from "../core/index.ts";
import type { KeyPath } from "./config-error.ts";
import type { HookTable } from "./hook-schema.ts";
import type { Layer, Origin } from "./layers.ts";
import { type Handler, handlerOf } from "./handlers.ts";
import { placeOfHook, type Source } from "./source-positions.ts";
import type { UsedPackage } from "./packages/layer-packages.ts";
import { type StatedHook, statedIn } from "./spellings.ts";
import { hookTest, type HookTest } from "./test-schema.ts";

/**
 * A hook as declared in a configuration. Undefined values can be stated by the script; otherwise they get the default.
 */
export interface HookEntry extends StatedHook {
  /** As given, or generated: `<file>:<point>:<n>`, with the script's name if the script states the point. */
  readonly id: string;
  readonly idGiven: boolean;
  /** Passed to the script as `orcs.options`. */
  readonly options: JsonObject | undefined;
  readonly handler: Handler;
  /** Its `[[hooks]]` header. */
  readonly place: SourcePlace;
  readonly origin: Origin;
  readonly rank: Rank;
  /** Whether its `allow` needs a grant as well: grants are the user's, and the hook is a discovered project's. */
  readonly needsGrants: boolean;
  /** The only agent it runs for, from `[[agents.NAME.hooks]]`; undefined for all. */
  readonly agent: string | undefined;
  /** The agents it does not run for, although it is for all. */
  readonly exceptions: readonly AgentException[];
  /** The names of all `[agents.NAME]`. */
  readonly agents: readonly string[];
  /** Other files and folders that its handler needs, as written. */
  readonly files?: readonly string[] | undefined;
  /** The base of its relative paths: the directory of its configuration, or the sealed copy of it. */
  readonly baseDir: string;
  /**
   * Existing script directories of its configuration, for `require`: a project's module must not replace one of the
   * user's.
   */
  readonly scriptRoots: readonly string[];
  /** Its `[[hooks.tests]]`. */
  readonly tests: readonly PlacedTest[];
  /** The mode of its file, of its agent and of `[engine]`, the weakest of them: its own mode cannot be stronger. */
  readonly modeLimit?: HookMode | undefined;
  /** The packages whose modules its script can require by name. */
  readonly packages?: readonly UsedPackage[] | undefined;
  /** The package that contains its script; undefined for a script of the configuration. */
  readonly packaged?: UsedPackage | undefined;
  /** Its place among all hooks, from 0 to 1, if some of them are loaded later than others. */
  readonly order?: number | undefined;
}

/** A hook of all agents that does not run for one of them. */
export interface AgentException {
  readonly agent: string;
  /** Where it does not run: the points of the agent's `override`; undefined if a hook of the agent has its id. */
  readonly points: readonly PointSpec[] | undefined;
}

/** A test and its place. */
export interface PlacedTest {
  readonly test: HookTest;
  readonly place: SourcePlace;
}

/**
 * Generates ids for the hooks of one configuration, which stay the same as long as the order of its hooks does.
 * @param given explicit ids in this configuration
 */
export function idSource(prefix: string, given: Iterable<string>): (what: string) => string {
  const taken = new Set(given);
  const counts = new Map<string, number>();
  return (what) => {
    const stem = `${prefix}:${what}`;
    let n = counts.get(stem) ?? 0;
    do n++;
    while (taken.has(`${stem}:${n}`));
    counts.set(stem, n);
    return `${stem}:${n}`;
  };
}

/** What the hooks of one list share. */
export interface EntryOrigin {
  readonly layer: Layer;
  readonly source: Source;
  readonly nextId: (what: string) => string;
  readonly agent: string | undefined;
  readonly scriptRoots: readonly string[];
  readonly modeLimit: HookMode | undefined;
  /** Whether its hooks are enforced unless they say otherwise. */
  readonly isEnforced: boolean;
}

/** The hooks of the chain, and those that run in shadow; each knows its place among all. */
export function splitByShadow(entries: readonly HookEntry[]): {
  readonly enforced: readonly HookEntry[];
  readonly shadow: readonly HookEntry[];
} {
  if (!entries.some(isShadowEntry)) return { enforced: entries, shadow: [] };
  const placed = entries.map((entry, i) => ({ ...entry, order: (i + 1) / (entries.length + 2) }));
  return {
    enforced: placed.filter((entry) => !isShadowEntry(entry)),
    shadow: placed.filter(isShadowEntry),
  };
}

/** Whether a hook runs in shadow, as far as the configuration says: a script may state it, too. */
export function isShadowEntry({ mode, modeLimit }: HookEntry): boolean {
  return weakestMode(mode, modeLimit) === "audit";
}

/** The entry of a validated `[[hooks]]` table. */
export function hookEntry(table: HookTable, path: KeyPath, from: EntryOrigin): HookEntry {
  const { layer, source } = from;
  const stated = statedIn(table);
  const { id, point } = stated;
  const handler = handlerOf(table, path, source);
  const what = point?.name ?? (handler.kind === "script" ? handler.script : handler.kind);
  return {
    ...stated,
    id: id ?? from.nextId(what),
    idGiven: id !== undefined,
    modeLimit: from.modeLimit,
    options: table.options,
    handler,
    place: placeOfHook(source, path),
    origin: layer.origin,
    // Hooks of a machine that it does not enforce are like those of the user.
    rank: layer.rank < 0 && !(table.enforced ?? from.isEnforced) ? 0 : layer.rank,
    needsGrants: false,
    agent: from.agent,
    files: table.files,
    baseDir: layer.codeDir,
    scriptRoots: from.scriptRoots,
    exceptions: [],
    agents: [],
    tests: (table.tests ?? []).map((test, i) => {
      return { test: hookTest(test), place: placeOfHook(source, [...path, "tests", i]) };
    }),
  };
}
