import type { PluginAgentSpec } from "../agent-spec.ts";

/**
 * opencode. Source: 1.18.33, its program and its settings folders. It declares `permission.ask`, for which the adapter
 * has a function, and never calls it.
 */
export const OPENCODE_AGENT: PluginAgentSpec = {
  label: "opencode",
  program: "opencode",
  source: {
    read: "types of its plugins, 1.18",
    protocol: "none: a plugin in its process",
    tried: "1.18.33",
  },
  agentVariables: ["OPENCODE_PID", "OPENCODE"],
  userFolder: "opencode",
  projectFolder: ".opencode",
  file: "plugin/orcs.js",
  adapter: "adapters/opencode.js",
  switches: ["OPENCODE_PURE"],
  denying: `{
    "tool.execute.before": async () => {
      throw new Error(why);
    },
    "permission.ask": async (_, output) => {
      output.status = "deny";
    },
  }`,
  trial: `const call = { tool: "bash", sessionID: "orcs-doctor", callID: "orcs-doctor" };
  await hooks["tool.execute.before"]?.(call, { args: { command: "true" } });`,
};
