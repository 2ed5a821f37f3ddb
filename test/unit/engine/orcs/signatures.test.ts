import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { toolInput } from "../../../../src/engine/orcs/calls/tool-input.ts";
import { errorOf, open, openWith } from "./engine.ts";

/** What a hook saw as `args`, for each call. */
async function watching(code = "local _ = ctx.payload.args") {
  const orcs = await openWith(code);
  const seen: unknown[] = [];
  orcs.hook({
    point: "tool.pre_execute",
    priority: 1,
    handler: (ctx) => void seen.push(JSON.parse(JSON.stringify(ctx.payload["args"]))),
  });
  return { orcs, seen };
}

class Query {
  path = "a.txt";
  name(): string {
    return `query of ${this.path}`;
  }
}

describe("a tool of any signature", () => {
  const further = { toolCallId: "t1", abortSignal: new AbortController().signal };
  const CASES: [string, unknown[], unknown][] = [
    ["no parameter", [], {}],
    ["undefined", [undefined], {}],
    ["null", [null], {}],
    ["an object", [{ a: 1 }], { a: 1 }],
    ["an object and the library's own options", [{ a: 1 }, further], { a: 1 }],
    ["a text", ["x"], { value: "x" }],
    ["a number", [5], { value: 5 }],
    ["a list", [[1, 2]], { value: [1, 2] }],
    ["several", ["a", 2], { args: ["a", 2] }],
    ["null and more", [null, 2], { args: [null, 2] }],
    ["an instance of a class", [new Query()], { path: "a.txt" }],
  ];

  test.each(CASES)("%s: the tool gets it as it was", async (_, params, args) => {
    const { orcs, seen } = await watching();
    let got: unknown[] | undefined;
    const tool = orcs.wrapTool("t", (...given: unknown[]) => {
      got = given;
      return "done";
    });
    expect(await tool(...params)).toBe("done");
    expect(seen).toEqual([args]);
    expect(got).toHaveLength(params.length);
    for (const [i, param] of params.entries()) expect(got?.[i]).toBe(param);
  });

  test("what no hook changed is the same, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.array(fc.anything(), { maxLength: 4 }),
        fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 })),
        (params, names) => {
          const input = toolInput(params, names ?? undefined);
          expect(Object.getPrototypeOf(input.args)).toBe(Object.prototype);
          const back = input.params(input.args);
          expect(back).toHaveLength(params.length);
          for (const [i, param] of params.entries()) expect(back[i]).toBe(param);
        },
      ),
    );
  });

  test.each([
    ["value", "x", "ctx.payload.args.value = 'y'", ["y"]],
    ["args", ["a", "b"], "ctx.payload.args.args[2] = 'c'", ["a", "c"]],
  ])("a rewrite of args.%s reaches the parameters", async (_, params, code, expected) => {
    const { orcs } = await watching(code);
    const tool = orcs.wrapTool("t", (...given: unknown[]) => given);
    expect(await tool(...(Array.isArray(params) ? params : [params]))).toEqual(expected);
  });

  test("a rewrite of an object leaves further parameters as they were", async () => {
    const { orcs } = await watching("ctx.payload.args.a = 2");
    const tool = orcs.wrapTool("t", (args: { a: number }, options: typeof further) => [
      args,
      options,
    ]);
    const [args, options] = await tool({ a: 1 }, further);
    expect(args).toEqual({ a: 2 });
    expect(options).toBe(further);
  });

  test("an instance is passed on itself until a hook changes it", async () => {
    const query = new Query();
    const { orcs } = await watching();
    expect(await orcs.wrapTool("t", (given: Query) => given.name())(query)).toBe("query of a.txt");
    const changing = await watching("ctx.payload.args.path = 'b.txt'");
    const given = await changing.orcs.wrapTool("t", (it: Query) => it)(query);
    expect(given).toEqual({ path: "b.txt" });
    expect(given).not.toBeInstanceOf(Query);
    expect(query.path).toBe("a.txt");
  });

  test("named parameters are keys of args, so that conditions find them", async () => {
    const { orcs, seen } = await watching(
      "ctx.payload.args.content = ctx.payload.args.content:upper()",
    );
    const write = orcs.wrapTool(
      "write",
      (path: string, content: string, mode = 0) => [path, content, mode],
      {
        params: ["path", "content"],
      },
    );
    expect(await write("a.txt", "hi", 420)).toEqual(["a.txt", "HI", 420]);
    expect(seen).toEqual([{ path: "a.txt", content: "hi" }]);
    expect(await orcs.get("write", { path: "b.txt", content: "x" })).toEqual({
      ok: true,
      result: ["b.txt", "X", 0],
    });
  });

  test("a hook that makes the list something else denies the call", async () => {
    const { orcs } = await watching("ctx.payload.args.args = 'none'");
    let ran = false;
    const tool = orcs.wrapTool("t", (..._given: unknown[]) => (ran = true));
    expect(await errorOf(tool("a", "b"))).toMatchObject({ code: "ORCS2003" });
    expect(ran).toBe(false);
  });

  test("without parameters, what a hook adds is the first", async () => {
    const { orcs } = await watching("ctx.payload.args.zone = 'UTC'");
    expect(await orcs.wrapTool("now", (args?: JsonObject) => args)()).toEqual({ zone: "UTC" });
  });

  test("a method keeps its object", async () => {
    const orcs = await open();
    const counter = {
      n: 1,
      next: orcs.wrapTool("next", function (this: { n: number }) {
        return ++this.n;
      }),
    };
    expect(await counter.next()).toBe(2);
  });

  test("orcs.get(name, x) is the tool called with x", async () => {
    const orcs = await open();
    orcs.wrapTool("t", (...given: unknown[]) => ({ given }));
    expect(await orcs.get("t", "x")).toEqual({ ok: true, given: ["x"] });
    expect(await orcs.get("t", [1, 2])).toEqual({ ok: true, given: [[1, 2]] });
    expect(await orcs.get("t", { a: 1 })).toEqual({ ok: true, given: [{ a: 1 }] });
    expect(await orcs.get("t")).toEqual({ ok: true, given: [] });
  });
});
