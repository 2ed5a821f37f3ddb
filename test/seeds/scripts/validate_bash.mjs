// validate_bash.py for machines without Python.
import { readFileSync } from "node:fs";

const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
const { command } = tool_input;
if (command.includes("rm -rf")) {
  console.log(JSON.stringify({ Reject: { reason: `validate_bash: ${command}` } }));
} else if (command.startsWith("pip ")) {
  const new_input = { ...tool_input, command: `python -m ${command}` };
  console.log(JSON.stringify({ ModifyInput: { new_input } }));
} else {
  console.log(JSON.stringify("Continue"));
}
