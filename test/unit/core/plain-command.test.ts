import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../slow-test.ts";
import { plainCommand, readExactWords } from "../../../src/core/shell-words.ts";
import { createShellReader } from "../../../src/matching/shell/shell.ts";

const SPECIAL = ["if", "!", "time", "A=1", "~", "*", "it's", "", "-", "a b", "$X", "\n", "#", "\\"];
const word = fc
  .oneof(fc.string({ maxLength: 12 }), fc.constantFrom(...SPECIAL))
  .filter((text) => !text.includes("\0"));

describe("a plain command", () => {
  test.each([
    ["rm", ["-rf", "/tmp/x"], "rm -rf /tmp/x"],
    ["git", ["commit", "-m", "it's"], "git commit -m 'it'\\''s'"],
    ["A=1", ["x=1"], "'A=1' x=1"],
    ["if", ["if"], "'if' if"],
    ["time", ["ls"], "'time' ls"],
    ["./run", ["*", ""], "./run '*' ''"],
  ])("%s %j", (program, args, line) => {
    expect(plainCommand(program, args)).toBe(line);
  });

  repeatedTest("gives back exactly its words, and a guard reads the same ones", () => {
    const reader = createShellReader({});
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 5 }), (program, args) => {
        const line = plainCommand(program, args);
        const words = readExactWords(line);
        expect(words?.map(({ text }) => text)).toEqual([program, ...args]);
        expect(words?.every(({ literal }) => literal)).toBe(true);
        if (/^[a-z]+$/.test(program))
          expect(reader.read(line).commands[0]?.argv).toEqual([program, ...args]);
      }),
      { numRuns: runCount(500) },
    );
  });
});
