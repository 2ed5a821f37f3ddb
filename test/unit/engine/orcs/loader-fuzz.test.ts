import { expect } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import { folder, Lines } from "./engine.ts";
import { isSlowRun, quickTest as test, repeatedTest } from "../../../slow-test.ts";

/** Keys of a hook, some misspelt. */
const KEYS = (
  "id point event fql priority enabled match async once timeout_ms max_retries on_error on_timeout mode handler tests " +
  "options script observe handeler mach __index"
).split(" ");
/** Of each kind of value that Lua has, and those that JSON does not. */
const VALUES: readonly string[] = [
  "function() end",
  "coroutine.create(print)",
  "0/0",
  "-1",
  "2^60",
  "true",
  "orcs.null",
  '"x"',
  '"\\xff"',
  'string.rep("x", 70000)',
  "{}",
  "{ 1, a = 2 }",
  "{ [true] = 1 }",
  "{ nil, 2 }",
  "setmetatable({}, { __index = error, __len = error })",
  "(function() local t = {} t.t = t return t end)()",
  "{ tool = function() end }",
  "{ tool = { print }, runs = { 1, print } }",
  "(function() local t = {} for _ = 1, 50 do t = { t } end return t end)()",
];
/** What stands around the field. */
const POSITIONS: readonly ((field: string) => string)[] = [
  (field) => `return { point = "tool.pre_execute", handler = print,\n${field} }`,
  (field) => `return { point = "tool.pre_execute",\n${field} }`,
  (field) => `return { { point = "tool.pre_execute", handler = print }, {\n${field} } }`,
  (field) => `orcs.hook { point = "tool.pre_execute", handler = print,\n${field} }`,
  (field) => `orcs.hook {\n${field} }`,
  (field) => `return { point = "tool.pre_execute", handler = print, match = {\n${field} } }`,
  (field) => `local t = {\n${field} } return t, t`,
  (field) => `orcs.hook("*::*:tool.pre_execute", ({ ${field} })[1])`,
  (field) => `return ({ ${field} })[next({ ${field} })]`,
  (field) => `error(({ ${field} })[next({ ${field} })])`,
];

repeatedTest(
  "whatever a script states of a hook, it loads, or each error has a file and a line",
  async () => {
    const wrong: string[] = [];
    const fields = KEYS.flatMap((key) => VALUES.map((value) => `${key} = ${value}`));
    for (const [i, around] of POSITIONS.entries()) {
      // Many scripts in one configuration: each has its own errors. Each field in three positions, in a quick run in one.
      const isHere = (n: number): boolean =>
        (isSlowRun ? [0, 3, 7] : [0]).includes((n + i) % POSITIONS.length);
      const cases = fields.filter((_, n) => isHere(n)).map(around);
      const files = Object.fromEntries(cases.map((code, n) => [`hooks/${n}.lua`, code]));
      const toml = cases.map((_, n) => `[[hooks]]\nscript = "${n}.lua"\n`).join("");
      const cwd = folder({ ...files, "orcs.toml": toml });
      const thrown: unknown = await createOrcs({
        cwd,
        config: "orcs.toml",
        logger: new Lines(),
        overrides: { engine: { load_ms: 60_000 } },
      }).then(
        (orcs) => orcs.close(),
        (error: unknown) => error,
      );
      if (!(thrown instanceof OrcsError) || thrown.code !== "ORCS1015") {
        wrong.push(`${i}: ${String((thrown as Error | undefined)?.stack)}`);
        continue;
      }
      for (const { place, message } of thrown.diagnostics) {
        const isPlaced = place !== undefined && place.line >= 1 && place.file !== "orcs.toml";
        if (!isPlaced || /\n\s+at |src\/engine/.test(message)) {
          wrong.push(
            `${place?.file}:${place?.line} ${message} | ${cases[parseInt(/\d+/.exec(place?.file ?? "")?.[0] ?? "")]}`,
          );
        }
      }
    }
    expect(wrong).toEqual([]);
  },
);

test("a misspelt key with a function is told at its line, with the right one", async () => {
  const cwd = folder({
    "orcs.toml":
      '[[hooks]]\nscript = "a.lua"\n[[hooks]]\nscript = "b.lua"\n[[hooks]]\nscript = "c.lua"',
    "hooks/a.lua": 'return {\n  point = "tool.pre_execute",\n  handeler = function() end,\n}',
    "hooks/b.lua":
      'return {\n  point = "tool.pre_execute",\n  id = print, handler = function() end,\n}',
    "hooks/c.lua": 'local hook = {\n  point = "tool.pre_execute",\n}\n',
  });
  const error: unknown = await createOrcs({ cwd, config: "orcs.toml" }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OrcsError);
  const told = (error as OrcsError).diagnostics.map(
    ({ code, place, message, hint }) => `${place?.file}:${place?.line} ${code} ${message} ${hint}`,
  );
  expect(told).toEqual([
    'hooks/a.lua:3 ORCS1003 unknown key "handeler" did you mean "handler"?',
    "hooks/b.lua:3 ORCS1004 id: expected a string, got a function undefined",
    "hooks/c.lua:1 ORCS3003 the script did not define a hook return a function or a table with a handler, or call orcs.hook",
  ]);
});
