import { expect, test } from "vitest";
import { ALL_TEXTS, programs } from "../../../src/matching/programs/dictionary.ts";
import { rowsOf } from "../../../src/matching/programs/notation.ts";
import { FUNCTIONS } from "../../../src/guards/effects/functions.ts";

test("each row can be read, stands once, and names a function that there is", () => {
  const dictionary = programs();
  const names = ALL_TEXTS.flatMap(rowsOf).flatMap(([all]) => all);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const missing = names.filter((name) => {
    const fn = dictionary.row(name)?.fn;
    return fn !== undefined && !Object.hasOwn(FUNCTIONS, fn);
  });
  expect(missing).toEqual([]);
  expect(new Set(names)).toEqual(new Set([...names, ...dictionary.names()]));
});

test("each option of a row is listed once", () => {
  const twice = ALL_TEXTS.flatMap(rowsOf).flatMap(([[name = ""], row]) => {
    const words = (row.split("|")[1] ?? "").split(/\s+/).filter((word) => /^[-/]/.test(word));
    const options = words.flatMap((word) => (/^[^=:]*/.exec(word)?.[0] ?? "").split(","));
    return options
      .filter((option, at) => options.indexOf(option) !== at)
      .map((each) => [name, each]);
  });
  expect(twice).toEqual([]);
});
