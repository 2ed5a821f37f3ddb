#!/usr/bin/env python3
"""A hook of MassGen's for one agent: notes what its tools gave, and tells the model so."""

import json
import sys

event = json.load(sys.stdin)
with open("agent1.log", "a") as log:
    log.write(f"{event['tool_name']}: {event['tool_output']}\n")
noted = {"content": "noted: " + event["tool_name"], "strategy": "tool_result"}
print(json.dumps({"allowed": True, "inject": noted}))
