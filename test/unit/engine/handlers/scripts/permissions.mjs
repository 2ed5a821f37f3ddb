#!/usr/bin/env node
// PreToolUse hook for Claude Code: secrets are out of bounds, pushes are asked for, installs are pinned.
import { readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));
const { file_path: file = "", command = "" } = event.tool_input;

function answer(hookSpecificOutput) {
  console.log(
    JSON.stringify({
      hookSpecificOutput: { hookEventName: event.hook_event_name, ...hookSpecificOutput },
      suppressOutput: true,
    }),
  );
  process.exit(0);
}

if (["Read", "Edit", "Write"].includes(event.tool_name) && /(^|\/)\.env/.test(file)) {
  answer({ permissionDecision: "deny", permissionDecisionReason: `${file} holds secrets` });
}
if (event.tool_name === "Write" && file.startsWith("/tmp/")) {
  answer({
    permissionDecision: "allow",
    updatedInput: { ...event.tool_input, file_path: file.replace("/tmp/", "./scratch/") },
  });
}
if (event.tool_name === "Bash" && command.startsWith("git push")) {
  answer({ permissionDecision: "ask", permissionDecisionReason: "Pushing is for people" });
}
