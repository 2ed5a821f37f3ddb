import { describe, expect, test } from "vitest";
import { errorOf, folder, load } from "./folder.ts";

const inline = { point: "Stop", handler_inline: "return nil" };

describe("an object as the configuration", () => {
  test("has the same keys as TOML", async () => {
    const dir = folder({ "hooks/x.lua": "", "orcs.toml": "debug = true" });
    const loaded = await load(dir, {
      config: {
        engine: { max_depth: 7 },
        lua: undefined,
        hooks: [{ ...inline, id: "a", priority: undefined }, { script: "x.lua" }],
      },
    });
    expect(loaded.files).toEqual([]);
    expect(loaded.settings.debug).toBe(false);
    expect(loaded.settings.engine.max_depth).toBe(7);
    expect(loaded.hooks).toMatchObject([
      { id: "a", origin: "object", rank: 0, baseDir: dir, place: { file: "hooks[0]", line: 1 } },
      { id: "config:x.lua:1", place: { file: "hooks[1]", line: 1 } },
    ]);
    expect(loaded.hooks[0]?.handler).toMatchObject({
      kind: "inline",
      place: { file: "hooks[0].handler_inline", line: 1, column: 1 },
    });
  });

  test("is validated like a file, with errors named by key path", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const config = {
      modle: 1,
      audit: new Map(),
      hooks: [
        { ...inline, id: "a", point: "nope" },
        { ...inline, id: "a", options: { f: () => 1, big: 2n, cycle } },
      ],
      agents: { "the reviewer": { hooks: [{ point: "Stop" }] } },
    };
    const error = await errorOf(
      load(folder(), { config, overrides: { lua: { isolation: "red" } } }),
    );
    expect(error.diagnostics.every(({ place }) => place === undefined)).toBe(true);
    expect(error.message).toMatchInlineSnapshot(`
      "ORCS1015: the configuration has 9 errors

      error ORCS1004: audit: expected a table, got an instance of a class

      error ORCS1005: hooks[0].point: unknown hook point "nope"

      error ORCS1004: hooks[1].options.f: expected a JSON value, got a function

      error ORCS1004: hooks[1].options.big: expected a JSON value, got 2, a bigint

      error ORCS1004: hooks[1].options.cycle.self: a value with a circular reference

      error ORCS1003: modle: unknown key "modle"
        hint: did you mean "mode"?

      error ORCS1006: hooks[1].id: the hook at hooks[0] already has the id "a"

      error ORCS1007: agents."the reviewer".hooks[0]: this hook has no handler
        hint: add a handler, such as script = "guard.lua", or handler_inline or shell or webhook or module or handler

      error ORCS1004: command line: lua.isolation: expected "thread" or "worker", got "red""
    `);
  });

  test.each([[[]], [new Date()], [() => 1]])("%s is rejected with ORCS1004", async (config) => {
    const { diagnostics } = await errorOf(load(folder(), { config }));
    expect(diagnostics).toMatchObject([{ code: "ORCS1004" }]);
  });

  test("inherited keys are ignored", async () => {
    const config: Record<string, unknown> = JSON.parse(`{"__proto__": {"debug": true}}`);
    const { diagnostics } = await errorOf(load(folder(), { config }));
    expect(diagnostics).toMatchObject([{ code: "ORCS1003" }]);
  });
});

test("config: false loads no configuration", async () => {
  const dir = folder({ "orcs.toml": "debug = true" });
  const loaded = await load(dir, { config: false });
  expect(loaded).toMatchObject({ files: [], hooks: [], warnings: [], settings: { debug: false } });
});
