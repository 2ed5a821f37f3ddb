import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import {
  importedPackages,
  ModuleGraph,
  unsealedImports,
  unsealedModules,
} from "../../../../src/config/trust/module-files.ts";
import { folder } from "../../engine/orcs/engine.ts";

describe("imports of a module that cannot be sealed", () => {
  it.each([
    ['import a from "/abs/p/lib.mjs"', "/abs/p/lib.mjs"],
    ["import '/abs/p/lib.mjs'", "/abs/p/lib.mjs"],
    ['export * from "file:///abs/lib.mjs"', "file:///abs/lib.mjs"],
    ['import a from "data:text/javascript,1"', "data:text/javascript,1"],
    ['import a from "#own"', "#own"],
    ['import a from "zod/v4"', "zod"],
    ['import a from "./%2e%2e/x.mjs"', "./%2e%2e/x.mjs"],
    ['import a from "\\x2fabs/x.mjs"', "an import in escapes"],
    ['import a from /* */ "/abs/x.mjs"', "an import in escapes"],
    ['import/**/("/abs/x.mjs")', "a computed import"],
    ["await import(name)", "a computed import"],
    ['await import("./a" + name)', "a computed import"],
    ["await import(`./${name}.mjs`)", "a computed import"],
    ["require(name)", "a computed require"],
    ["require(`./${name}`)", "a computed require"],
    ['const load = require; load("/abs/x")', "a computed require"],
    ['import { createRequire } from "node:module"', "createRequire"],
    ['import { createRequire } from "node:module"', "node:module"],
    ['import { spawn } from "child_process"', "child_process"],
    ["process.dlopen(m, path)", "process.dlopen"],
    ['process.getBuiltinModule("vm")', "process.getBuiltinModule"],
    ['new Worker("./w.mjs")', "new Worker(…)"],
    ["new Worker(new URL(name, import.meta.url))", "new Worker(…)"],
    ["eval(text)", "eval(…)"],
    ["new Function(text)", "new Function(…)"],
    ['requ\\u0069re("/abs/x")', "names in escapes"],
  ])("include %s", (code, what) => {
    expect(unsealedImports(code)).toContain(what);
  });

  test("do not include sealed files and Node's built-in modules", () => {
    const code = `
      import { readFileSync } from "node:fs";
      import { test } from "fs/promises";
      import x, { type Y } from './lib.mjs';
      import data from "./data.json" with { type: "json" };
      export { z } from "../up.mjs?x=1";
      const w = new Worker(new URL("./w.mjs", import.meta.url), { argv: [] });
      const y = require("./y.cjs"), q = await import("./q.mjs", { with: {} });
      // What we require of a tool: an import of what is in import.meta.dirname.
      Array.from("abc");
    `;
    expect(unsealedImports(code)).toEqual([]);
  });

  test("include a path out of the project, existing or not", () => {
    const dir = folder({ "p/m.mjs": 'import "./in.mjs";\nimport "../out.mjs";\n', "p/in.mjs": "" });
    expect(unsealedModules(join(dir, "p/m.mjs"), join(dir, "p"))).toEqual(["../out.mjs"]);
  });
});

test("imports with literal paths are sealed, including workers", () => {
  const files = {
    "m.mjs": 'import "./a.mjs?v=1";\nnew Worker(new URL("./w.mjs", import.meta.url));\n',
    "a.mjs": 'require("./b")\n',
    "b.js": "",
    "w.mjs": "",
  };
  const dir = folder(files);
  const textOf = (file: string) => files[file.slice(dir.length + 1) as keyof typeof files];
  const names = new ModuleGraph(textOf)
    .filesOf(join(dir, "m.mjs"))
    .map((file) => file.slice(dir.length + 1));
  expect(names.sort()).toEqual(["a.mjs", "b.js", "m.mjs", "w.mjs"]);
});

test("importedPackages lists packages", () => {
  const code = `import "@acme/words/x"; require("zod"); import "node:fs"; import "fs"; import "./x.mjs"`;
  expect(importedPackages(code).sort()).toEqual(["@acme/words", "zod"]);
});
