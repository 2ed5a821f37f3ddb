import type { SettingsSpec } from "../settings-spec.ts";

/**
 * Events of Cursor about a part of the calls that `preToolUse` reports. Commands for the first two find there what they
 * look for.
 */
const PARTS = {
  beforeShellExecution: { tool: "exec", matches: "command" },
  beforeReadFile: { tool: "read" },
  beforeMCPExecution: {
    reason: "its command would get calls in the form of preToolUse: move it there",
  },
  beforeTabFileRead: { reason: "orcs cannot distinguish what Tab reads from what the agent reads" },
} as const;

/** How its settings are read. */
export const CURSOR_SETTINGS: SettingsSpec = {
  types: { number: "version" },
  matchers: {
    parts: PARTS,
    translate: (pattern) => ({ match: { tool_regex: pattern } }),
  },
};
