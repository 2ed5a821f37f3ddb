import { describe, expect, test } from "vitest";
import { orcs, PATIENT, project } from "./orcs.ts";

const FILES = {
  "orcs.toml": `
[[hooks]]
id = "first"
point = "tool.pre_execute"
handler_inline = """
ctx.payload.args.command = "echo two"
ctx.payload.args.fresh = { 1, 2 }
ctx.payload.args.old = nil
"""

[[hooks]]
id = "other-tool"
point = "tool.pre_execute"
match = { tool = "read" }
handler_inline = "nil"

[[hooks]]
id = "off"
point = "tool.pre_execute"
enabled = false
handler_inline = "nil"

[[hooks]]
id = "breaks"
point = "tool.pre_execute"
on_error = "open"
handler_inline = 'error("no\\nway")'

[[hooks]]
id = "refuses"
point = "tool.pre_execute"
handler_inline = 'orcs.deny("not today")'

[[hooks]]
id = "late"
point = "tool.pre_execute"
priority = 200
handler_inline = "nil"
${PATIENT}`,
};
const EVENT = ["tool.pre_execute", "tool=exec", "command=echo one", "old=1"];

describe("orcs eval --explain", { concurrent: true }, () => {
  test("shows each hook with its status, position and changes", async () => {
    const { code, stdout } = await orcs(["eval", "--explain", ...EVENT], {
      cwd: await project(FILES),
    });
    const shown = stdout
      .replaceAll(/\d+\.\d\d ms/g, "# ms")
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/));
    expect(shown).toEqual([
      ["tool.pre_execute: abort by refuses: not today"],
      [""],
      ["1", "first", "continue", "# ms", "orcs.toml:6"],
      ['~ /payload/args/command: "echo one" → "echo two"'],
      ["+ /payload/args/fresh = [1,2]"],
      ["- /payload/args/old (was 1)"],
      ["2", "other-tool", "not matched: tool", "orcs.toml:15"],
      ["tool: `exec` does not match `read`"],
      ["3", "off", "disabled", "orcs.toml:21"],
      ["4", "breaks", String.raw`failed: orcs.toml:27: no\nway`, "# ms", "orcs.toml:27"],
      ["5", "refuses", "abort: not today", "# ms", "orcs.toml:32"],
      ["6", "late", "not reached", "orcs.toml:38"],
      [""],
    ]);
    expect(code).toBe(0);
  });

  test("--json prints the outcome with changed values; --fail exits with 1", async () => {
    const args = ["eval", "--explain", ...EVENT, "--json", "--fail"];
    const { code, stdout } = await orcs(args, { cwd: await project(FILES) });
    const told = JSON.parse(stdout) as {
      action: string;
      trace: { id: string; changes?: unknown }[];
    };
    expect(told.action).toBe("abort");
    expect(told.trace[0]).toMatchObject({
      id: "first",
      status: "ran",
      changes: [
        { path: "/payload/args/command", before: "echo one", after: "echo two" },
        { path: "/payload/args/fresh", after: [1, 2] },
        { path: "/payload/args/old", before: 1 },
      ],
    });
    expect(told.trace.map(({ id }) => id)).toEqual([
      "first",
      "other-tool",
      "off",
      "breaks",
      "refuses",
      "late",
    ]);
    expect(code).toBe(1);
  });

  test("at a point without hooks", async () => {
    const { stdout } = await orcs(["eval", "--explain", "session.on_start"], {
      cwd: await project(FILES),
    });
    expect(stdout).toBe("session.on_start: continue\n\nno hooks at this point\n");
  });
});
