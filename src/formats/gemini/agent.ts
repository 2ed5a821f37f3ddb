import { asRegex, INTERACTIVE, USUAL, words, type HostSpec } from "../agent-spec.ts";

/** Gemini CLI. `agentVariables` were recorded with a tool that runs `env`: 0.61.0. */
export const GEMINI_AGENT: HostSpec = {
  ...USUAL,
  label: "Gemini CLI",
  program: "gemini",
  source: { read: "its source, 0.26", protocol: "its own", tried: "0.61.0" },
  packageFolder: "gemini-cli",
  attended: INTERACTIVE,
  load: async () => (await import("./host.ts")).geminiHost,
  agentVariables: ["GEMINI_CLI"],
  projectVariable: "GEMINI_PROJECT_DIR",
  commandVariables: words("GEMINI_PROJECT_DIR GEMINI_SESSION_ID GEMINI_CWD CLAUDE_PROJECT_DIR"),
  shell: () => ["bash", "-c"],
  settingsReload: { when: "start" },
  folder: ".gemini",
  file: "settings.json",
  plugins: { folder: "extensions", hooks: "hooks/hooks.json" },
  // Read in its source: the lists of each event are joined.
  machine: {
    folder: { linux: "/etc/gemini-cli", darwin: "/Library/Application Support/GeminiCli" },
    file: "settings.json",
    others: ["system-defaults.json"],
    // Names in `hooksConfig.disabled` of a user still count.
    ignoresSwitches: false,
    top: { hooksConfig: { enabled: true } },
  },
  isStrictJson: false,
  perSecond: 1000,
  entry: { name: "orcs", type: "command" },
  hasChildren: false,
  importing: {
    ...USUAL.importing,
    insertsProject: /\$(?:GEMINI|CLAUDE)_PROJECT_DIR\b/g,
  },
  settings: {
    switches: [
      { path: ["hooksConfig"] },
      { path: ["hooksConfig", "enabled"], off: false },
      { path: ["hooks", "disabled"] },
      { path: ["hooks", "enabled"], otherwise: true },
      { path: ["tools", "enableHooks"], otherwise: true },
    ],
    offByName: [words("hooksConfig disabled"), words("hooks disabled")],
    besideEvents: ["enabled", "disabled"],
    types: { object: "tools general ui context security sandbox" },
    matchers: {
      ignoredAt: ["BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"],
      translate(pattern) {
        if (asRegex(pattern)) return { match: { tool_regex: pattern } };
        // Gemini CLI matches a pattern that is not a regular expression literally.
        return { match: { tool_regex: `^${pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$` } };
      },
    },
  },
};
