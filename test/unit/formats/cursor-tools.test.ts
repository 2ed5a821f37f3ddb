import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fromCursorInput,
  fromCursorName,
  fromMcpName,
  mcpToolName,
  toCursorInput,
  toCursorName,
} from "../../../src/formats/cursor/tools.ts";

const TOOLS = ["exec", "read", "write", "edit", "remove", "grep", "glob", "scan_dir", "http"];
const OTHERS = ["mkdir", "Task", "constructor", "__proto__", "toString", "", "shell"];

describe("tool names and arguments in Cursor", () => {
  it.each([
    ["Shell", { command: "ls", working_directory: "/w" }, "exec", { command: "ls", cwd: "/w" }],
    ["Shell", { command: "ls", cwd: "/w" }, "exec", { command: "ls", cwd: "/w" }],
    ["Read", { file_path: "a" }, "read", { path: "a" }],
    ["Read", { path: "a" }, "read", { path: "a" }],
    ["Write", { file_path: "a", contents: "x" }, "write", { path: "a", content: "x" }],
    ["StrReplace", { path: "a", old_string: "x" }, "edit", { path: "a", old_string: "x" }],
    ["EditNotebook", { target_notebook: "a" }, "edit", { path: "a" }],
    ["Delete", { target_file: "a" }, "remove", { path: "a" }],
    ["Read", { file_path: "", target_file: "a" }, "read", { file_path: "", path: "a" }],
    ["Read", { file_path: null, path: "a" }, "read", { file_path: null, path: "a" }],
    ["Grep", { query: "x", path: "src" }, "grep", { pattern: "x", path: "src" }],
    ["Glob", { glob_pattern: "*", target_directory: "src" }, "glob", { pattern: "*", path: "src" }],
    ["LS", { target_directory: "src" }, "scan_dir", { path: "src" }],
    ["WebFetch", { url: "https://a" }, "http", { url: "https://a" }],
    ["Task", { prompt: "a", path: "b" }, "Task", { prompt: "a", path: "b" }],
    ["MCP:query", { file_path: "a" }, "mcp__unknown__query", { file_path: "a" }],
  ])("%s %j", (name, input, tool, args) => {
    expect([fromCursorName(name), fromCursorInput(tool, input)]).toEqual([tool, args]);
    expect(toCursorInput(tool, args, input)).toEqual(input);
  });

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

  it("arguments with any keys and spellings round-trip", () => {
    const key = fc.oneof(
      fc.constantFrom(
        ..."path file_path target_file target_directory pattern glob_pattern query".split(" "),
        ..."cwd working_directory content contents command __proto__".split(" "),
      ),
      fc.string(),
    );
    const input = fc.array(fc.tuple(key, fc.jsonValue())).map((pairs) => Object.fromEntries(pairs));
    fc.assert(
      fc.property(fc.constantFrom(...TOOLS, ...OTHERS), input, (tool, given) => {
        const sent = JSON.parse(JSON.stringify(given));
        const args = fromCursorInput(tool, sent);
        expect(Object.keys(args)).toHaveLength(Object.keys(given).length);
        expect(JSON.stringify(toCursorInput(tool, args, sent))).toBe(JSON.stringify(given));
      }),
    );
  });
});
