import type { ConfigError } from "./config-error.ts";
import type { LooseningRule } from "./setting-rules.ts";
import { DEFAULT_SETTINGS, enforcementRules, sectionSettings } from "./settings.ts";
import type { SettingsTable } from "./settings.ts";
import { isTable, valueAt, withoutKey } from "./table.ts";

/** The settings to compare with. */
interface Above {
  readonly loosens: (rule: LooseningRule, found: unknown, held: unknown) => boolean;
  readonly message: string;
}

const PROJECT: Above = {
  loosens: (rule, found, held) => rule.loosens(found, held),
  message: "ignored: a project cannot loosen your own settings",
};
const ENVIRONMENT: Above = {
  loosens: (rule, found, held) => (rule.weakens ?? rule.loosens)(found, held),
  message: "ignored: an environment variable cannot loosen the settings of the configuration",
};

/** The user's own configuration. */
interface Held {
  readonly settings: SettingsTable;
  readonly hasHooks: boolean;
}

/**
 * The settings of a discovered project, without those that would loosen the user's own or disarm the user's hooks; each
 * of these is a warning (ORCS1016).
 */
export function withoutLoosening(found: SettingsTable, held: Held): Tightened {
  return tightened(found, held, PROJECT);
}

/**
 * The settings in variables `ORCS_<SECTION>_<KEY>`, without those that would loosen the configuration or its defaults;
 * each of these is a warning (ORCS1016).
 * @param held the settings of all files
 */
export function withoutWeakening(found: SettingsTable, held: SettingsTable): Tightened {
  return tightened(found, { settings: held, hasHooks: true }, ENVIRONMENT);
}

/** What the configuration of the machine enforces. */
export interface Enforced {
  /** Its settings, if it enforces them. */
  readonly settings: SettingsTable;
  /** Its settings, enforced or not. */
  readonly stated: SettingsTable;
  readonly hasHooks: boolean;
}

/**
 * The settings of a configuration, without those that would loosen what the machine enforces; each of these is a warning
 * (ORCS1016).
 */
export function withoutReleasing(found: SettingsTable, enforced: Enforced): Tightened {
  const { settings: held, stated, hasHooks } = enforced;
  const isAny = hasHooks || Object.keys(held).length > 0;
  if (!isAny) return { settings: found, warnings: [] };
  let settings: SettingsTable = { ...found, ...joinedRedact(found, held) };
  const warnings: ConfigError[] = [];
  for (const { path, rule, oneDecision } of enforcementRules()) {
    const value = valueAt(found, path);
    if (value === undefined) continue;
    const set = valueAt(held, path);
    const isFixed = oneDecision !== undefined && valueAt(held, [oneDecision]) !== undefined;
    const applies =
      set !== undefined || rule.when === "always" || (rule.when === "hooks" && hasHooks);
    const before = set ?? valueAt(stated, path) ?? valueAt(DEFAULT_SETTINGS, path);
    if (!isFixed && !(applies && value !== before && rule.loosens(value, before))) continue;
    settings = withoutKey(settings, path) as SettingsTable;
    const message = "ignored: it would loosen what the configuration of this machine enforces";
    warnings.push({ code: "ORCS1016", severity: "warning", path, at: "value", message });
  }
  return { settings, warnings };
}

/** The remaining settings, and a warning for each removed one. */
interface Tightened {
  readonly settings: SettingsTable;
  readonly warnings: ConfigError[];
}

function tightened(found: SettingsTable, held: Held, above: Above): Tightened {
  const settings: Record<string, unknown> = { ...found, ...joinedRedact(found, held.settings) };
  const warnings: ConfigError[] = [];
  for (const { path, setting } of sectionSettings()) {
    const { project: rule } = setting;
    if (typeof rule === "string") continue;
    const [section, key] = path;
    const value = valueAt(found, path);
    const set = valueAt(held.settings, path);
    const applies =
      set !== undefined || rule.when === "always" || (rule.when === "hooks" && held.hasHooks);
    if (value === undefined || !applies) continue;
    const before = set ?? valueAt(DEFAULT_SETTINGS, path);
    const under = settings[section];
    if (value === before || !above.loosens(rule, value, before) || !isTable(under)) continue;
    settings[section] = { ...under, [key]: undefined };
    const { message } = above;
    warnings.push({ code: "ORCS1016", severity: "warning", path, at: "value", message });
  }
  return { settings, warnings };
}

/** What the user redacts stays redacted, whatever a project adds. */
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
