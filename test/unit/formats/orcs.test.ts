import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../src/core/actions.ts";
import { orcsProtocol as orcs } from "../../../src/formats/orcs.ts";
import { aborts, AFTER, callAt, EXEC, exit, GOES_ON, http, told } from "./calls.ts";

const sent = () => orcs.encode(EXEC).body as { payload: Record<string, unknown> };

describe("the orcs protocol", () => {
  it("sends the context", () => {
    expect(orcs.encode(EXEC)).toEqual({
      body: {
        hook_point: "tool.pre_execute",
        component_id: "host::main",
        channel_id: "primary",
        principal: { type: "Host", id: "main" },
        timestamp_ms: 7,
        payload: EXEC.ctx.payload,
        metadata: { seen: 1 },
      },
      env: {},
    });
  });

  it.each([
    ["", "goes on"],
    [" \n", "goes on"],
    ["null", "goes on"],
    ['{"action":"abort","reason":"no"}\n', aborts("no")],
    ['{"action":"skip","result":1}', { action: "skip", result: 1 }],
    ['{"decision":"allow"}', { decision: "allow" }],
    [
      '{"action":"continue","inject":["a"],"stop":true}',
      { action: "continue", inject: ["a"], stop: true },
    ],
    // H7
    ['{"action":"continue"}{"action":"abort","reason":"x"}', "failed answer -"],
    ['{"action":"continue"}\n{"action":"continue"}', "failed answer -"],
    ['{"action":"continue"} done', "failed answer -"],
    ['checking…\n{"action":"continue"}', "failed answer -"],
    ['{"action":"abort","reas', "failed answer -"],
    ["<html>", "failed answer -"],
    ['{"action":"skip","result":1e999}', "failed answer -"],
    [`{"action":"skip","result":${"[".repeat(1e5)}${"]".repeat(1e5)}}`, "failed answer -"],
    ['{"__proto__":{"action":"continue"}}', "failed answer -"],
    ['{"action":"continue","__proto__":{"x":1}}', "failed answer -"],
    ['{"action":"skip","result":{"a":[{"__proto__":1}]}}', "failed answer -"],
    ['{"action":"continue","ctx":{"__proto__":{"x":1}}}', "failed answer -"],
    ['{"action":"continue","ctx":{"metadata":{"__proto__":{"x":1},"seen":1}}}', "failed answer -"],
    ['{"action":"continue","ctx":null}', "failed answer -"],
    ['{"action":"continue","ctx":[]}', "failed answer -"],
  ])("exit 0 with %.60s", (stdout, report) => {
    expect(told(exit(orcs, 0, stdout))).toEqual(report);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it.each(['"continue"', "5", "[]", "{}", '{"action":"nope"}', '{"acton":"abort"}', '{"ctx":{}}'])(
    "an invalid result is left for the chain to reject: %s",
    (stdout) => {
      const report = exit(orcs, 0, stdout);
      expect("answer" in report && readAnswer(report.answer)).toMatchObject({ ok: false });
    },
  );

  it("exit codes", () => {
    const stdout = { action: "continue" };
    expect(told(exit(orcs, 2, stdout, { stderr: " no\nway\n" }))).toEqual(aborts("no\nway"));
    expect(told(exit(orcs, 2, stdout, { stderr: "no", call: AFTER }))).toEqual(aborts("no"));
    const failure = callAt("tool.on_failure", { tool_name: "x", args: {}, error: "e" });
    expect(told(exit(orcs, 2, stdout, { stderr: "no", call: failure }))).toBe("failed answer open");
    for (const code of [1, 3, 126, 127, 137, 255]) {
      expect(told(exit(orcs, code, stdout))).toBe("failed error -");
    }
    expect(exit(orcs, 0, "not json", { parse: false })).toEqual(GOES_ON);
    expect(told(exit(orcs, 2, "x", { parse: false, stderr: "no" }))).toEqual(aborts("no"));
  });

  it("a failure quotes the start of stderr only", () => {
    const report = exit(orcs, 1, "", { stderr: `why\n${"x".repeat(1e6)}` });
    if (!("failure" in report)) throw new Error("expected a failure");
    expect(report.failure.message).toMatch(/^its command exited with code 1: why/);
    expect(report.failure.message.length).toBeLessThan(700);
  });

  it.each([
    [200, { action: "abort", reason: "no" }, aborts("no")],
    [201, "null", "goes on"],
    [204, "", "goes on"],
    [200, "", "failed answer -"],
    [200, "<html></html>", "failed answer -"],
    [302, { action: "continue" }, "failed error -"],
    [404, { action: "continue" }, "failed error -"],
    [500, { action: "continue" }, "failed error -"],
  ])("W7: HTTP status %d with %j", (status, body, report) => {
    expect(told(http(orcs, status, body))).toEqual(report);
  });
});

describe("a context in the output of an orcs hook", () => {
  const edited = (edit: (context: ReturnType<typeof sent>) => void, call = EXEC) => {
    const ctx = structuredClone(orcs.encode(call).body) as ReturnType<typeof sent>;
    edit(ctx);
    return [
      told(exit(orcs, 0, { action: "continue", ctx }, { call })),
      told(exit(orcs, 0, ctx, { call })),
    ];
  };

  it("is no edit if unchanged", () => {
    const [under, bare] = edited(() => {});
    expect(under).toEqual({ action: "continue" });
    expect(bare).toBe("goes on");
  });

  it("edits differing keys and removes missing ones", () => {
    const edits = [
      ["payload.args.command", "pwd"],
      ["payload.args.more", [1]],
      ["payload.session_id", undefined],
    ];
    const [under, bare] = edited(({ payload }) => {
      payload["args"] = { command: "pwd", more: [1] };
      delete payload["session_id"];
    });
    expect(under).toEqual({ action: "continue", edits });
    expect(bare).toEqual({ edits });
  });

  it("replaces lists and values of another type as a whole", () => {
    const call = callAt("tool.pre_execute", { tool_name: "x", args: { a: [1, { b: 2 }], c: {} } });
    const [report] = edited(({ payload }) => {
      payload["args"] = { a: [1, { b: 3 }], c: [] };
    }, call);
    expect(report).toEqual({
      action: "continue",
      edits: [
        ["payload.args.a", [1, { b: 3 }]],
        ["payload.args.c", []],
      ],
    });
  });

  it("may omit payload or metadata, which stay", () => {
    expect(told(exit(orcs, 0, { action: "continue", ctx: { metadata: { seen: 2 } } }))).toEqual({
      action: "continue",
      edits: [["metadata.seen", 2]],
    });
    expect(told(exit(orcs, 0, { action: "continue", ctx: {} }))).toEqual({ action: "continue" });
  });

  it("changes to read-only or unknown keys become edits that the chain rejects", () => {
    const ctx = { component_id: "other::one", principal: { type: "Host", id: "root" }, more: 1 };
    expect(told(exit(orcs, 0, { action: "continue", ctx }))).toEqual({
      action: "continue",
      edits: [
        ["component_id", "other::one"],
        ["principal.id", "root"],
        ["more", 1],
      ],
    });
  });

  it("may repeat the caller's own __proto__ key, but not add one", () => {
    const args = JSON.parse('{"__proto__":{"x":1},"command":"ls"}') as unknown;
    const call = callAt("tool.pre_execute", { tool_name: "exec", args });
    const echo = JSON.stringify(orcs.encode(call).body);
    expect(echo).toContain("__proto__");
    expect(told(exit(orcs, 0, echo.replace('"ls"', '"pwd"'), { call }))).toEqual({
      edits: [["payload.args.command", "pwd"]],
    });
    expect(told(exit(orcs, 0, echo.replace('"x":1', '"x":2'), { call }))).toBe("failed answer -");
  });

  it("constructor, toJSON and then are ordinary keys", () => {
    const args = JSON.parse('{"constructor":{"prototype":{"x":1}},"toJSON":1,"then":2}') as unknown;
    const ctx = { payload: { ...EXEC.ctx.payload, args } };
    const report = exit(orcs, 0, { action: "continue", ctx });
    expect(told(report)).toEqual({
      action: "continue",
      edits: [
        ["payload.args.command", undefined],
        ["payload.args.constructor", { prototype: { x: 1 } }],
        ["payload.args.toJSON", 1],
        ["payload.args.then", 2],
      ],
    });
  });

  it("together with another action is invalid", () => {
    const report = exit(orcs, 0, { action: "abort", reason: "no", ctx: {} });
    expect("answer" in report && readAnswer(report.answer)).toMatchObject({ ok: false });
  });
});
