import { describe, expect, it } from "vitest";
import {
  fromCursorName,
  fromMcpName,
  mcpToolName,
  toCursorName,
} from "../../../src/formats/cursor/tools.ts";

const TOOLS = ["exec", "read", "write", "edit", "remove", "grep", "glob", "scan_dir", "http"];
const OTHERS = ["mkdir", "Task", "constructor", "__proto__", "toString", "", "shell"];

describe("tool names and arguments in Cursor", () => {
  it.each([
    ["MCP:github:create:issue", undefined, "mcp__github__create:issue"],
    ["MCP:create_issue", "github", "mcp__github__create_issue"],
    ["create_issue", "github", "mcp__github__create_issue"],
    ["create_issue", "", "mcp__unknown__create_issue"],
    ["a:b", undefined, "mcp__unknown__a:b"],
    ["MCP::x", undefined, "mcp__unknown__:x"],
    ["mcp__a__b", "other", "mcp__a__b"],
  ])("MCP tool %s of server %s", (name, server, expected) => {
    expect(fromMcpName(name, server)).toBe(expected);
  });

  it("each tool name maps to one and back", () => {
    for (const tool of TOOLS) expect(fromCursorName(toCursorName(tool))).toBe(tool);
    for (const name of OTHERS) {
      expect([toCursorName(name), fromCursorName(name)]).toEqual([name, name]);
    }
    expect([toCursorName("mcp__a__b__c"), mcpToolName("mcp__odd")]).toEqual(["MCP:b__c", "odd"]);
  });
});
