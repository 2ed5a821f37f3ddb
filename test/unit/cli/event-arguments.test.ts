import { describe, expect, test } from "vitest";
import { eventAddress, eventPayload } from "../../../src/cli/event-arguments.ts";
import { errorOf, folder } from "../engine/orcs/engine.ts";

describe("eventPayload", () => {
  test("tool point: tool=NAME sets the tool, other words its arguments", () => {
    expect(eventPayload("tool.pre_execute", ["tool=exec", "command=ls -la"], undefined)).toEqual({
      tool_name: "exec",
      args: { command: "ls -la" },
    });
    expect(eventPayload("tool.pre_execute", [], undefined)).toEqual({ args: {} });
  });

  test("tool point: session_id, agent_id, cwd and result are payload keys", () => {
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

  test("tool point: args.KEY=VALUE sets an argument of any name", () => {
    expect(eventPayload("tool.pre_execute", ["args.cwd=src", "args.=1"], undefined)).toEqual({
      args: { cwd: "src", "": 1 },
    });
    expect(eventPayload("tool.pre_execute", ['args={"a":1,"b":2}', "b=3"], undefined)).toEqual({
      args: { a: 1, b: 3 },
    });
  });

  test("other points, including tool.on_list: words are payload keys", () => {
    expect(eventPayload("request.pre_dispatch", ["operation=chat"], undefined)).toEqual({
      operation: "chat",
    });
    expect(eventPayload("tool.on_list", ["tool=exec"], undefined)).toEqual({ tool: "exec" });
  });

  test("a value is JSON if it parses, else a string; the first = separates", () => {
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

  test("the tool name is always a string", () => {
    expect(eventPayload("tool.pre_execute", ["tool=5"], undefined)).toMatchObject({
      tool_name: "5",
    });
  });

  test("__proto__ is an ordinary key", () => {
    const payload = eventPayload("signal.pre_dispatch", ["__proto__=1"], undefined);
    expect(Object.entries(payload)).toEqual([["__proto__", 1]]);
  });

  test("a payload file is merged with words, which take precedence", () => {
    const file = `${folder({ "p.json": '{"tool_name":"read","args":{"path":"a"}}' })}/p.json`;
    expect(eventPayload("tool.pre_execute", ["path=b", "limit=1"], file)).toEqual({
      tool_name: "read",
      args: { path: "b", limit: 1 },
    });
  });

  const wrong: [string, string[], string | undefined, string][] = [
    ["a word without =", ["command"], undefined, '"command" is not KEY=VALUE'],
    ["arguments that are not an object", ["args={bad"], undefined, "is not an object in JSON"],
    ["a word without a key", ["=x"], undefined, '"=x" is not KEY=VALUE'],
    ["text that is not JSON", [], "{", "cannot be read"],
    ["JSON that is no object", [], "[1]", "is not a JSON object"],
  ];
  test.each(wrong)("rejects %s", async (_name, words, json, message) => {
    const file = json === undefined ? undefined : `${folder({ "p.json": json })}/p.json`;
    const error = await errorOf(() => eventPayload("tool.pre_execute", words, file));
    expect(error.code).toBe("ORCS5001");
    expect(error.message).toContain(message);
  });

  test("a missing payload file is an error", async () => {
    const file = `${folder()}/none.json`;
    expect((await errorOf(() => eventPayload("x.y", [], file))).message).toContain("ENOENT");
  });
});

describe("eventAddress", () => {
  test("splits an FQL into component, child and instance", () => {
    expect(eventAddress(undefined)).toEqual({});
    expect(eventAddress("builtin::llm")).toEqual({ component: "builtin::llm" });
    expect(eventAddress("builtin::llm/a/b#0")).toEqual({
      component: "builtin::llm",
      child: "a/b",
      instance: "0",
    });
  });

  test("rejects an invalid FQL with ORCS1011", async () => {
    expect((await errorOf(() => eventAddress("llm"))).code).toBe("ORCS1011");
  });
});
