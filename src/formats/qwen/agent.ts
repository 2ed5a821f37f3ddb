import { INTERACTIVE, USUAL } from "../agent-spec.ts";
import type { HostSpec } from "../agent-spec.ts";

/** Qwen Code. `agentVariables` were recorded with a tool that runs `env`: 0.24.4. */
export const QWEN_AGENT: HostSpec = {
  ...USUAL,
  label: "Qwen Code",
  program: "qwen",
  source: {
    read: "the hook documentation in its package, 0.24.4",
    protocol: "Claude Code's, without `updatedInput` and `updatedToolOutput`",
    tried: "0.24.4",
  },
  packageFolder: "qwen-code",
  attended: INTERACTIVE,
  load: async () => (await import("./host.ts")).qwenHost,
  agentVariables: ["QWEN_CODE"],
  projectVariable: "QWEN_PROJECT_DIR",
  settingsVariable: "QWEN_HOME",
  commandVariables: ["QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"],
  shell: () => ["bash", "-c"],
  folder: ".qwen",
  file: "settings.json",
  isStrictJson: false,
  entry: { name: "orcs", type: "command" },
  noticeEvent: "Stop",
  // The approval of another hook wins over the code.
  notDeniedByExit: ["PreToolUse", "PermissionRequest"],
};
