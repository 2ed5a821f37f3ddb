import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { open } from "../engine/orcs/engine.ts";
import { quickTest as it, repeatedTest, runCount } from "../../slow-test.ts";

const start = (options: JsonObject = {}, more: JsonObject = {}) =>
  open({ config: { hooks: [{ script: "orcs:mask-secrets", options }], ...more } });

type Engine = Awaited<ReturnType<typeof start>>;

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

async function at(orcs: Engine, point: string, payload: JsonObject, component?: string) {
  const options = component === undefined ? {} : { component };
  return orcs.dispatch(point as never, payload as never, options);
}

/** A result as the model reads it. */
async function after(orcs: Engine, result: Json, more: JsonObject = {}): Promise<unknown> {
  const payload = { tool_name: "read", args: {}, result, ...more };
  const outcome = await at(orcs, "tool.post_execute", payload);
  expect(outcome.action).toBe("continue");
  return (outcome.ctx.payload as JsonObject)["result"];
}

describe("orcs:mask-secrets: results", () => {
  repeatedTest("of any kind are redacted", async () => {
    const orcs = await start(
      { notice: false },
      { redact: { keys: ["pin"], patterns: ["acme-\\d+"] } },
    );
    const name = fc.constantFrom("password", "pin", "a", TOKEN, "[redacted]", "__proto__", "1");
    const text = fc.constantFrom(
      "plain",
      "",
      TOKEN,
      "acme-77",
      "PASSWORD=hunter2",
      "[redacted]",
      "é",
    );
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(name, tie("value"), { maxKeys: 3 }),
      ) as fc.Arbitrary<Json>,
    }));
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const result = JSON.parse(JSON.stringify(given)) as Json;
        expect(await after(orcs, result)).toEqual(orcs.redact(result));
      }),
      { numRuns: runCount(300) },
    );
  });

  it("without secrets are unchanged, without a notice", async () => {
    const orcs = await start();
    const payload = { tool_name: "read", args: {}, result: { text: "x", list: [null, { a: [] }] } };
    const outcome = await at(orcs, "tool.post_execute", payload);
    expect((outcome.ctx.payload as JsonObject)["result"]).toBe(payload.result);
    expect(outcome.inject).toEqual([]);
  });

  it("are masked after the hooks that change them", async () => {
    const hooks = [
      { script: "orcs:mask-secrets" },
      { point: "tool.post_execute", handler_inline: `orcs.replace("late ${TOKEN}")` },
    ];
    const orcs = await open({ config: { hooks } });
    expect(await after(orcs, "early")).toBe("late [redacted]");
  });

  it("of built-in tools are masked for every caller", async () => {
    const orcs = await start();
    const read = orcs.wrapTool("read", () => ({ text: `token ${TOKEN}` }));
    expect(await read()).toEqual({ text: "token [redacted]" });
    expect(await orcs.get("read", {})).toEqual({ ok: true, text: "token [redacted]" });
  });

  it("that cannot be inspected are withheld", async () => {
    const orcs = await start();
    let deep: Json = TOKEN;
    for (let i = 0; i < 40; i++) deep = [deep];
    const payload = { tool_name: "read", args: {}, result: deep };
    const outcome = await at(orcs, "tool.post_execute", payload);
    expect(outcome.action).toBe("abort");
    const odd = orcs.wrapTool("odd", () => new Proxy({ text: TOKEN }, {}));
    await expect(odd()).rejects.toThrow(/mask-secrets-results failed/);
  });
});

