#!/usr/bin/env node
// agent1_logging.py for machines without Python.
import { appendFileSync, readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));
appendFileSync("agent1.log", `${event.tool_name}: ${event.tool_output}\n`);
const inject = { content: `noted: ${event.tool_name}`, strategy: "tool_result" };
console.log(JSON.stringify({ allowed: true, inject }));
