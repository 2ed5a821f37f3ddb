import { describe, expect, test } from "vitest";
import type { HookDefinition } from "../../../../src/engine/orcs/options.ts";
import { errorOf, folder, Lines, open } from "./engine.ts";
import { rows } from "../../../rows.ts";

/** `prompt` and `user_prompt` are one value, wherever hooks read or write it. */

const GIVEN = { prompt: "hello" };
/** What a caller without types may give. */
type AnyPayload = typeof GIVEN;

const LUA_ONLY = [
  ["the main thread", "thread"],
  ["a worker", "worker"],
] as const;

/** An engine with several Lua hooks, each for the session of its name. */
async function withLua(handlers: readonly (readonly string[])[], isolation: string) {
  const hooks = handlers.map(([name = "", handler]) => ({
    id: name,
    point: "prompt.pre_submit",
    match: { session: name },
    handler_inline: `function(ctx) ${handler} end`,
  }));
  return open({ config: { lua: { isolation }, hooks } });
}

function submit(orcs: Awaited<ReturnType<typeof open>>, payload: object = GIVEN) {
  return orcs.dispatch("prompt.pre_submit", payload as AnyPayload);
}

/** Name, handler, and what the prompt is then. */
const WRITES = rows(`
reads both | assert(ctx.payload.user_prompt == "hello" and ctx.payload.prompt == "hello") | hello
writes user_prompt | ctx.payload.user_prompt = "new"; assert(ctx.payload.prompt == "new") | new
writes prompt | ctx.payload.prompt = "new"; assert(ctx.payload.user_prompt == "new") | new
writes both: the later counts | ctx.payload.prompt = "a"; ctx.payload.user_prompt = "b" | b
writes both, in the other order | ctx.payload.user_prompt = "a"; ctx.payload.prompt = "b" | b
writes with rawset | rawset(ctx.payload, "user_prompt", "new"); assert(rawget(ctx.payload, "prompt") == "new") | new
appends | local p = ctx.payload; p.user_prompt = p.user_prompt .. "!"; p.prompt = p.prompt .. "?" | hello!?
is in JSON and in copies | ctx.payload.user_prompt = "new"; local t = orcs.json_decode(orcs.json_encode(ctx)).payload;
  assert(t.prompt == "new" and t.user_prompt == "new") | new
lists both | ctx.payload.prompt = "new"; local n = 0; for k, v in pairs(ctx.payload) do if v == "new" then n = n + 1
  end end; assert(n == 2) | new
replaces the payload, with the one | ctx.payload = { prompt = "new", session_id = ctx.payload.session_id } | new
replaces the payload, with the other | ctx.payload = { user_prompt = "new", session_id = ctx.payload.session_id } | new
`);

const FAILURES = [
  [
    "differs",
    'ctx.payload = { prompt = "a", user_prompt = "b", session_id = ctx.payload.session_id }',
    "are two names of one value, but have different values",
  ],
  ["is removed", "ctx.payload.user_prompt = nil", "payload.prompt is missing"],
  ["has another type", "ctx.payload.user_prompt = 5", "must be a string"],
] as const;

test.each(LUA_ONLY)("a Lua hook on %s", async (_name, isolation) => {
  const orcs = await withLua([...WRITES, ...FAILURES], isolation);
  const seen: unknown[] = [];
  // A second script hook reads what the first one has written: reads are remembered between the two.
  orcs.hook({
    point: "prompt.pre_submit",
    priority: 200,
    handler: ({ payload }) => void seen.push([payload["prompt"], payload["user_prompt"]]),
  });
  for (const [session_id, , prompt] of WRITES) {
    const outcome = await submit(orcs, { ...GIVEN, session_id });
    const payload = { prompt, user_prompt: prompt, session_id };
    expect([session_id, outcome.action, outcome.ctx.payload]).toEqual([
      session_id,
      "continue",
      payload,
    ]);
    expect(seen.pop()).toEqual([prompt, prompt]);
  }
  for (const [session_id, , why] of FAILURES) {
    expect(await submit(orcs, { ...GIVEN, session_id })).toMatchObject({
      action: "abort",
      reason: expect.stringContaining(why) as string,
      ctx: { payload: { prompt: "hello", user_prompt: "hello" } },
    });
  }
});

test("several Lua hooks in a row see each other's changes, though their reads are remembered", async () => {
  const step = (text: string, key: string, other: string) => ({
    point: "prompt.pre_submit",
    handler_inline: `function(ctx) local p = ctx.payload; assert(p.prompt == p.user_prompt); p.${key} = p.${other} .. "${text}"; assert(p.prompt == p.user_prompt) end`,
  });
  const orcs = await open({
    config: {
      hooks: [
        step("1", "prompt", "user_prompt"),
        step("2", "user_prompt", "prompt"),
        step("3", "prompt", "prompt"),
      ],
    },
  });
  expect((await submit(orcs)).ctx.payload).toEqual({ prompt: "hello123", user_prompt: "hello123" });
});

