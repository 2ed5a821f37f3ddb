import type { ConfigError } from "./config-error.ts";
import { DEFAULT_SETTINGS, layerRules, mergeSettings, type SettingsTable } from "./settings.ts";
import { valueAt, withoutKey } from "./table.ts";

/** What another configuration must not loosen: usually the user's own. */
export interface Held {
  readonly settings: SettingsTable;
  readonly hasHooks: boolean;
}

/** What the configuration of the machine enforces. */
export interface Enforced {
  /** Its settings, if it enforces them. */
  readonly settings: SettingsTable;
  /** Its settings, enforced or not. */
  readonly stated: SettingsTable;
  readonly hasHooks: boolean;
}

/** The remaining settings, and a warning (ORCS1016) for each removed one. */
interface Tightened {
  readonly settings: SettingsTable;
  readonly warnings: ConfigError[];
}

const MESSAGES = {
  project: "ignored: a project cannot loosen your own settings",
  environment: "ignored: an environment variable cannot loosen the settings of the configuration",
  machine: "ignored: it would loosen what the configuration of this machine enforces",
} as const;

/** The settings of a configuration, without those that would loosen what the machine enforces. */
export function withoutReleasing(found: SettingsTable, enforced: Enforced): Tightened {
  const isAny = enforced.hasHooks || Object.keys(enforced.settings).length > 0;
  if (!isAny) return { settings: found, warnings: [] };
  return tightened("machine", found, enforced, enforced.stated);
}

/**
 * The settings of a project, or in variables `ORCS_<SECTION>_<KEY>`, without those that would loosen others or disarm
 * their hooks.
 * @param above whose rules apply
 * @param stated what counts, besides the defaults, where those above have set nothing
 */
export function tightened(
  above: keyof typeof MESSAGES,
  found: SettingsTable,
  { settings: held, hasHooks }: Held,
  stated: SettingsTable = {},
): Tightened {
  let settings: SettingsTable = { ...found, ...joinedRedact(found, held) };
  const warnings: ConfigError[] = [];
  const otherwise = mergeSettings(DEFAULT_SETTINGS, stated);
  for (const { path, rule, oneDecision } of layerRules(above)) {
    const value = valueAt(found, path);
    if (value === undefined) continue;
    const set = valueAt(held, path);
    const isFixed = oneDecision !== undefined && valueAt(held, [oneDecision]) !== undefined;
    const applies =
      set !== undefined || rule.when === "always" || (rule.when === "hooks" && hasHooks);
    const before = set ?? valueAt(otherwise, path);
    if (!isFixed && !(applies && value !== before && rule.loosens(value, before))) continue;
    settings = withoutKey(settings, path) as SettingsTable;
    const message = MESSAGES[above];
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
