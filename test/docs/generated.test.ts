import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
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

test("the made parts of pages say what their tables say, and each stands somewhere", () => {
  const found = new Set<string>();
  for (const { path, text } of pages()) {
    for (const [, name = ""] of text.matchAll(/<!-- made: ([\w-]+) -->/g)) found.add(name);
    if (text.includes("<!-- made: ")) expectPage(path, withParts(text));
  }
  expect([...found].sort()).toEqual(Object.keys(PARTS).sort());
});
