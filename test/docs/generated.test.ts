import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KEY_DOCS } from "../../src/config/key-docs.ts";
import { configJsonSchema, documentedPaths } from "./config-json-schema.ts";
import { luaDefinitions } from "./definitions/lua-definitions.ts";
import { keyDocPages } from "./key-doc-pages.ts";
import { pages, ROOT } from "./pages.ts";
import { errorsPage, hookPointsPage, PARTS, withParts } from "./rendered.ts";

const UPDATE = process.env["UPDATE_DOCS"] === "1";

/** Hold a page against what the code's tables make of it, or write it when UPDATE_DOCS=1 is set. */
function expectPage(path: string, made: string): void {
  if (UPDATE) writeFileSync(ROOT + path, made);
  expect(readFileSync(ROOT + path, "utf8")).toBe(made);
}

test("docs/hook-points.md says what the table of points says", () => {
  expectPage("docs/hook-points.md", hookPointsPage());
});

test("docs/errors.md says what the table of codes says", () => {
  expectPage("docs/errors.md", errorsPage());
});

test("lua/meta/orcs.lua says what the tables of points, functions, tools and keys say", () => {
  expectPage("lua/meta/orcs.lua", luaDefinitions());
});

test("schema/orcs.schema.json says what the schema of the configuration says", () => {
  expectPage("schema/orcs.schema.json", `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
});

test("every key of the configuration has its line, and every line stands in the docs", () => {
  expect(Object.keys(KEY_DOCS).sort()).toEqual(documentedPaths().sort());
  const standing = new Set<string>();
  for (const { path, made, paths } of keyDocPages()) {
    for (const each of paths) standing.add(each);
    expectPage(path, made);
  }
  // What is said of a table as a whole stands above it, in more words; tests have a page of their own.
  const documented = Object.keys(KEY_DOCS);
  const inTables = documented.filter(
    (path) =>
      !documented.some((other) => other.startsWith(`${path}.`)) &&
      !/^(?:tests|event|expect|calls)\./.test(path),
  );
  expect([...standing].sort()).toEqual(inTables.sort());
});

test("the made parts of pages say what their tables say, and each stands somewhere", () => {
  const found = new Set<string>();
  for (const { path, text } of pages()) {
    for (const [, name = ""] of text.matchAll(/<!-- made: ([\w-]+) -->/g)) found.add(name);
    if (text.includes("<!-- made: ")) expectPage(path, withParts(text));
  }
  expect([...found].sort()).toEqual(Object.keys(PARTS).sort());
});
