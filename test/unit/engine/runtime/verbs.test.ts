import { describe, expect, test } from "vitest";
import type { ChildContext } from "../../../../src/core/child.ts";
import { ERROR_CODES } from "../../../../src/core/errors.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { RUNTIME_VERBS, type RuntimeVerb } from "../../../../src/core/runtime-verbs.ts";
import { folder } from "../orcs/engine.ts";
import { stage, type Stage } from "./acting.ts";

const VERBS = Object.keys(RUNTIME_VERBS) as RuntimeVerb[];

type Asked = readonly [RuntimeVerb, ...(Json | undefined)[]];

/** What a component is answered by its verbs, in order. */
async function answers(
  asked: readonly Asked[],
  { actor }: Pick<Stage, "actor">,
): Promise<JsonObject[]> {
  const boss = await actor("lua::boss");
  return boss(async (context) => {
    const got: JsonObject[] = [];
    for (const [name, ...args] of asked) got.push(await ask(context, name, args));
    return got;
  });
}

async function ask(context: ChildContext, name: RuntimeVerb, args: (Json | undefined)[]) {
  return (await context.verb?.(name, args, new AbortController().signal)) as JsonObject;
}

const ECHO = "return function(input) return input end";
const REQUEST: Asked = ["request", "lua::ear", "op"];
const SIGNAL: Asked = ["send_signal", "lua::ear", "resume"];
const SPAWN: Asked = ["spawn_child", { id: "a", code: ECHO }];
const spawn = (more: JsonObject): Asked => ["spawn_child", { id: "a", code: ECHO, ...more }];
const batch = (...requests: Json[]): Asked => ["request_batch", requests];

describe("a runtime function's result on success", () => {
  const [A, B] = [
    { operation: "a", payload: 1 },
    { operation: "b", category: "O", timeout_ms: 500 },
  ];
  const results = [1, null].map((heard) => ({ ok: true, response: { heard } }));
  test.each<[string, Asked[], object]>([
    ["request", [[...REQUEST, { x: [1, null] }]], { response: { heard: { x: [1, null] } } }],
    ["request without a payload", [REQUEST], { response: { heard: null } }],
    [
      "request_batch",
      [batch({ target: "lua::ear", ...A }, { target: "lua::ear", ...B })],
      { results },
    ],
    ["request_batch of none", [batch()], { results: [] }],
    ["emit_event", [["emit_event", "News", "op", 1]], { delivered: 1 }],
    ["emit_event that nobody wants", [["emit_event", "Other", "op"]], { delivered: 0 }],
    ["spawn_child", [spawn({ capabilities: ["READ"] })], { child_id: "a", capabilities: ["READ"] }],
    ["with no capabilities", [spawn({ capabilities: [] })], { child_id: "a", capabilities: [] }],
    ["as Lua writes them", [spawn({ capabilities: {} })], { child_id: "a", capabilities: [] }],
    ["send_to_child", [SPAWN, ["send_to_child", "a", { x: 1 }]], { result: { x: 1 } }],
    ["send_to_child, not awaited", [SPAWN, ["send_to_child", "a", 1, { wait: false }]], {}],
    ["stop_child", [SPAWN, ["stop_child", "a"]], { stopped: true }],
    ["stop_child of none", [["stop_child", "a"]], { stopped: false }],
    ["check_command", [["check_command", "true"]], { status: "allowed", command: "true" }],
    ["grant_command", [["grant_command", "git status"]], {}],
    ["grant_command, once", [["grant_command", "git", { kind: "one_time" }]], {}],
    ["send_signal", [SIGNAL], { response: "ignored" }],
    ["send_signal with a reason", [[...SIGNAL, { reason: "why" }]], { response: "ignored" }],
  ])("%s", async (_, asked, expected) => {
    const set = await stage({ cwd: folder() });
    await set.runtime.spawn({
      id: "lua::ear",
      subscriptions: ["News"],
      onRequest: (request) => ({ heard: request.payload }),
    });
    expect((await answers(asked, set)).at(-1)).toEqual({ ok: true, ...expected });
  });

  test("spawn_child with a hook that skipped it", async () => {
    const set = await stage();
    set.orcs.on("child.pre_spawn", () => ({ action: "skip", result: { later: true } }));
    expect(await answers([SPAWN], set)).toEqual([{ ok: true, skipped: { later: true } }]);
  });
});

