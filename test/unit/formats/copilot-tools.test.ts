import { AGENT_TOOLS } from "../../../src/core/agent-tools.ts";
import { describe, expect, it } from "vitest";
import {
  fromCopilotInput,
  fromCopilotName,
  rewrittenInput,
  toCopilotInput,
  toCopilotName,
} from "../../../src/formats/copilot/tools.ts";

const TOOLS = ["exec", "read", "write", "edit", "grep", "glob", "http"];
const OTHERS = ["task", "constructor", "__proto__", "toString", "", "shell"];
const PATCH = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch";

describe("tool names and arguments in Copilot CLI", () => {
  it.each([
    ["bash", { command: "ls" }, "exec", { command: "ls" }],
    ["Bash", { command: "ls" }, "exec", { command: "ls" }],
    ["powershell", { command: "ls" }, "exec", { command: "ls" }],
    ["view", { path: "a" }, "read", { path: "a" }],
    ["Read", { file_path: "a" }, "read", { path: "a" }],
    ["create", { path: "a", file_text: "x" }, "write", { path: "a", content: "x" }],
    ["edit", { path: "a", old_str: "x" }, "edit", { path: "a", old_string: "x" }],
    ["Grep", { pattern: "x", paths: "src" }, "grep", { pattern: "x", path: "src" }],
    ["web_fetch", { url: "https://a" }, "http", { url: "https://a" }],
    ["task", { prompt: "a" }, "task", { prompt: "a" }],
    ["apply_patch", PATCH, "edit", { path: ["a.txt"], patch: PATCH }],
    ["task", "some text", "task", { value: "some text" }],
  ])("%s %j", (name, input, tool, args) => {
    expect([fromCopilotName(name), fromCopilotInput(tool, input)]).toEqual([tool, args]);
    const sent = typeof input === "string" ? undefined : input;
    if (tool !== "task") expect(toCopilotInput(tool, args, sent)).toEqual(input);
  });

  it.each([
    ["my-server-say_it", "mcp__my-server__say_it"],
    ["my-server/say_it", "mcp__my-server__say_it"],
    ["github-create_issue", "mcp__github__create_issue"],
    ["-x", "-x"],
  ])("a tool of an MCP server: %s", (name, expected) => {
    expect(fromCopilotName(name)).toBe(expected);
  });

  it("each tool name maps to one and back", () => {
    for (const [name, { tool }] of Object.entries(AGENT_TOOLS.copilot)) {
      expect(fromCopilotName(name)).toBe(tool);
    }
    for (const tool of TOOLS) {
      expect(fromCopilotName(toCopilotName(tool))).toBe(tool);
      expect(fromCopilotName(toCopilotName(tool, "shared"))).toBe(tool);
    }
    for (const name of OTHERS) {
      expect([toCopilotName(name), fromCopilotName(name)]).toEqual([name, name]);
    }
    expect(toCopilotName("mcp__github__create_issue")).toBe("github-create_issue");
    expect(toCopilotName("mcp__a__b__c", "permission")).toBe("a/b__c");
  });

  it.each([
    ["edit", PATCH, { path: ["a.txt"], patch: 5 }],
    ["edit", PATCH, { path: ["b.txt"], patch: PATCH }],
    ["edit", PATCH, { path: ["a.txt"], patch: PATCH, mode: "x" }],
    ["task", "text", { value: "text", more: 1 }],
    ["task", "text", {}],
  ])("a change of %s that a text cannot hold is refused", (tool, sent, after) => {
    expect(rewrittenInput(tool, sent, after as never)).toMatchObject({ ok: false });
  });
});
