import { asRegex, matchNames } from "../matcher-rules.ts";
import type { SettingsSpec } from "../settings-spec.ts";
import { CODEX_TOML } from "./config-toml.ts";

/** Further names of the tool apply_patch in matchers of Codex. */
const PATCH_ALIASES: readonly string[] = ["Edit", "Write"];

/** How its settings are read. */
export const CODEX_SETTINGS: SettingsSpec = {
  toml: CODEX_TOML,
  matchers: {
    ignoredAt: ["UserPromptSubmit", "Stop"],
    translate(pattern) {
      if (/^[\w|]*$/.test(pattern)) {
        const listed = pattern.split("|");
        const isPatch = PATCH_ALIASES.some((alias) => listed.includes(alias));
        return matchNames(isPatch ? [...listed, "apply_patch"] : listed);
      }
      const isPatch = PATCH_ALIASES.some((alias) => asRegex(pattern)?.test(alias) === true);
      return { match: { tool_regex: isPatch ? `(?:${pattern})|^apply_patch$` : pattern } };
    },
  },
};
