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
