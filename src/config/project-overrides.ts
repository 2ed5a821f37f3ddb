import type { ConfigError } from "./config-error.ts";
import type { LooseningRule } from "./setting-rules.ts";
import { sectionSettings, DEFAULT_SETTINGS } from "./settings.ts";
import type { SettingsTable } from "./settings.ts";
import { isTable, valueAt } from "./table.ts";

/** Whose settings are held against others. */
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
