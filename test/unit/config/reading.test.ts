import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorOf, folder, load, loadToml, reportOn } from "./folder.ts";

describe("an unreadable configuration file is reported if it", () => {
  test("is missing", async () => {
    const { message } = await errorOf(load(folder(), { config: "conf/none.toml" }));
    expect(message).toMatchInlineSnapshot(`
      "ORCS1015: the configuration has 1 error

      error ORCS1001: cannot read conf/none.toml: no such file"
    `);
  });

  test("is a directory", async () => {
    const { message } = await errorOf(load(folder({ "orcs.toml/x": "" })));
    expect(message).toMatchInlineSnapshot(`
      "ORCS1015: the configuration has 1 error

      error ORCS1001: cannot read orcs.toml: it is a directory"
    `);
  });

  test("is a link to itself", async () => {
    const dir = folder();
    symlinkSync("orcs.toml", join(dir, "orcs.toml"));
    const { diagnostics } = await errorOf(load(dir));
    expect(diagnostics).toMatchObject([{ code: "ORCS1001" }]);
  });

  test("is not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from('[model]\nname = "é'), Buffer.from([0xe9, 0x22])]);
    const { message } = await errorOf(load(folder({ "orcs.toml": bytes })));
    expect(message).toMatchInlineSnapshot(`
      "ORCS1015: the configuration has 1 error

      orcs.toml:2:10: error ORCS1001: orcs.toml is not valid UTF-8 from here on
       2 | name = "é�"
         |          ^"
    `);
  });
});

describe("TOML syntax errors", () => {
  test.each([
    [`debug = `, "1:9"],
    [`a = [\n1`, "2:2"],
    [`debug = true\ndebug = true`, "2:1"],
    [`[model]\nname = "x`, "2:"],
    [`[[hooks]]\n[hooks]\n`, "2:2"],
  ])("in %j have their position", async (toml, place) => {
    const { diagnostics, message } = await errorOf(loadToml(toml));
    expect(diagnostics).toMatchObject([{ code: "ORCS1002" }]);
    expect(message).toContain(`orcs.toml:${place}`);
  });

  test("are shown with the source line", async () => {
    expect(await reportOn(`[model\nname = "x"`)).toMatchInlineSnapshot(`
      "orcs.toml:1:7: error ORCS1002: illegal character in key
       1 | [model
         |       ^"
    `);
  });
});

test("errors of all files are reported together", async () => {
  const dir = folder({
    "user/orcs.toml": `debug = 1`,
    "orcs.toml": `[model`,
    "orcs.local.toml": `[[hooks]]\npoint = "x"`,
  });
  const { diagnostics } = await errorOf(
    load(dir, { userDir: join(dir, "user"), overrides: { lua: { isolation: "red" } } }),
  );
  expect(diagnostics.map(({ code, place }) => [code, place?.file, place?.line])).toEqual([
    ["ORCS1004", "user/orcs.toml", 1],
    ["ORCS1002", "orcs.toml", 1],
    ["ORCS1007", "orcs.local.toml", 1],
    ["ORCS1005", "orcs.local.toml", 2],
    ["ORCS1004", undefined, undefined],
  ]);
});

test("TOML 1.1 syntax is accepted by both parsers", async () => {
  const loaded = await loadToml(`
hooks = [
  {
    id = "a", # a comment
    point = "Stop",
    handler_inline = '''
return nil''',
  },
  { id = "b", point = "Stop", handler_inline = "return nil" }
]
`);
  expect(loaded.hooks.map(({ id, place }) => [id, place.line, place.column])).toEqual([
    ["a", 3, 3],
    ["b", 9, 3],
  ]);
  expect(loaded.hooks[0]?.handler).toMatchObject({ place: { line: 7, column: 1 } });
  expect(loaded.hooks[1]?.handler).toMatchObject({ place: { line: 9, column: 49 } });
});