describe("orcs:mask-secrets: arguments", () => {
  const sent = async (orcs: Engine, tool_name: string, args: unknown) => {
    const outcome = await at(orcs, "tool.pre_execute", { tool_name, args: args as JsonObject });
    return outcome.action === "continue" ? (outcome.ctx.payload as JsonObject)["args"] : "refused";
  };

  it("that leave the machine are masked or denied", async () => {
    const masked = await start({ args: "mask" });
    const refused = await start({ args: "refuse" });
    const off = await start();
    for (const [tool, args, found] of [
      [
        "http",
        { url: "https://a.test/", body: TOKEN },
        { url: "https://a.test/", body: "[redacted]" },
      ],
      ["WebFetch", { prompt: TOKEN }, { prompt: "[redacted]" }],
      ["mcp__a__b", { list: [1, { password: "x" }] }, { list: [1, { password: "[redacted]" }] }],
      [
        "renamed",
        { url: `https://a.test/?token=abc123` },
        { url: "https://a.test/?token=[redacted]" },
      ],
      ["renamed", { url: [TOKEN] }, { url: ["[redacted]"] }],
    ] as const) {
      expect(await sent(masked, tool, args)).toEqual(found);
      expect(await sent(refused, tool, args)).toBe("refused");
      expect(await sent(off, tool, args)).toBe(args);
    }
    for (const [tool, args] of [
      ["exec", { command: TOKEN }],
      ["write", { path: "a", content: TOKEN }],
      ["http", { url: "https://a.test/" }],
    ] as const) {
      expect(await sent(masked, tool, args)).toBe(args);
      expect(await sent(refused, tool, args)).toBe(args);
    }
  });

  it("are masked for the tools in `outgoing` only, if given", async () => {
    const orcs = await start({ args: "mask", outgoing: ["exec"], except: ["mail"] });
    expect(await sent(orcs, "exec", { command: TOKEN })).toEqual({ command: "[redacted]" });
    expect(await sent(orcs, "mcp__a__b", { text: TOKEN })).toEqual({ text: TOKEN });
    expect(await sent(orcs, "mail", { url: TOKEN })).toEqual({ url: TOKEN });
  });
});

describe("orcs:mask-secrets: prompts", () => {
  const prompt = `use ${TOKEN}`;

  it("of all message kinds are masked for the model", async () => {
    for (const prompts of ["mask", "refuse"]) {
      const messages = [
        { role: "user", content: prompt },
        { role: "tool", content: [{ text: prompt }] },
      ];
      const payload = { prompt, system_prompt: prompt, messages, model_name: "m" };
      const outcome = await at(await start({ prompts }), "llm.pre_generate", payload);
      expect(outcome.action).toBe("continue");
      const shown = JSON.stringify(outcome.ctx.payload);
      expect(shown).not.toContain(TOKEN);
      expect(shown.split("[redacted]")).toHaveLength(5);
    }
  });

  it("are masked for the engine's own model", async () => {
    const seen: unknown[] = [];
    const orcs = await open({
      config: { hooks: [{ script: "orcs:mask-secrets" }] },
      llm: async (request) => {
        seen.push(request);
        return { text: "fine" };
      },
    });
    expect(await orcs.get("llm", { prompt })).toMatchObject({ ok: true, text: "fine" });
    expect(JSON.stringify(seen)).toContain("use [redacted]");
    expect(JSON.stringify(seen)).not.toContain(TOKEN);
  });
});

it("orcs:mask-secrets tells the model, unless disabled", async () => {
  const told = async (options: JsonObject) => {
    const orcs = await start({ args: "mask", ...options });
    const outcomes = [
      await at(orcs, "tool.post_execute", { tool_name: "read", args: {}, result: TOKEN }),
      await at(orcs, "tool.pre_execute", { tool_name: "http", args: { body: TOKEN } }),
      await at(orcs, "prompt.pre_submit", { prompt: TOKEN }),
    ];
    return outcomes.map(({ inject }) => inject.length);
  };
  expect(await told({})).toEqual([1, 1, 1]);
  expect(await told({ notice: false })).toEqual([0, 0, 0]);
});

describe("orcs:mask-secrets: writes", () => {
  const SECRET = "DEBUG=1\nPASSWORD=hunter2\n";
  const folder = mkdtempSync(join(tmpdir(), "orcs-masked-writes-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const CALLS: readonly (readonly [string, JsonObject, "abort" | "continue"])[] = [
    ["a whole file", { content: "DEBUG=0\nPASSWORD=[redacted]\n" }, "abort"],
    ["an edit of another line", { old_string: "DEBUG=1", new_string: "DEBUG=0" }, "continue"],
  ];

  it.each(CALLS)("%s", async (_, args, action) => {
    const path = join(folder, "settings.env");
    writeFileSync(path, SECRET);
    const orcs = await open({
      cwd: folder,
      config: { hooks: [{ script: "orcs:mask-secrets" }] },
    });
    for (const [name, cwd] of [
      [path, undefined],
      ["settings.env", folder],
    ] as const) {
      const payload = { tool_name: "edit", args: { file_path: name, ...args } };
      const outcome = await at(
        orcs,
        "tool.pre_execute",
        cwd === undefined ? payload : { ...payload, cwd },
      );
      expect(outcome.action).toBe(action);
    }
  });
});
