import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromGeminiName, mcpTool, toGeminiName } from "../../../src/formats/gemini/tools.ts";
import { AGENT_TOOLS } from "../../../src/core/agent-tools.ts";
import { swapKeys } from "../../../src/formats/agent-tools.ts";

const TOOLS = ["exec", "read", "write", "edit", "scan_dir", "glob", "grep", "http"];
const OTHERS = ["mkdir", "google_web_search", "constructor", "__proto__", "toString", ""];

describe("tool names and arguments in Gemini CLI", () => {
  it.each([
    [
      "exec",
      { command: "ls", cwd: "src" },
      "run_shell_command",
      { command: "ls", dir_path: "src" },
    ],
    ["read", { path: "a" }, "read_file", { file_path: "a" }],
    ["write", { path: "a", content: "x" }, "write_file", { file_path: "a", content: "x" }],
    ["edit", { path: "a", old_string: "x" }, "replace", { file_path: "a", old_string: "x" }],
    ["scan_dir", { path: "a" }, "list_directory", { dir_path: "a" }],
    ["glob", { pattern: "*", path: "src" }, "glob", { pattern: "*", dir_path: "src" }],
    ["grep", { pattern: "x", path: "src" }, "grep_search", { pattern: "x", dir_path: "src" }],
    ["http", { prompt: "see https://a" }, "web_fetch", { prompt: "see https://a" }],
    ["mcp__a__b", { path: "a" }, "mcp_a_b", { path: "a" }],
    ["google_web_search", { query: "a" }, "google_web_search", { query: "a" }],
  ])("%s %j", (tool, args, name, input) => {
    expect([toGeminiName(tool), swapKeys(AGENT_TOOLS.gemini, tool, args)]).toEqual([name, input]);
    expect(swapKeys(AGENT_TOOLS.gemini, tool, input)).toEqual(args);
  });

  it("each name maps to one and back; the old search name is an alias", () => {
    for (const tool of TOOLS) expect(fromGeminiName(toGeminiName(tool))).toBe(tool);
    expect(new Set(TOOLS.map(toGeminiName)).size).toBe(TOOLS.length);
    for (const name of OTHERS) {
      expect([toGeminiName(name), fromGeminiName(name)]).toEqual([name, name]);
    }
    expect(fromGeminiName("search_file_content")).toBe("grep");
  });

  it.each([
    ["mcp_a_b_c", { server_name: "a_b", tool_name: "c" }, "mcp__a_b__c"],
    ["run_shell_command", { server_name: "s", tool_name: "run" }, "mcp__s__run"],
    ["mcp_a_b", undefined, "mcp_a_b"],
    ["mcp_a_b", { server_name: "a" }, "mcp_a_b"],
    ["write_file", null, "write"],
  ])("%s with %j is %s", (name, context, ours) => {
    expect(fromGeminiName(name, context)).toBe(ours);
  });

  it("names have only characters that the API accepts", () => {
    expect(toGeminiName("mcp__my server__a/b")).toBe("mcp_my_server_a_b");
    expect(mcpTool("mcp__my server__a__b")).toEqual({ server: "my server", tool: "a__b" });
    for (const name of ["mcp__a", "mcp____b", "exec", "x_mcp__a__b"]) {
      expect(mcpTool(name)).toBeUndefined();
    }
  });

  it("a key of the other naming does not hide the real argument", () => {
    const input = { file_path: "/etc/passwd", path: "harmless" };
    expect(swapKeys(AGENT_TOOLS.gemini, "read", input)).toEqual({
      path: "/etc/passwd",
      file_path: "harmless",
    });
  });

  it("arguments with any keys round-trip", () => {
    const key = fc.oneof(
      fc.constantFrom("path", "file_path", "dir_path", "cwd", "command", "__proto__"),
      fc.string(),
    );
    const args = fc.array(fc.tuple(key, fc.jsonValue())).map((pairs) => Object.fromEntries(pairs));
    fc.assert(
      fc.property(fc.constantFrom(...TOOLS, ...OTHERS), args, (tool, given) => {
        const json = JSON.stringify(given);
        const out = swapKeys(AGENT_TOOLS.gemini, tool, JSON.parse(json));
        expect(Object.keys(out)).toHaveLength(Object.keys(given).length);
        expect(JSON.stringify(swapKeys(AGENT_TOOLS.gemini, tool, out))).toBe(json);
      }),
    );
  });
});