describe("a runtime function's error result with its code", () => {
  const ear = { target: "lua::ear" };
  const asking: Asked = ["request", "lua::ear", "requested", {}, { category: "Approval" }];
  test.each<[string, Asked[], string, RegExp]>([
    ["nobody of that name", [["request", "lua::nobody", "op"]], "ORCS6001", /no component/],
    ["itself", [["request", "lua::boss", "op"]], "ORCS6011", /wait for itself/],
    ["it throws", [["request", "lua::ear", "throw"]], "ORCS6005", /kaput/],
    ["too late", [["request", "lua::ear", "hang", null, { timeout_ms: 20 }]], "ORCS6003", /20 ms/],
    ["an unknown option", [[...REQUEST, 1, { timeout: 5 }]], "ORCS6010", /timeout_ms\?/],
    ["an empty operation", [["emit_event", "News", ""]], "ORCS6010", /operation/],
    [
      "a question of its own",
      [["emit_event", "Approval", "asked"]],
      "ORCS6010",
      /only the runtime/,
    ],
    ["a question as a request", [asking], "ORCS6010", /only the runtime/],
    ["a batch", [batch({ ...ear, operation: "op" }, ear)], "ORCS6010", /request 2 .* no operation/],
    ["an unknown key", [spawn({ caps: [] })], "ORCS6010", /caps/],
    ["code that does not parse", [spawn({ code: "retrn 1" })], "ORCS3001", /syntax|near/],
    ["code that raises", [spawn({ code: "error('kaput')" })], "ORCS3002", /kaput/],
    ["code that returns nothing", [spawn({ code: "local x" })], "ORCS6010", /no functions/],
    ["code without run", [spawn({ code: "return {go=print}" })], "ORCS6010", /function run/],
    ["no script", [["spawn_child", { id: "a", script: "no.lua" }]], "ORCS1009", /not found/],
    ["the same child again", [SPAWN, SPAWN], "ORCS6002", /already/],
    ["no such child", [["send_to_child", "a"]], "ORCS6001", /no child/],
    ["wait as text", [["send_to_child", "a", 1, { wait: "no" }]], "ORCS6010", /wait/],
    [
      "a child that raises",
      [spawn({ code: "return function() error('kaput') end" }), ["send_to_child", "a"]],
      "ORCS6005",
      /kaput/,
    ],
    ["a grant that is no prefix", [["grant_command", "git; rm"]], "ORCS6012", /plain/],
    ["an empty grant", [["grant_command", ""]], "ORCS6012", /plain/],
    ["a grant for ever", [["grant_command", "git", { kind: "for ever" }]], "ORCS6010", /kind/],
    ["a signal to nobody", [["send_signal", "lua::nobody", "veto"]], "ORCS6001", /no component/],
    ["options that are a list", [[...SIGNAL, []]], "ORCS6010", /not an object/],
  ])("%s", async (_, asked, code, error) => {
    const set = await stage({ cwd: folder() });
    await set.runtime.spawn({
      id: "lua::ear",
      onRequest({ operation }) {
        if (operation === "throw") throw new Error("kaput");
        return operation === "hang" ? new Promise(() => undefined) : null;
      },
    });
    const answer = (await answers(asked, set)).at(-1);
    expect(answer).toEqual({ ok: false, code, error: expect.stringMatching(error) });
    // The code stands beside the message, not in it.
    expect(answer?.["error"]).not.toMatch(/^ORCS\d/);
    expect(Object.keys(ERROR_CODES)).toContain(answer?.["code"]);
  });

  test("when a hook denies, at each point", async () => {
    const set = await stage({ cwd: folder() });
    const points: Record<string, readonly [RuntimeVerb, ...Json[]]> = {
      "request.pre_dispatch": ["request", "lua::ear", "op"],
      "bus.pre_broadcast": ["emit_event", "News", "op"],
      "child.pre_spawn": ["spawn_child", { id: "b", code: ECHO }],
      "child.pre_run": ["send_to_child", "a", 1],
      "signal.pre_dispatch": ["send_signal", "lua::ear", "resume"],
    };
    await set.runtime.spawn({ id: "lua::ear", subscriptions: ["News"], onRequest: () => null });
    const boss = await set.actor("lua::boss");
    await boss((context) => ask(context, "spawn_child", [{ id: "a", code: ECHO }]));
    for (const [point, [name, ...args]] of Object.entries(points)) {
      const answer = await boss((context) => {
        // Set up here, or it would keep the job itself from being done.
        const remove = set.orcs.on(point, () => ({ action: "abort", reason: "because" }));
        return ask(context, name, args).finally(remove);
      });
      expect(answer, point).toEqual({
        ok: false,
        code: "ORCS2001",
        error: expect.stringMatching(/denied by hook code:.*: because$/),
      });
    }
  });

  test("when a command is denied: the reason, and the prefix to grant", async () => {
    const set = await stage({ config: { permissions: { grants: [] } } });
    expect(await answers([["check_command", "git push x"]], set)).toEqual([
      {
        ok: false,
        status: "requires_approval",
        command: "git push x",
        grant_pattern: "git push",
        reason: expect.stringContaining("no grant covers"),
      },
    ]);
    const less = await stage({ config: { permissions: { capabilities: ["READ"] } } });
    expect(await answers([["check_command", "git push x"]], less)).toEqual([
      {
        ok: false,
        status: "denied",
        command: "git push x",
        reason: expect.stringContaining("EXECUTE"),
      },
    ]);
  });
});

