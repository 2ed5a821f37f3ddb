import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codexHost } from "../../../src/formats/codex/host.ts";
import {
  fromCodexCall,
  patchPaths,
  toCodexCall,
  toCodexInput,
} from "../../../src/formats/codex/tools.ts";
import { codexEventOf, patchOf, toolUse } from "./codex-events.ts";

describe("patchPaths", () => {
  it("finds each added, deleted, changed and moved path once", () => {
    const patch = patchOf(
      "*** Add File: a/new.txt",
      "*** Update File: b.txt",
      "*** Move to: c/moved.txt",
      "*** Delete File: /abs/gone.txt",
      "*** Update File: b.txt",
    );
    expect(patchPaths(patch)).toEqual(["a/new.txt", "b.txt", "c/moved.txt", "/abs/gone.txt"]);
  });

  // As Codex 0.169 wrote files: what it takes for a header must be one here.
  it.each([
    ["white space in front", "  *** Add File: q.txt", "q.txt"],
    ["a tab", "\t*** Add File: q.txt", "q.txt"],
    ["a vertical tab", "\v*** Add File: q.txt", "q.txt"],
    ["U+0085", "\u0085*** Add File: q.txt", "q.txt"],
    ["U+0085 behind", "*** Add File: q.txt \u0085 ", "q.txt"],
    ["ends of lines of Windows, twice", "*** Add File: q.txt\r\r", "q.txt"],
    ["a separator of lines in the name", "*** Add File: q\u2028r.txt", "q\u2028r.txt"],
    ["quotes", '*** Add File: "q.txt"', '"q.txt"'],
    ["spaces in the name", "*** Update File: my file.txt", "my file.txt"],
    ["a header in the name", "*** Add File: *** Add File: x", "*** Add File: x"],
  ])("%s", (_name, header, path) => expect(patchPaths(patchOf(header))).toEqual([path]));

  it("finds headers in a here-document, not in file content", () => {
    const patch = `<<'EOF'\n${patchOf("*** Add File: a")}\nEOF`;
    expect(patchPaths(patch)).toEqual(["a"]);
    expect(patchPaths("*** Begin Patch\n*** Add File: a\n+*** Add File: b\n*** End Patch")).toEqual(
      ["a"],
    );
    expect(patchPaths("")).toEqual([]);
  });

  it("takes linear time", () => {
    const long = " ".repeat(1_000_000);
    const started = performance.now();
    for (const line of [
      `*** Add File: ${long}x${long}`,
      `${long}***${long}x`,
      long,
      "*".repeat(1_000_000),
    ]) {
      patchPaths(line);
    }
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("any valid name round-trips", () => {
    const name = fc
      .string({ unit: "binary", minLength: 1 })
      .filter((text) => !text.includes("\n") && !/^[\s\u0085]|[\s\u0085]$/.test(text));
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const patch = patchOf(...names.map((file) => `*** Delete File: ${file}`));
        expect(patchPaths(patch)).toEqual(names);
      }),
    );
  });
});

describe("tool names and arguments in Codex", () => {
  it.each([
    ["Bash", { command: "ls" }, "exec", { command: "ls" }],
    ["Bash", { command: ["ls"] }, "exec", { command: ["ls"] }],
    ["mcp__s__t", { path: "a", command: "b" }, "mcp__s__t", { path: "a", command: "b" }],
    ["view_image", { path: "a" }, "view_image", { path: "a" }],
  ])("%s %j", (name, input, ours, args) => {
    expect(fromCodexCall(name, input)).toEqual({ name: ours, args });
    expect(toCodexCall(ours, args)).toEqual({ name, args: input });
  });

  it("apply_patch has the paths of its patch only", () => {
    const command = patchOf("*** Add File: a");
    const call = fromCodexCall("apply_patch", { command, path: "b", patch: "c" });
    expect(call).toEqual({ name: "edit", args: { path: ["a"], patch: command } });
    expect(toCodexCall("edit", call.args)).toEqual({ name: "apply_patch", args: { command } });
    expect(toCodexCall("edit", { path: "a", old_string: "x" }).name).toBe("edit");
  });

  const patch = patchOf("*** Add File: a");
  const other = patchOf("*** Add File: b");
  const edit = { path: ["a"], patch };
  it.each([
    ["Bash", { command: "a" }, { command: "b" }, { command: "b" }],
    ["Bash", { command: "a" }, { command: 1 }, "no longer a string"],
    ["Bash", { command: "a" }, {}, "no longer a string"],
    ["Bash", { command: "a" }, { command: "b", env: {} }, "env of Bash"],
    ["Bash", { command: "a", cwd: "x" }, { command: "b" }, "cwd of Bash"],
    ["apply_patch", edit, { ...edit, patch: other }, { command: other }],
    ["apply_patch", edit, { path: ["b"], patch: other }, { command: other }],
    ["apply_patch", edit, { path: ["c"], patch: other }, "path of apply_patch"],
    ["apply_patch", edit, { patch }, "path of apply_patch"],
    ["apply_patch", edit, { path: ["a"] }, "no longer a string"],
    ["mcp__s__t", { a: 1 }, { b: 2 }, { b: 2 }],
    ["other", { command: "a" }, { command: null }, "no longer a string"],
  ])("%s: %j rewritten to %j", (name, before, after, expected) => {
    const sent = name === "apply_patch" ? { command: patch } : before;
    const read = toCodexInput(name, sent as never, before as never, after as never);
    if (typeof expected === "string") {
      expect(read.ok ? read.input : read.why).toContain(expected);
    } else expect(read).toMatchObject({ ok: true, input: expected });
  });
});

describe("invalid Codex events", () => {
  it.each([
    [{}, "an event of codex: hook_event_name is missing"],
    [{ hook_event_name: 1 }, "hook_event_name is not of the type string"],
    [{ hook_event_name: "PreToolUse" }, "the event PreToolUse of codex: tool_name is missing"],
    [toolUse("Bash", "ls" as never), "tool_input is not of the type object"],
    [toolUse("apply_patch", { input: "x" }), "tool_input.command is not of the type string"],
    [codexEventOf("UserPromptSubmit", { prompt: null }), "prompt is not of the type string"],
  ])("%j", (event, message) => {
    expect(() => codexHost.decode(event as never)).toThrow(
      expect.objectContaining({ code: "ORCS7001", message: expect.stringContaining(message) }),
    );
  });

  it("an event named like an object property is an ordinary event", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      const decoded = codexHost.decode({ hook_event_name: name });
      expect(decoded).toMatchObject({
        event: name,
        point: "host.pre_event",
        payload: { event: name },
      });
    }
  });

  it("a tool call without arguments has empty args", () => {
    const { payload } = codexHost.decode(toolUse("mcp__s__t", null as never));
    expect(payload["args"]).toEqual({});
  });
});
