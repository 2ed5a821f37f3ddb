import type { ConfigError } from "./config-error.ts";
import type { LooseningRule } from "./setting-rules.ts";
import { sectionSettings, DEFAULT_SETTINGS } from "./settings.ts";
import type { SettingsTable } from "./settings.ts";
import { isTable, valueAt } from "./table.ts";

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