test("metadata has no such pair", async () => {
  const orcs = await open();
  orcs.hook({
    point: "prompt.pre_submit",
    handler: (ctx) => void Object.assign(ctx.metadata, { prompt: "a", user_prompt: "b" }),
  });
  expect((await submit(orcs)).ctx.metadata).toEqual({ prompt: "a", user_prompt: "b" });
});

describe("a hook in TypeScript", () => {
  test.each<[string, HookDefinition["handler"], string]>([
    [
      "writes user_prompt",
      (ctx) => {
        ctx.payload["user_prompt"] = "new";
        expect(ctx.payload["prompt"]).toBe("new");
      },
      "new",
    ],
    [
      "writes prompt",
      (ctx) => {
        ctx.payload["prompt"] = "new";
        expect(ctx.payload["user_prompt"]).toBe("new");
      },
      "new",
    ],
    [
      "writes both: the later counts",
      (ctx) => {
        ctx.payload["prompt"] = "a";
        ctx.payload["user_prompt"] = "b";
      },
      "b",
    ],
    [
      "assigns several",
      (ctx) => void Object.assign(ctx.payload, { user_prompt: "a", prompt: "b" }),
      "b",
    ],
    [
      "defines a property",
      (ctx) =>
        void Object.defineProperty(ctx.payload, "user_prompt", {
          value: "new",
          enumerable: true,
          writable: true,
        }),
      "new",
    ],
  ])("%s", async (_case, handler, prompt) => {
    const orcs = await open();
    orcs.hook({ id: "h", point: "prompt.pre_submit", handler });
    expect(await submit(orcs)).toMatchObject({
      action: "continue",
      ctx: { payload: { prompt, user_prompt: prompt } },
    });
  });

  test("that removes one has removed both", async () => {
    const orcs = await open();
    orcs.hook({
      id: "h",
      point: "prompt.pre_submit",
      handler: (ctx) => void delete ctx.payload["user_prompt"],
    });
    expect(await submit(orcs)).toMatchObject({
      action: "abort",
      reason: expect.stringContaining("payload.prompt is missing") as string,
    });
  });
});

test("a command sees both, and its rewrite counts for both", async () => {
  const cwd = folder({
    "shout.sh": `#!/bin/sh\nsed 's/.*"user_prompt":"\\([a-z]*\\)".*/{"action":"continue","ctx":{"payload":{"user_prompt":"\\1!"}}}/'\n`,
  });
  const orcs = await open({
    cwd,
    config: {
      hooks: [
        {
          id: "h",
          point: "UserPromptSubmit",
          shell: { command: 'sh "$ORCS_DIR/shout.sh"', parse_result: true },
        },
      ],
    },
  });
  expect(await submit(orcs)).toMatchObject({
    ctx: { payload: { prompt: "hello!", user_prompt: "hello!" } },
  });
});

describe("the caller", () => {
  test("may give either key, at both prompt points", async () => {
    const logger = new Lines();
    const orcs = await open({ logger });
    for (const point of ["prompt.pre_submit", "prompt.post_submit"]) {
      orcs.hook({
        point,
        handler: ({ payload }) =>
          logger.info(JSON.stringify([payload["prompt"], payload["user_prompt"]])),
      });
    }
    await submit(orcs, { user_prompt: "a" });
    await orcs.dispatch("prompt.post_submit", { prompt: "b" });
    expect(logger.lines).toEqual(['info: ["a","a"]', 'info: ["b","b"]']);
  });

  test("must not give different values", async () => {
    const orcs = await open();
    orcs.hook({ point: "prompt.pre_submit", handler: () => undefined });
    expect(await errorOf(() => submit(orcs, { prompt: "a", user_prompt: "b" }))).toMatchObject({
      code: "ORCS2003",
      message: expect.stringContaining("payload.user_prompt and payload.prompt") as string,
    });
  });

  test("sees its own object unchanged", async () => {
    const orcs = await withLua([["s", 'ctx.payload.user_prompt = "new"']], "thread");
    const payload = { prompt: "hello", session_id: "s" };
    expect((await submit(orcs, payload)).ctx.payload.prompt).toBe("new");
    expect(payload).toEqual({ prompt: "hello", session_id: "s" });
  });
});

test("llm.pre_generate has one key only", async () => {
  const orcs = await open({
    config: {
      hooks: [{ id: "h", point: "llm.pre_generate", handler_inline: 'ctx.payload.prompt = "new"' }],
    },
  });
  expect((await orcs.dispatch("llm.pre_generate", { prompt: "a" })).ctx.payload).toEqual({
    prompt: "new",
  });
});
