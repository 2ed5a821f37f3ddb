import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { headWith, Prefixes } from "../../../../src/guards/redact/prefixes.ts";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import { tokenForms, tokenKinds } from "../../../../src/guards/redact/token-kinds.ts";

const BEGINS = [...new Set(tokenKinds().flatMap(({ begins }) => begins))];
const prefixes = new Prefixes(tokenKinds());
const redactor = createRedactor();

/** What the table says about the places of a text, from left to right. */
function foundIn(text: string): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  let head = 0;
  for (let at = 0; at < text.length; at++) {
    head = headWith(head, text.charCodeAt(at));
    const from = at - 2;
    if (from < 0) continue;
    const may = prefixes.mayBegin(head, text, from);
    found.push(may ? prefixes.at(text, head, from, text.length) : undefined);
  }
  return found;
}

/** The longest prefix at each place, searched one by one. */
function expectedIn(text: string): (string | undefined)[] {
  return Array.from({ length: Math.max(0, text.length - 2) }, (_, from) =>
    BEGINS.filter((begin) => text.startsWith(begin, from)).reduce<string | undefined>(
      (best, begin) => (best === undefined || begin.length > best.length ? begin : best),
      undefined,
    ),
  );
}

const pieces = fc.oneof(
  fc.constantFrom(...BEGINS),
  fc.constantFrom(...BEGINS.map((begin) => begin.slice(0, -1))),
  fc.constantFrom(...BEGINS.map((begin) => begin.toUpperCase())),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);

describe("prefixes", () => {
  test("the table finds the longest prefix wherever a word begins", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join(" ");
        const found = foundIn(text);
        expectedIn(text).forEach((begin, from) => {
          if (found[from] !== undefined) expect(found[from]).toBe(begin);
          else if (begin !== undefined) expect(text[from - 1] ?? " ").toMatch(/\w/);
        });
      }),
    );
  });

  test.each(BEGINS)("%s is found as a word of its own", (begin) => {
    expect(foundIn(`see ${begin}x`)[4]).toBe(begin);
  });

  test("a prefix that ends a text is not read beyond it", () => {
    const head = Array.from("ghp", (char) => char.charCodeAt(0)).reduce(headWith, 0);
    expect(prefixes.at("ghp_", head, 0, 3)).toBe(undefined);
    expect(prefixes.at("ghp_", head, 0, 4)).toBe("ghp_");
  });
});

/** Conditions on what follows, which are no part of the form. */
const CONDITIONS = /\(\?[=!](?:[^()[\]]|\[[^\]]*\])*\)/g;

test.each(tokenForms())("$name: no shorter text has its form", ({ form, least }) => {
  const lengths = fc
    .sample(fc.stringMatching(new RegExp(`^(?:${form.replaceAll(CONDITIONS, "")})$`)), 200)
    .map(({ length }) => length);
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(least);
});

/** A program's password is searched in the words behind the program, which can be many and have many options. */
describe("a password in the arguments of a program", () => {
  test.each([0, 1, 40, 200, 290])("behind %i characters", (length) => {
    for (const word of ["x", "-x ", "--long-option ", "é"]) {
      const words = word.repeat(length).slice(0, length);
      expect(redactor.text(`sshpass ${words} -p hunter2 ssh`)).toBe(
        `sshpass ${words} -p [redacted] ssh`,
      );
    }
  });

  test("of the program on the same line only", () => {
    const lines = "sshpass -e x\nmkdir -p hunter2; sshpass\tmkdir -p hunter2 | mkdir -p hunter2";
    expect(redactor.text(lines)).toBe(lines.replace("mkdir -p hunter2 |", "mkdir -p [redacted] |"));
  });
});
