import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, orcs, ROOT, writeFiles } from "./orcs.ts";

const shipped = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("orcs init --types", { concurrent: true }, () => {
  test("writes the type definitions, and nothing the second time", async () => {
    const cwd = folder();
    expect(await orcs(["init", "--types"], { cwd })).toEqual({
      code: 0,
      stdout:
        "created  .orcs/meta/orcs.lua\ncreated  .orcs/orcs.schema.json\ncreated  .luarc.json\n",
      stderr: "",
    });
    const text = readFileSync(join(cwd, ".orcs/meta/orcs.lua"), "utf8");
    expect(text).toBe(shipped("dist/meta/orcs.lua"));
    const schema = readFileSync(join(cwd, ".orcs/orcs.schema.json"), "utf8");
    expect(schema).toBe(shipped("schema/orcs.schema.json"));
    const { stdout } = await orcs(["init", "--types", "--json"], { cwd });
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      files: [
        { path: ".orcs/meta/orcs.lua", status: "unchanged" },
        { path: ".orcs/orcs.schema.json", status: "unchanged" },
        { path: ".luarc.json", status: "unchanged" },
      ],
    });
  });

  test("writes to another folder, with .luarc.json pointing there", async () => {
    const cwd = folder({ ".luarc.json": '{ "workspace.library": ["mine"] }' });
    expect(await orcs(["init", "--types", "tools/lua"], { cwd })).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, "tools/lua/meta/orcs.lua"))).toBe(true);
    expect(JSON.parse(readFileSync(join(cwd, ".luarc.json"), "utf8"))).toMatchObject({
      "workspace.library": ["mine", "tools/lua/meta"],
    });
  });

  test("--check writes nothing and exits with 1 until all is up to date", async () => {
    const cwd = folder();
    expect(await orcs(["init", "--types", "--check"], { cwd })).toEqual({
      code: 1,
      stdout:
        "missing  .orcs/meta/orcs.lua\nmissing  .orcs/orcs.schema.json\nmissing  .luarc.json\n",
      stderr: "",
    });
    expect(existsSync(join(cwd, ".orcs"))).toBe(false);
    await orcs(["init", "--types"], { cwd });
    expect(await orcs(["init", "--types", "--check"], { cwd })).toMatchObject({ code: 0 });
    writeFiles(cwd, { ".orcs/meta/orcs.lua": "---@meta\n" });
    const { code, stdout } = await orcs(["init", "--types", "--check", "--json"], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      files: [{ status: "changed" }, { status: "unchanged" }, { status: "unchanged" }],
    });
  });

  test.each<[what: string, files: Record<string, string>, why: RegExp]>([
    [
      "a .luarc.json with comments",
      { ".luarc.json": '{\n  // mine\n  "hint.enable": true,\n}\n' },
      /ORCS5002: \.luarc\.json is not plain JSON[^]*"workspace\.library": \["\.orcs\/meta"\]/,
    ],
    ["a file in the way", { ".orcs": "a file" }, /ORCS5002: cannot read \.orcs\/meta\/orcs\.lua/],
    [
      "a folder in the way",
      { ".luarc.json/x": "" },
      /cannot read \.luarc\.json: it is not a regular file/,
    ],
  ])("with %s writes nothing", async (_what, files, why) => {
    const cwd = folder(files);
    const { code, stdout, stderr } = await orcs(["init", "--types"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(why);
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(cwd, name), "utf8")).toBe(text);
    const [name = ""] = Object.keys(files);
    expect(readdirSync(cwd)).toEqual([name.replace("/x", "")]);
  });
});
