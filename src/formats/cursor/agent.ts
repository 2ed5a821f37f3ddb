import { USUAL, words, type HostSpec } from "../agent-spec.ts";

/**
 * Cursor. `agentVariables` are from its documentation; `CURSOR_TRACE_ID` is not listed, because it is also set in its
 * user's own terminals.
 */
export const CURSOR_AGENT: HostSpec = {
  ...USUAL,
  label: "Cursor",
  program: "cursor-agent",
  source: { read: "its documentation, and types that others published", protocol: "its own" },
  headless: ["-p", "--print"],
  load: async () => (await import("./host.ts")).cursorHost,
  agentVariables: ["CURSOR_AGENT"],
  projectVariable: "CURSOR_PROJECT_DIR",
  commandVariables: words(
    "CURSOR_PROJECT_DIR CURSOR_VERSION CURSOR_USER_EMAIL CURSOR_TRANSCRIPT_PATH CLAUDE_PROJECT_DIR",
  ),
  folder: ".cursor",
  file: "hooks.json",
  // From its documentation.
  machine: {
    folder: { linux: "/etc/cursor", darwin: "/Library/Application Support/Cursor" },
    file: "hooks.json",
    others: [],
    ignoresSwitches: true,
  },
  top: { version: 1 },
  isGrouped: false,
  entry: {},
  // Not all versions show a `user_message` without a denial.
  noticeEvent: "preToolUse",
  noticeDenies: true,
  failClosed: { failClosed: true },
  importing: { typeIsOptional: true, takesUninstalled: true, runsInSettings: true },
  settings: {
    types: { number: "version" },
    matchers: {
      // Of a part of the calls that `preToolUse` reports. Commands for the first two find there what they look for.
      parts: {
        beforeShellExecution: {
          tool: "exec",
          matches: "command",
          differs: "it runs at preToolUse, where Cursor cannot ask: a question denies",
        },
        beforeReadFile: { tool: "read" },
        beforeMCPExecution: {
          reason: "its command would get calls in the form of preToolUse: move it there",
        },
        beforeTabFileRead: {
          reason: "orcs cannot distinguish what Tab reads from what the agent reads",
        },
      },
      translate: (pattern) => ({ match: { tool_regex: pattern } }),
    },
  },
};
