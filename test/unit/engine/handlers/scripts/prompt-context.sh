#!/bin/sh
# UserPromptSubmit hook for Claude Code: what is printed becomes context.
grep -q '"hook_event_name":"UserPromptSubmit"' || exit 1
echo "Branch: ${BRANCH:-main}"
echo "Directory: $(pwd -P)"
