#!/usr/bin/env node
// custom_write_hook.py for machines without Python.
import { readFileSync } from "node:fs";

const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
const { path } = tool_input;
const answer = path.startsWith("/")
  ? { allowed: false, decision: "deny", reason: `absolute path: ${path}` }
  : { allowed: true, updated_input: { ...tool_input, path: `work/${path}` }, inject: null };
console.log(JSON.stringify(answer));
