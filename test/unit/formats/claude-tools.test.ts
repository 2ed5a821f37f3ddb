import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENT_TOOLS } from "../../../src/core/agent-tools.ts";
import { agentTool, ourTool, swapKeys } from "../../../src/formats/agent-tools.ts";

const TOOLS = ["exec", "read", "write", "edit", "glob", "grep", "http"];
const others = ["mkdir", "mcp__files__read", "Task", "constructor", "__proto__", "toString", ""];

describe("tool names and arguments in Claude Code", () => {
  it.each([
    ["exec", { command: "ls", timeout_ms: 5 }, "Bash", { command: "ls", timeout: 5 }],
    ["read", { path: "a" }, "Read", { file_path: "a" }],
    ["write", { path: "a", content: "x" }, "Write", { file_path: "a", content: "x" }],
    ["edit", { path: "a", old_string: "x" }, "Edit", { file_path: "a", old_string: "x" }],
    ["glob", { pattern: "*", path: "src" }, "Glob", { pattern: "*", path: "src" }],
    ["grep", { pattern: "x", path: "src" }, "Grep", { pattern: "x", path: "src" }],
    ["http", { url: "https://a" }, "WebFetch", { url: "https://a" }],
    ["mcp__a__b", { path: "a" }, "mcp__a__b", { path: "a" }],
    // Claude Code's own names in a host's payload are nobody else's.
    ["Write", { file_path: "a" }, "Write", { file_path: "a" }],
  ])("%s %j", (tool, args, name, input) => {
    expect([
      agentTool(AGENT_TOOLS["claude-code"], tool),
      swapKeys(AGENT_TOOLS["claude-code"], tool, args),
    ]).toEqual([name, input]);
    expect(swapKeys(AGENT_TOOLS["claude-code"], tool, input)).toEqual(args);
  });

  it("each name maps to one and back", () => {
    for (const tool of TOOLS)
      expect(ourTool(AGENT_TOOLS["claude-code"], agentTool(AGENT_TOOLS["claude-code"], tool))).toBe(
        tool,
      );
    expect(new Set(TOOLS.map((tool) => agentTool(AGENT_TOOLS["claude-code"], tool))).size).toBe(
      TOOLS.length,
    );
    for (const name of others)
      expect([
        agentTool(AGENT_TOOLS["claude-code"], name),
        ourTool(AGENT_TOOLS["claude-code"], name),
      ]).toEqual([name, name]);
  });

  it("a key of the other naming does not hide the real argument", () => {
    const args = { path: "/etc/passwd", file_path: "harmless" };
    expect(swapKeys(AGENT_TOOLS["claude-code"], "write", args)).toEqual({
      file_path: "/etc/passwd",
      path: "harmless",
    });
  });

  it("arguments with any keys round-trip", () => {
    const key = fc.oneof(
      fc.constantFrom("path", "file_path", "timeout", "timeout_ms", "command", "__proto__"),
      fc.string(),
    );
    const args = fc.array(fc.tuple(key, fc.jsonValue())).map((pairs) => Object.fromEntries(pairs));
    fc.assert(
      fc.property(fc.constantFrom(...TOOLS, ...others), args, (tool, given) => {
        const json = JSON.stringify(given);
        const out = swapKeys(AGENT_TOOLS["claude-code"], tool, JSON.parse(json));
        expect(Object.keys(out)).toHaveLength(Object.keys(given).length);
        expect(JSON.stringify(swapKeys(AGENT_TOOLS["claude-code"], tool, out))).toBe(json);
      }),
    );
  });
});
