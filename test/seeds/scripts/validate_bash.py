"""A hook of cocode's: refuses what removes everything, and keeps pip out of the system."""

import json
import sys

context = json.load(sys.stdin)
tool_input = context["tool_input"]
command = tool_input["command"]
if "rm -rf" in command:
    print(json.dumps({"Reject": {"reason": "validate_bash: " + command}}))
elif command.startswith("pip "):
    print(json.dumps({"ModifyInput": {"new_input": {**tool_input, "command": "python -m " + command}}}))
else:
    print(json.dumps("Continue"))
