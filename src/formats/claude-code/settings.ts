import { words } from "../agent-spec.ts";
import { matchNames, type SettingsSpec } from "../settings-spec.ts";

/** How its settings are read. */
export const CLAUDE_SETTINGS: SettingsSpec = {
  switches: [
    { path: ["disableAllHooks"], otherwise: false, off: true },
    { path: ["allowManagedHooksOnly"], otherwise: false },
  ],
  // Some run something, or add hooks.
  decisive: words(
    "enabledPlugins extraKnownMarketplaces apiKeyHelper awsAuthRefresh awsCredentialExport otelHeadersHelper",
  ),
  types: {
    object: "permissions env hooks statusLine enabledPlugins mcpServers",
    string: "model outputStyle language",
    number: "cleanupPeriodDays",
    boolean: "includeCoAuthoredBy alwaysThinkingEnabled",
  },
  harmlessVariables:
    /^(?:ANTHROPIC_MODEL|ANTHROPIC_SMALL_FAST_MODEL|ANTHROPIC_DEFAULT_\w+_MODEL|(?:BASH|MCP)_\w*TIMEOUT\w*|BASH_MAX_OUTPUT_LENGTH|MAX_\w+_TOKENS|CLAUDE_CODE_MAX_OUTPUT_TOKENS|DISABLE_(?:TELEMETRY|AUTOUPDATER|ERROR_REPORTING|COST_WARNINGS|BUG_COMMAND|NON_ESSENTIAL_MODEL_CALLS))$/,
  matchers: {
    ignoredAt: ["UserPromptSubmit", "Stop"],
    translate(pattern) {
      if (!/^[\w\- ,|]*$/.test(pattern)) return { match: { tool_regex: pattern } };
      return matchNames(pattern.split(/[|,]/));
    },
  },
};
