import { asRegex, type SettingsSpec } from "../settings-spec.ts";

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

/** How its settings are read. */
export const QWEN_SETTINGS: SettingsSpec = {
  switches: [{ path: ["disableAllHooks"], otherwise: false, off: true }],
  offByName: ["hooksConfig", "disabled"],
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
};
