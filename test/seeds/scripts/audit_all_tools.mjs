#!/usr/bin/env node
// audit_all_tools.py for machines without Python.
import { appendFileSync, readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));
appendFileSync(
  "audit.log",
  `${process.env.MASSGEN_HOOK_TYPE} ${event.agent_id ?? "None"} ${event.tool_name}\n`,
);
console.log("{}");
