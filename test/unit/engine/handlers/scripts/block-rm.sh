#!/bin/sh
# PreToolUse hook for Claude Code: no recursive deletes.
input=$(cat)
command=$(printf '%s' "$input" | node -e '
  let text = "";
  process.stdin.on("data", (chunk) => (text += chunk));
  process.stdin.on("end", () => process.stdout.write(JSON.parse(text).tool_input.command ?? ""));
')
if printf '%s' "$command" | grep -Eq 'rm[[:space:]]+-[a-z]*r[a-z]*f'; then
  echo "Blocked: '$command' deletes recursively. Use trash instead." >&2
  exit 2
fi
exit 0
