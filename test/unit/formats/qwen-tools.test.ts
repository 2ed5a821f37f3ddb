import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENT_TOOLS } from "../../../src/core/agent-tools.ts";
import { agentTool, ourTool, swapKeys } from "../../../src/formats/agent-tools.ts";

const names = fc.constantFrom(...Object.keys(AGENT_TOOLS.qwen), "task", "constructor", "__proto__");
const keys = fc.constantFrom("path", "file_path", "notebook_path", "cwd", "directory", "__proto__");

describe("tool names and arguments in Qwen Code", () => {
  it.each([
    ["run_shell_command", { command: "ls", directory: "/a", timeout: 5 }, "exec"],
    ["monitor", { command: "ls", directory: "/a" }, "exec"],
    ["read_file", { file_path: "a" }, "read"],
    ["write_file", { file_path: "a", content: "x" }, "write"],
    ["edit", { file_path: "a", old_string: "x", new_string: "y" }, "edit"],
    ["notebook_edit", { notebook_path: "a" }, "edit"],
    ["list_directory", { path: "a" }, "scan_dir"],
    ["grep_search", { pattern: "x" }, "grep"],
    ["web_fetch", { url: "https://a" }, "http"],
    ["mcp__demo__echo", { message: "hi" }, "mcp__demo__echo"],
  ])("%s %j is %s", (name, input, tool) => {
    expect([ourTool(AGENT_TOOLS.qwen, name), agentTool(AGENT_TOOLS.qwen, tool, name)]).toEqual([
      tool,
      name,
    ]);
    const args = swapKeys(AGENT_TOOLS.qwen, tool, input, name);
    for (const key of ["file_path", "notebook_path", "directory", "timeout"]) {
      expect(args).not.toHaveProperty(key);
    }
    expect(swapKeys(AGENT_TOOLS.qwen, tool, args, name)).toEqual(input);
  });

  it("arguments with any keys round-trip", () => {
    const input = fc.uniqueArray(fc.tuple(keys, fc.string()), { selector: ([key]) => key });
    fc.assert(
      fc.property(names, input, (name, entries) => {
        const sent = JSON.parse(JSON.stringify(Object.fromEntries(entries))) as object;
        const tool = ourTool(AGENT_TOOLS.qwen, name);
        const args = swapKeys(AGENT_TOOLS.qwen, tool, sent as never, name);
        expect(Object.keys(args)).toHaveLength(Object.keys(sent).length);
        expect(swapKeys(AGENT_TOOLS.qwen, tool, args, name)).toEqual(sent);
      }),
    );
  });

  it("a stray key with our name does not stand for the key that the tool reads", () => {
    const args = swapKeys(
      AGENT_TOOLS.qwen,
      "write",
      { path: "/safe", file_path: "/etc" },
      "write_file",
    );
    expect(args).toEqual({ path: "/etc", file_path: "/safe" });
  });

  it("a call of ours goes to the first tool that corresponds to it", () => {
    expect(["exec", "edit", "task"].map((tool) => agentTool(AGENT_TOOLS.qwen, tool))).toEqual([
      "run_shell_command",
      "edit",
      "task",
    ]);
    expect(agentTool(AGENT_TOOLS.qwen, "read", "edit")).toBe("read_file");
  });
});
