import { USUAL, words } from "../agent-spec.ts";
import type { HostSpec } from "../agent-spec.ts";

/**
 * Codex. `agentVariables` were recorded with a tool that runs `env` (0.169.0); `CODEX_SANDBOX*` is set where it has a
 * sandbox.
 */
export const CODEX_AGENT: HostSpec = {
  ...USUAL,
  label: "Codex",
  program: "codex",
  source: { read: "schemas of 0.169", protocol: "its own", tried: "0.169.0" },
  headless: ["exec", "e"],
  unhooked: ["--ignore-user-config"],
  load: async () => (await import("./host.ts")).codexHost,
  agentVariables: words(
    "CODEX_THREAD_ID CODEX_TOOL_CALL_ID CODEX_CI CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED",
  ),
  settingsVariable: "CODEX_HOME",
  commandVariables: [],
  hookVariables: ["PLUGIN_ROOT", "PLUGIN_DATA"],
  shell: (own) => [own, "-lc"],
  settingsReload: { when: "start" },
  folder: ".codex",
  file: "hooks.json",
  others: ["config.toml"],
  // Read in its source (codex-rs/hooks/src/engine/discovery.rs): hooks of this folder are managed, and trusted.
  machine: {
    folder: { linux: "/etc/codex", darwin: "/etc/codex" },
    file: "hooks.json",
    others: ["config.toml"],
    ignoresSwitches: false,
  },
  // It reads every .codex from the root of the repository down to where it is started.
  onlyThere: false,
  next: "Codex runs new and changed hooks once you have trusted them: see /hooks there",
};
