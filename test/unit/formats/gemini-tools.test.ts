import { describe, expect, it } from "vitest";
import { fromGeminiName, mcpTool, toGeminiName } from "../../../src/formats/gemini/tools.ts";

const TOOLS = ["exec", "read", "write", "edit", "scan_dir", "glob", "grep", "http"];
const OTHERS = ["mkdir", "google_web_search", "constructor", "__proto__", "toString", ""];

describe("tool names in Gemini CLI", () => {
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
});
