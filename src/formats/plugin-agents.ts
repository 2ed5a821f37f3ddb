import type { PluginAgentName } from "../core/index.ts";

/**
 * What orcs knows of a coding agent that loads it as a plugin: a file of code in one of the agent's folders, which runs
 * in the agent's own process.
 */
export interface PluginAgentSpec {
  /** Its name in texts. */
  readonly label: string;
  /** The program on the PATH. */
  readonly program: string;
  /** Variables that it sets for the processes of its tools. */
  readonly agentVariables: readonly string[];
  /** Its folder below the user's configuration folder (`XDG_CONFIG_HOME`). */
  readonly userFolder: string;
  /** Its folder in a project. */
  readonly projectFolder: string;
  /** The file of the plugin in these folders. */
  readonly file: string;
  /** The adapter that the file loads, in `dist` of the package. */
  readonly adapter: string;
  /** Variables with which its user turns plugins off. */
  readonly switches: readonly string[];
}

/**
 * The agents with plugins. Source: opencode 1.18.33, its program and its settings folders. It declares `permission.ask`,
 * for which the adapter has a function, and never calls it.
 */
export const PLUGIN_AGENTS: Readonly<Record<PluginAgentName, PluginAgentSpec>> = {
  opencode: {
    label: "opencode",
    program: "opencode",
    agentVariables: ["OPENCODE_PID", "OPENCODE"],
    userFolder: "opencode",
    projectFolder: ".opencode",
    file: "plugin/orcs.js",
    adapter: "adapters/opencode.js",
    switches: ["OPENCODE_PURE"],
  },
};
