import { USUAL } from "../agent-spec.ts";
import type { HostSpec } from "../agent-spec.ts";

/** GitHub Copilot CLI. `agentVariables` were recorded with a tool that runs `env`: 1.0.102. */
export const COPILOT_AGENT: HostSpec = {
  ...USUAL,
  label: "GitHub Copilot CLI",
  program: "copilot",
  source: { read: "its hooks reference", protocol: "its own", tried: "1.0.102" },
  load: async () => (await import("./host.ts")).copilotHost,
  agentVariables: ["COPILOT_AGENT_SESSION_ID", "COPILOT_CLI"],
  projectVariable: "COPILOT_PROJECT_DIR",
  settingsVariable: "COPILOT_HOME",
  commandVariables: ["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  shell: () => ["bash", "-c"],
  folder: ".copilot",
  file: "hooks/orcs.json",
  others: ["settings.json"],
  plugins: { folder: "installed-plugins", hooks: "hooks.json" },
  // From its hooks reference: policy hooks, also for macOS. There an entry under a shared name of an event has to have
  // these keys: with `command`, 1.0.102 denies every call ("hook errored").
  machine: {
    folder: { linux: "/etc/github-copilot", darwin: "/etc/github-copilot" },
    file: "policy.d/orcs.json",
    others: [],
    ignoresSwitches: true,
    keys: { command: "bash", timeout: "timeoutSec" },
  },
  inProject: {
    folder: ".github",
    others: ["copilot/settings.json", "copilot/settings.local.json"],
    when: "in folders that you trust in Copilot CLI",
  },
  readsFolder: true,
  top: { version: 1 },
  // It reads the folder of the repository, wherever in it it is started.
  onlyThere: false,
  isGrouped: false,
  // A tool call is denied when the command fails, and not when it is late, whatever the settings say. Of a code, its
  // user is shown only the number.
  notDeniedByExit: ["PreToolUse", "PermissionRequest"],
  importing: { ...USUAL.importing, typeIsOptional: true },
};
