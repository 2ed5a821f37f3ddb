import { describe, expect, test } from "vitest";
import { eventAddress, eventPayload } from "../../../src/cli/event-arguments.ts";
import { errorOf, folder } from "../engine/engine.ts";

describe("eventPayload", () => {
  test("of a tool point: tool=NAME names the tool, the others are its arguments", () => {
    expect(eventPayload("tool.pre_execute", ["tool=exec", "command=ls -la"], undefined)).toEqual({
      tool_name: "exec",
      args: { command: "ls -la" },
    });
    expect(eventPayload("tool.pre_execute", [], undefined)).toEqual({ args: {} });
  });

  test("of a tool point: who calls and what came of it are keys of the payload", () => {
    const words = [
      "tool=exec",
      "session_id=s",
      "agent_id=a",
      "cwd=/w",
      'result={"ok":true}',
      "n=1",
    ];
    expect(eventPayload("tool.post_execute", words, undefined)).toEqual({
      tool_name: "exec",
      session_id: "s",
      agent_id: "a",
      cwd: "/w",
      result: { ok: true },
      args: { n: 1 },
    });
  });

  test("of a tool point: args.KEY=VALUE sets an argument of any name", () => {
    expect(eventPayload("tool.pre_execute", ["args.cwd=src", "args.=1"], undefined)).toEqual({
      args: { cwd: "src", "": 1 },
    });
  });

  test("of another point, tool.on_list included: keys of the payload", () => {
    expect(eventPayload("request.pre_dispatch", ["operation=chat"], undefined)).toEqual({
      operation: "chat",
    });
    expect(eventPayload("tool.on_list", ["tool=exec"], undefined)).toEqual({ tool: "exec" });
  });

  test("a value is JSON if it parses, else a string; only the first = counts", () => {
    const words = ["n=5", "s=5x", 'o={"a":[1,null]}', "t=true", "e=", "eq=a=b", 'q="5"'];
    expect(eventPayload("signal.pre_dispatch", words, undefined)).toEqual({
      n: 5,
      s: "5x",
      o: { a: [1, null] },
      t: true,
      e: "",
      eq: "a=b",
      q: "5",
    });
  });

  test("the tool's name is a string, whatever it looks like", () => {
    expect(eventPayload("tool.pre_execute", ["tool=5"], undefined)).toMatchObject({
      tool_name: "5",
    });
  });

  test("keys are data, __proto__ too", () => {
    const payload = eventPayload("signal.pre_dispatch", ["__proto__=1"], undefined);
    expect(Object.entries(payload)).toEqual([["__proto__", 1]]);
  });

  test("a whole payload from a file, with words on top", () => {
    const file = `${folder({ "p.json": '{"tool_name":"read","args":{"path":"a"}}' })}/p.json`;
    expect(eventPayload("tool.pre_execute", ["path=b", "limit=1"], file)).toEqual({
      tool_name: "read",
      args: { path: "b", limit: 1 },
    });
  });

  const wrong: [string, string[], string | undefined, string][] = [
    ["a word without =", ["command"], undefined, '"command" is not KEY=VALUE'],
    ["a word without a key", ["=x"], undefined, '"=x" is not KEY=VALUE'],
    ["text that is not JSON", [], "{", "cannot be read"],
    ["JSON that is no object", [], "[1]", "is not a JSON object"],
  ];
  test.each(wrong)("%s", async (_name, words, json, message) => {
    const file = json === undefined ? undefined : `${folder({ "p.json": json })}/p.json`;
    const error = await errorOf(() => eventPayload("tool.pre_execute", words, file));
    expect(error.code).toBe("ORCS5001");
    expect(error.message).toContain(message);
  });

  test("a file that is not there", async () => {
    const file = `${folder()}/none.json`;
    expect((await errorOf(() => eventPayload("x.y", [], file))).message).toContain("ENOENT");
  });
});

describe("eventAddress", () => {
  test("component, child and instance of an FQL", () => {
    expect(eventAddress(undefined)).toEqual({});
    expect(eventAddress("builtin::llm")).toEqual({ component: "builtin::llm" });
    expect(eventAddress("builtin::llm/a/b#0")).toEqual({
      component: "builtin::llm",
      child: "a/b",
      instance: "0",
    });
  });

  test("what is no FQL", async () => {
    expect((await errorOf(() => eventAddress("llm"))).code).toBe("ORCS1011");
  });
});
