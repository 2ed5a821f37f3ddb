import { expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";

const redactor = createRedactor();
/** Two halves, so that no scanner takes this file for one with a key. */
const [A, B] = ["AKIAQYLPMN", "5HFIQR7XYA"];
const M = "[redacted]";

/** Sequence → one that a terminal does not show. */
const SEQUENCES: Readonly<Record<string, string>> = {
  color: "\x1b[31m",
  "256 colors": "\x1b[38;5;9m",
  reset: "\x1b[m",
  erase: "\x1b[2K",
  "private mode": "\x1b[?25l",
  "with an intermediate": "\x1b[0 q",
  "8-bit CSI": "\x9b31m",
  "hyperlink, ST": "\x1b]8;;https://h.test/\x1b\\",
  "hyperlink, BEL": "\x1b]8;id=1;https://h.test/\x07",
  "hyperlink, 8-bit": "\x9d8;;https://h.test/\x9c",
  title: "\x1b]0;C:\\work\x07",
  DCS: "\x1bPq#0\x1b\\",
  APC: "\x1b_Gi=1;AAA\x1b\\",
  "character set": "\x1b(B",
  "single character": "\x1bM",
  "save cursor": "\x1b7",
  "8-bit single": "\x84",
  "JSON in a text": "\\u001b[31m",
  "JSON, hyperlink": "\\u001b]8;;https://h.test/\\u0007",
  "JSON in JSON": "\\\\u001b[1;31m",
  "source code": "\\x1b[0m",
  Rust: "\\u{1b}[0m",
  octal: "\\033[1m",
  shell: "\\e[0m",
  "cat -v": "^[[0m",
};

test.each(Object.entries(SEQUENCES))("escape sequences are no part of a word: %s", (_, e) => {
  const rows: readonly (readonly [string, string])[] = [
    [`${e}${A}${B}${e} x`, `${e}${M}${e} x`],
    [`a ${A}${e}${B} b`, `a ${M} b`],
    [`NAME_TOKEN${e}=abc123 b`, `NAME_TOKEN${e}=${M} b`],
    [`NAME_TOKEN=${e}abc123${e} b`, `NAME_TOKEN=${e}${M}${e} b`],
    [`NAME_${e}TOKEN=abc${e}123 b`, `NAME_${e}TOKEN=${M} b`],
    [`"pass${e}word": "hunter2"`, `"pass${e}word": "${M}"`],
    [`https://bob:hun${e}ter2@h.test/`, `https://bob:${M}@h.test/`],
    [`${e}token count${e}: 5 ${e}passed${e}`, `${e}token count${e}: 5 ${e}passed${e}`],
  ];
  for (const [text, masked] of rows) {
    expect(redactor.text(text)).toBe(masked);
    expect(redactor.text(masked)).toBe(masked);
  }
});

test("escape sequences: what they contain is searched, too", () => {
  const text = `\x1b]8;;https://h.test/?token=abc123\x1b\\page\x1b]8;;\x1b\\ \x1b]0;login --password hunter2\x07`;
  expect(redactor.text(text)).toBe(
    `\x1b]8;;https://h.test/?token=${M}\x1b\\page\x1b]8;;\x1b\\ \x1b]0;login --password ${M}\x07`,
  );
});

test("escape sequences: the cursor moves between words, and ESC may stand before one", () => {
  expect(redactor.text(`key\x1b[5C${A}${B} x`)).not.toContain(B);
  expect(redactor.text("login\x1b[1C--password\x1b[1Chunter2")).not.toContain("hunter2");
  expect(redactor.text(`\x1b${A}${B} x`)).not.toContain(B);
});

test("escape sequences in the names of values and in one's own patterns", () => {
  const own = createRedactor({
    keys: ["acme pin"],
    patterns: ["acme-[0-9]{6}"],
  });
  const value = { "\x1b[1mpass\x1b[0mword": 12, "acme\x1b[0m-pin": "abc", other: "abc" };
  expect(Object.values(own.value(value))).toEqual([M, M, "abc"]);
  expect(own.text("acme-\x1b[1m123456\x1b[0m b")).toBe(`${M} b`);
  expect(own.text("\x1b[1macme-123456\x1b[0m b")).toBe(`\x1b[1m${M}\x1b[0m b`);
});
