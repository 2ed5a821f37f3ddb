import { expect, test } from "vitest";
import { LineSplitter } from "../../../../src/machine/spawn/lines.ts";

function split(chunks: readonly string[], maxBytes = 100): string[] {
  const seen: string[] = [];
  const splitter = new LineSplitter(maxBytes, {
    line: (bytes) => void seen.push(bytes.toString()),
    tooLong: () => void seen.push("<too long>"),
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  splitter.end();
  return seen;
}

test.each([
  ["half a line at the end is a line", ["a\nb"], ["a\n", "b"]],
  ["a line in three chunks", ["a", "b", "c\n"], ["abc\n"]],
  ["empty lines and CRLF", ["\n\r\n", "\n"], ["\n", "\r\n", "\n"]],
  ["nothing", [], []],
  ["an empty chunk", [""], []],
])("line splitter: %s", (_, chunks, lines) => {
  expect(split(chunks)).toEqual(lines);
});

test("line splitter drops a line that is too long, and continues with the next", () => {
  expect(split(["12345678", "90123", "x\nshort\n"], 10)).toEqual(["<too long>", "short\n"]);
  expect(split(["123456789\n", "1234567890\n", "1234567890123"], 10)).toEqual([
    "123456789\n",
    "<too long>",
    "<too long>",
  ]);
});
