import { asRegex, INTERACTIVE, USUAL, type HostSpec } from "../agent-spec.ts";

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
  importing: {
    ...USUAL.importing,
    insertsProject: /\$(?:GEMINI|CLAUDE)_PROJECT_DIR\b/g,
  },
  settings: {
    switches: [{ path: ["disableAllHooks"], otherwise: false, off: true }],
    offByName: [["hooksConfig", "disabled"]],
    matchers: {
      ignoredAt: ["UserPromptSubmit", "Stop", "PostToolBatch"],
      translate(pattern) {
        // A list, unless it begins as a regular expression: an entry may also be another name of a tool.
        const listed = /^[(^]/.test(pattern)
          ? [pattern]
          : pattern.split("|").flatMap((entry) => entry.trim() || []);
        if (listed.includes("*") || listed.includes(".*")) return { match: {} };
        const regex = listed.join("|");
        if (regex === "") return { reason: "its matcher names no tool" };
        if (!asRegex(regex)) {
          return { reason: "its matcher is no regular expression, so it never runs" };
        }
        const aliased = Object.entries(ALIASES)
          .filter(([, names]) => names.some((name) => listed.includes(name)))
          .map(([tool]) => `^${tool}$`);
        return { match: { tool_regex: [regex, ...aliased].join("|") } };
      },
    },
  },
};

/** Further names of tools in matchers of Qwen Code (0.24.4), which are compared as a whole. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  run_shell_command: ["Shell", "ShellTool", "Bash"],
  edit: ["Edit", "EditTool"],
  notebook_edit: ["NotebookEdit", "NotebookEditTool"],
  write_file: ["WriteFile", "WriteFileTool", "Write"],
  read_file: ["ReadFile", "ReadFileTool", "Read"],
  grep_search: ["Grep", "GrepTool", "SearchFiles", "search_file_content"],
  glob: ["Glob", "GlobTool", "FindFiles"],
  list_directory: ["ListFiles", "ListFilesTool", "ReadFolder"],
  web_fetch: ["WebFetch", "WebFetchTool"],
  web_search: ["WebSearch", "WebSearchTool"],
  agent: ["Agent", "AgentTool", "Task", "TaskTool", "task"],
  skill: ["Skill", "SkillTool"],
};
