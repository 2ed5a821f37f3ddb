#!/usr/bin/env python3
"""A hook of MassGen's: notes every tool call, and has nothing to say about it."""

import json
import os
import sys

event = json.load(sys.stdin)
with open("audit.log", "a") as log:
    log.write(f"{os.environ['MASSGEN_HOOK_TYPE']} {event['agent_id']} {event['tool_name']}\n")
print("{}")
