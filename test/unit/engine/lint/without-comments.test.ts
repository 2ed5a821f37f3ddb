import { array, assert, constantFrom, property } from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";
import { Lexer, NotParsed, withoutComments } from "../../../../src/engine/lint/lexer.ts";

/** The tokens of a text, each with its line and column. */
function tokens(text: string) {
  const lexer = new Lexer(text);
  const all: string[] = [];
  let [line, lineStart, from] = [1, 0, 0];
  for (;;) {
    const { type, text: value, start } = lexer.next();
    for (const end of text.slice(from, start).matchAll(/\r\n|\n\r|\r|\n/g)) {
      line += 1;
      lineStart = from + end.index + end[0].length;
    }
    from = start;
    if (type === "end of file") return [...all, `end in line ${line}`];
    all.push(`${line}:${start - lineStart} ${type} ${value}`);
  }
}

test.each([
  ["a line", "local a = 1 -- one\nreturn a\n", "local a = 1\nreturn a\n"],
  ["lines", "-- a\n  -- b\n\n  return 1\n-- end", "\n\n\n  return 1\n"],
  ["several lines", "a = 1 --[==[ x\n ]] y\n]==] b = 2", "a = 1\n\n     b = 2"],
  ["between two words", "return--[[x]]1", "return       1"],
  ["after tabs", "\t\tlocal a --[[x]]\t= 1", "\t\tlocal a        \t= 1"],
  ["other line ends", "a = 1 -- x\r\nb = 2 -- y\r\n", "a = 1\nb = 2\n"],
  ["what is a string", 'a = "-- x" b = [[\n-- y\n]]', 'a = "-- x" b = [[\n-- y\n]]'],
  ["a licence", "-- Copyright X\n-- SPDX-License-Identifier: MIT\nreturn 1", undefined],
  ["what is not Lua", "return = -- x\n!", undefined],
  ["a comment without an end", "return 1 --[[ x", undefined],
])("comments: %s", (_what, text, expected) => {
  expect(withoutComments(text)).toBe(expected ?? text);
});

test("the shipped hooks have the same tokens at the same places without their comments", () => {
  const folder = new URL("../../../../hooks/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".lua"));
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const text = readFileSync(new URL(name, folder), "latin1");
    const short = withoutComments(text);
    expect(tokens(short)).toEqual(tokens(text));
    expect(short.length, name).toBeLessThan(text.length);
  }
});

repeatedTest("any text has the same tokens at the same places without its comments", () => {
  const piece = constantFrom(
    ..."a,1,=,--,-,[[,]],[=[,]=],\",',\\,\n,\r,\r\n, ,\t,--[[,return,licence,é".split(","),
  );
  assert(
    property(array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      let before: string[];
      try {
        before = tokens(text);
      } catch (thrown) {
        if (!(thrown instanceof NotParsed)) throw thrown;
        expect(withoutComments(text)).toBe(text);
        return;
      }
      expect(tokens(withoutComments(text))).toEqual(before);
    }),
    { numRuns: runCount(5000) },
  );
});
