#!/usr/bin/env python3
"""A hook of MassGen's for one agent: keeps what it writes in its own folder."""

import json
import sys

event = json.load(sys.stdin)
tool_input = event["tool_input"]
path = tool_input["path"]
if path.startswith("/"):
    print(json.dumps({"allowed": False, "decision": "deny", "reason": "absolute path: " + path}))
else:
    updated = {**tool_input, "path": "work/" + path}
    print(json.dumps({"allowed": True, "updated_input": updated, "inject": None}))
