import { relative, sep } from "node:path";
import { AUDIT_LEVELS, FSYNC_POLICIES } from "../core/audit.ts";
import { grantsNothingMore } from "./grant.ts";
import type { Mistake } from "./mistake.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import type { SettingsTable } from "./settings-schema.ts";
import { isTable, valueAt } from "./table.ts";

/** A setting that a configuration found in a project must not loosen. */
interface Guard {
  readonly path: readonly [section: keyof SettingsTable, key: string];
  /**
   * Guarded whenever the user has hooks, as it could make them fail open; else only where the user set it. Or
   * always, as it keeps a coding agent waiting.
   */
  readonly forHooks: boolean | "always";
  /** @param held what the user set, or the default */
  loosens(found: unknown, held: unknown): boolean;
  /**
   * The same of a variable of the environment, where that differs: it is whoever starts orcs who says it, who may
   * make it stricter.
   */
  weakens?(found: unknown, held: unknown): boolean;
}

const GUARDS: readonly Guard[] = [
  // Stricter is no better: what the user's hooks do when they fail is theirs to say.
  {
    path: ["engine", "on_error"],
    forHooks: true,
    loosens: isOther,
    weakens: (found) => found === "open",
  },
  { path: ["engine", "test_on_reload"], forHooks: false, loosens: (found) => found === false },
  // Below its limits a post hook, a redaction say, fails and is passed over.
  { path: ["engine", "max_depth"], forHooks: true, loosens: isLower },
  { path: ["engine", "max_payload_mb"], forHooks: true, loosens: isLower },
  // Raised, it keeps a coding agent waiting; lowered, the user's own hooks would not load.
  { path: ["engine", "load_ms"], forHooks: "always", loosens: isOther },
  { path: ["lua", "max_run_ms"], forHooks: true, loosens: isLower },
  { path: ["lua", "max_chain_ms"], forHooks: true, loosens: isLower },
  { path: ["lua", "memory_mb"], forHooks: true, loosens: isLower },
  {
    path: ["lua", "isolation"],
    forHooks: false,
    loosens: isOther,
    weakens: (found) => found === "thread",
  },
  {
    path: ["hil", "mode"],
    forHooks: false,
    loosens: isOther,
    weakens: (found) => found !== "deny",
  },
  { path: ["hil", "timeout_ms"], forHooks: false, loosens: isHigher },
  { path: ["hosts", "ask"], forHooks: true, loosens: (found) => found === "pass" },
  { path: ["hosts", "rewrite"], forHooks: true, loosens: (found) => found === "approve" },
  { path: ["serve", "port"], forHooks: true, loosens: isOther, weakens: isOtherThanSet },
  // A state that a project brings could say that the user's hooks with `once` have run.
  { path: ["paths", "state"], forHooks: true, loosens: isOther, weakens: isOtherThanSet },
  // Where decisions are kept, which of them and how well: the user's own among them.
  { path: ["paths", "audit"], forHooks: true, loosens: isOther, weakens: isOtherThanSet },
  { path: ["audit", "level"], forHooks: true, loosens: isEarlierIn(AUDIT_LEVELS) },
  { path: ["audit", "fsync"], forHooks: true, loosens: isEarlierIn(FSYNC_POLICIES) },
  { path: ["audit", "on_error"], forHooks: true, loosens: (found) => found === "open" },
  { path: ["audit", "max_mb"], forHooks: true, loosens: isLower },
  {
    path: ["audit", "keep"],
    forHooks: true,
    loosens: (found) => typeof found === "number",
    weakens: isFewer,
  },
  { path: ["paths", "snapshots"], forHooks: false, loosens: isOther },
  { path: ["trust", "untrusted"], forHooks: false, loosens: (found) => found === "warn" },
  { path: ["permissions", "root"], forHooks: false, loosens: isOutside },
  { path: ["permissions", "capabilities"], forHooks: false, loosens: hasMore },
  { path: ["permissions", "env"], forHooks: false, loosens: hasMore },
  // Where the user states none, commands need none: whatever a project states is less.
  { path: ["permissions", "grants"], forHooks: false, loosens: grantsMore },
];

