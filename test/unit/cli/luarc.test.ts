import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { luarcText } from "../../../src/cli/type-files.ts";
import { OrcsError } from "../../../src/core/errors.ts";

const made = (text: string | undefined): unknown => JSON.parse(luarcText(text, ".orcs/meta"));

const OURS = {
  "runtime.version": "Lua 5.4",
  "runtime.builtin": { io: "disable", os: "disable", debug: "disable", package: "disable" },
  "workspace.library": [".orcs/meta"],
  "workspace.checkThirdParty": false,
};

test.each([undefined, "", " \n"])("luarcText for a new file from %j has our settings", (text) => {
  expect(made(text)).toMatchObject(OURS);
});

describe("luarcText for an existing file keeps its settings", () => {
  const cases: [name: string, before: object, after: object][] = [
    ["other keys", { "hint.enable": true }, { "hint.enable": true, ...OURS }],
    [
      "flat lists and tables",
      { "workspace.library": ["x"], "runtime.builtin": { io: "enable" } },
      {
        "workspace.library": ["x", ".orcs/meta"],
        "runtime.builtin": { ...OURS["runtime.builtin"], io: "enable" },
        "runtime.version": "Lua 5.4",
        "workspace.checkThirdParty": false,
      },
    ],
    [
      "nested ones, which the others join",
      { runtime: { version: "LuaJIT" }, workspace: { library: ["x"] } },
      {
        runtime: { version: "LuaJIT", builtin: OURS["runtime.builtin"] },
        workspace: { library: ["x", ".orcs/meta"], checkThirdParty: false },
      },
    ],
    [
      "those with Lua in front",
      { Lua: { runtime: { path: ["?.lua"] } }, "Lua.workspace.library": ["x"] },
      {
        Lua: {
          runtime: { path: ["?.lua"], version: "Lua 5.4", builtin: OURS["runtime.builtin"] },
        },
        "Lua.workspace.library": ["x", ".orcs/meta"],
        "workspace.checkThirdParty": false,
      },
    ],
  ];
  test.each(cases)("%s", (_name, before, after) => {
    expect(made(JSON.stringify(before))).toEqual(after);
  });
});

test("luarcText returns a complete file byte for byte", () => {
  const text = JSON.stringify({ ...OURS, more: 1 });
  expect(luarcText(text, ".orcs/meta")).toBe(text);
});

test("luarcText keeps all keys of any table and is idempotent", () => {
  const key = fc.oneof(
    fc.constantFrom("runtime", "workspace", "Lua", "runtime.version", "Lua.workspace.library"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })), (tree) => {
      const before = JSON.stringify(tree);
      const once = luarcText(before, ".orcs/meta");
      expect(Object.keys(JSON.parse(once) as object)).toEqual(
        expect.arrayContaining(Object.keys(JSON.parse(before) as object)),
      );
      expect(luarcText(once, ".orcs/meta")).toBe(once);
    }),
  );
});

test.each(['{ "a": 1, // why\n}', "[]", "1", "{"])(
  "luarcText rejects %j with what to add",
  (text) => {
    let thrown: unknown;
    try {
      luarcText(text, ".orcs/meta");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(OrcsError);
    expect((thrown as OrcsError).message).toBe(
      `ORCS5002: .luarc.json is not plain JSON, so it is left as it is; add to it:
  "runtime.version": "Lua 5.4",
  "runtime.builtin": {"io":"disable","os":"disable","debug":"disable","package":"disable"},
  "workspace.library": [".orcs/meta"],
  "workspace.checkThirdParty": false`,
    );
  },
);
