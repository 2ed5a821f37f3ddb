import { words } from "../agent-spec.ts";

/** Copilot CLI's own names of the events. Under these it sends no name, and other keys. */
export const COPILOT_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...words("SessionStart PreToolUse PermissionRequest PostToolUse PostToolUseFailure"),
      ...words("SubagentStart SubagentStop PreCompact Notification ErrorOccurred SessionEnd"),
    ].map((name) => [name.charAt(0).toLowerCase() + name.slice(1), name]),
  ),
  userPromptSubmitted: "UserPromptSubmit",
  agentStop: "Stop",
};