/** Whose settings are held against others. */
interface Above {
  readonly loosens: (guard: Guard, found: unknown, held: unknown) => boolean;
  readonly message: string;
}

const PROJECT: Above = {
  loosens: (guard, found, held) => guard.loosens(found, held),
  message: "a project cannot loosen what your own configuration says: ignored",
};
const ENVIRONMENT: Above = {
  loosens: (guard, found, held) =>
    guard.weakens === undefined ? guard.loosens(found, held) : guard.weakens(found, held),
  message: "a variable of the environment cannot loosen what the configuration says: ignored",
};

/** What the user's own configuration says. */
interface Held {
  readonly settings: SettingsTable;
  readonly hasHooks: boolean;
}

/**
 * The settings of a configuration found in a project without those that would loosen what the user's
 * own says or disarm the user's hooks; each is a warning (ORCS1016).
 */
export function withoutLoosening(found: SettingsTable, held: Held): Tightened {
  return tightened(found, held, PROJECT);
}

/**
 * What variables `ORCS_<SECTION>_<KEY>` say without that which would loosen what the configuration says, or its
 * defaults; each is a warning (ORCS1016).
 * @param held what all files say
 */
export function withoutWeakening(found: SettingsTable, held: SettingsTable): Tightened {
  return tightened(found, { settings: held, hasHooks: true }, ENVIRONMENT);
}

/** Settings that loosen nothing, and a warning for each that is not among them. */
interface Tightened {
  readonly settings: SettingsTable;
  readonly warnings: Mistake[];
}

function tightened(found: SettingsTable, held: Held, above: Above): Tightened {
  const settings: Record<string, unknown> = { ...found, ...joinedRedact(found, held.settings) };
  const warnings: Mistake[] = [];
  for (const guard of GUARDS) {
    const { path } = guard;
    const [section, key] = path;
    const value = valueAt(found, path);
    const set = valueAt(held.settings, path);
    const guarded =
      set !== undefined || guard.forHooks === "always" || (guard.forHooks && held.hasHooks);
    if (value === undefined || !guarded) continue;
    const before = set ?? valueAt(DEFAULT_SETTINGS, path);
    const under = settings[section];
    if (value === before || !above.loosens(guard, value, before) || !isTable(under)) continue;
    settings[section] = { ...under, [key]: undefined };
    const { message } = above;
    warnings.push({ code: "ORCS1016", severity: "warning", path, at: "value", message });
  }
  return { settings, warnings };
}

/** What the user wants masked stays masked, whatever a project adds. */
function joinedRedact({ redact }: SettingsTable, held: SettingsTable): SettingsTable {
  if (!redact) return {};
  const { keys = [], patterns = [] } = held.redact ?? {};
  return {
    redact: {
      keys: [...new Set([...keys, ...(redact.keys ?? [])])],
      patterns: [...new Set([...patterns, ...(redact.patterns ?? [])])],
    },
  };
}

function isLower(found: unknown, held: unknown): boolean {
  return typeof found === "number" && typeof held === "number" && found < held;
}

/** Whether a word stands before the one that holds, in a list from the weakest to the strongest. */
function isEarlierIn(words: readonly unknown[]): Guard["loosens"] {
  return (found, held) => words.indexOf(found) < words.indexOf(held);
}

function isHigher(found: unknown, held: unknown): boolean {
  return typeof found === "number" && typeof held === "number" && found > held;
}

function isOther(found: unknown, held: unknown): boolean {
  return found !== held;
}

/** Where nothing is set, nothing is moved. */
function isOtherThanSet(found: unknown, held: unknown): boolean {
  return held !== undefined && found !== held;
}

function isFewer(found: unknown, held: unknown): boolean {
  return held === undefined || isLower(found, held);
}

function isOutside(found: unknown, held: unknown): boolean {
  const way = relative(String(held), String(found));
  return way === ".." || way.startsWith(`..${sep}`);
}

function grantsMore(found: unknown, held: unknown): boolean {
  return Array.isArray(found) && Array.isArray(held) && !grantsNothingMore(found, held);
}

function hasMore(found: unknown, held: unknown): boolean {
  return Array.isArray(found) && Array.isArray(held) && found.some((name) => !held.includes(name));
}
