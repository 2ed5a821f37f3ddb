import { matchNames, USUAL, words, type HostSpec } from "../agent-spec.ts";

/** Claude Code. `agentVariables` were recorded with a tool that runs `env`: 2.1.197. */
export const CLAUDE_CODE: HostSpec = {
  ...USUAL,
  label: "Claude Code",
  program: "claude",
  source: { read: "types of its SDK 0.3.330", protocol: "its own", tried: "2.1.197" },
  packageFolder: "claude-code",
  headless: ["-p", "--print"],
  unhooked: words("--bare --safe-mode --setting-sources --settings"),
  load: async () => (await import("./host.ts")).claudeCodeHost,
  agentVariables: ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"],
  projectVariable: "CLAUDE_PROJECT_DIR",
  settingsVariable: "CLAUDE_CONFIG_DIR",
  commandVariables: ["CLAUDE_PROJECT_DIR"],
  hookVariables: [
    ...words("CLAUDE_ENV_FILE CLAUDE_PLUGIN_ROOT CLAUDE_PLUGIN_DATA CLAUDE_CODE_REMOTE"),
    ...words("CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID"),
  ],
  settingsReload: { when: "running", event: "ConfigChange" },
  folder: ".claude",
  file: "settings.json",
  others: ["settings.local.json"],
  // It keeps older versions beside the installed one, and lists it.
  plugins: { folder: "plugins", list: "installed_plugins.json", hooks: "hooks/hooks.json" },
  // Read in its program, 2.1.197: files in the drop-in folder are merged, and hooks in them survive disableAllHooks.
  machine: {
    folder: { linux: "/etc/claude-code", darwin: "/Library/Application Support/ClaudeCode" },
    file: "managed-settings.d/orcs.json",
    others: ["managed-settings.json"],
    ignoresSwitches: true,
  },
  failClosed: { onFailure: "block" },
  notDeniedByExit: ["PermissionRequest"],
  // It does not send SessionStart over HTTP, and denies at every failure if an entry has `onFailure` (2.1.330: nobody
  // listens, any status but 2xx, no JSON, an incomplete response, a timeout).
  http: {
    minVersion: "2.1.295",
    events: [
      ...words("PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest"),
      ...words("PermissionDenied SubagentStart SubagentStop Stop SessionEnd"),
    ],
    begins: ["SessionStart", "UserPromptSubmit"],
    changes: "ConfigChange",
    ends: "SessionEnd",
    variables: "env",
  },
  settings: {
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
  },
};
