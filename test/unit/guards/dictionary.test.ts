import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createDictionary } from "../../../src/guards/programs/dictionary.ts";
import { rowsOf } from "../../../src/guards/programs/notation.ts";
import { FUNCTIONS } from "../../../src/guards/effects/functions.ts";

const ROWS = new URL("../../../src/guards/programs/rows/", import.meta.url);

test("each row can be read, stands once, and names a function that there is", () => {
  const dictionary = createDictionary();
  const seen = new Map<string, string>();
  const twice: string[] = [];
  for (const file of readdirSync(ROWS)) {
    const text = /`\n([\s\S]*)`/.exec(readFileSync(new URL(file, ROWS), "utf8"))?.[1] ?? "";
    for (const [names] of rowsOf(text))
      for (const name of names) {
        if (seen.has(name)) twice.push(`${name}: ${seen.get(name)} and ${file}`);
        seen.set(name, file);
        const fn = dictionary.row(name)?.fn;
        if (fn !== undefined) expect(Object.keys(FUNCTIONS), name).toContain(fn);
      }
  }
  expect(twice).toEqual([]);
  expect([...dictionary.names()].sort()).toEqual([...seen.keys()].sort());
});