describe("runtime functions in Lua", () => {
  /** What a script makes of a call, in a component and outside of the runtime. */
  async function inLua(code: string, inside: boolean) {
    const cwd = folder({
      "c.lua": `return { id = "c", on_request = function() return (function() ${code} end)() end }`,
      "p.lua": code,
    });
    const { orcs, runtime } = await stage({ cwd });
    if (!inside) return orcs.run("p.lua");
    await runtime.spawnScript("c.lua");
    return runtime.request("lua::c", "op");
  }

  const WRONG: Readonly<Record<string, readonly string[]>> = {
    request: ["", '"a"', "1, 2", '{}, "op"', '"a", "op", print', '"a", "op", 1, "x"', "nil, nil"],
    request_batch: ["", "1", '"a"', "{ a = 1 }", "{ print }", "nil"],
    request_approval: ["", '"a"', "1, 2", '"a", {}', "nil, nil"],
    emit_event: ["", '"a"', "{}, {}", '"a", "b", print', '"a", "b", 0/0'],
    spawn_child: ["", "1", '"a"', "print", "{ id = print }", "nil"],
    send_to_child: ["", "1", "{}", '"a", print', '"a", 1, true'],
    stop_child: ["", "1", "{}", "nil"],
    check_command: ["", "1", "{}", "true"],
    grant_command: ["", "1", '"git", "persistent"', '{ "git" }'],
    send_signal: ["", '"a"', '"a", 1', '"a", "veto", "why"', "nil, nil, nil"],
  };

  test.each(VERBS)("orcs.%s with wrong arguments raises an error that names it", async (name) => {
    const calls = WRONG[name] ?? [];
    expect(calls.length).toBeGreaterThan(2);
    const tries = calls.map((args) => `{ pcall(function() return orcs.${name}(${args}) end) }`);
    const results = (await inLua(
      `local out = {} for i, t in ipairs { ${tries.join(", ")} } do out[i] = { t[1], tostring(t[2]) } end return out`,
      true,
    )) as [boolean, string][];
    expect(results).toEqual(calls.map(() => [false, expect.stringContaining(`orcs.${name}`)]));
  });

  test.each(VERBS)(
    "orcs.%s outside the runtime raises an error that says where it exists",
    async (name) => {
      const args = RUNTIME_VERBS[name].args.slice(0, RUNTIME_VERBS[name].required);
      const given = args.map((kind) => (kind === "string" ? '"a"' : "{}")).join(", ");
      expect(await inLua(`return { pcall(orcs.${name}, ${given}) }`, false)).toEqual([
        false,
        expect.stringContaining(`orcs.${name} is only available in the runtime`),
      ]);
    },
  );

  test("are not available while a component's script loads", async () => {
    for (const call of [
      'orcs.request("a", "b")',
      'orcs.spawn_child({ id = "a" })',
      'orcs.exec("true")',
    ]) {
      const cwd = folder({ "c.lua": `${call} return { id = "c", on_request = print }` });
      const { runtime } = await stage({ cwd });
      await expect(runtime.spawnScript("c.lua"), call).rejects.toMatchObject({ code: "ORCS3002" });
      expect(runtime.channels).toEqual([]);
    }
  });

  test("are not available in snapshot and restore", async () => {
    const cwd = folder({
      "c.lua": `
        local answers = {}
        return {
          id = "c",
          on_request = function() return answers end,
          restore = function()
            answers[1] = orcs.exec("true").error
            answers[2] = select(2, pcall(orcs.request, "a", "b"))
            answers[3] = select(2, pcall(orcs.hook, "*::*:tool.pre_execute", function() end))
          end,
        }`,
    });
    const { runtime } = await stage({ cwd });
    await runtime.spawnScript("c.lua", { snapshot: 1 });
    expect(await runtime.request("lua::c", "op")).toEqual([
      "exec cannot be called in snapshot and restore",
      expect.stringContaining("orcs.request is only available in the runtime"),
      expect.stringContaining("needs the capability SPAWN"),
    ]);
  });
});
