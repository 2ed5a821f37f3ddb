import { appendFileSync, closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MAX_RECORD_LINE } from "../../../../src/records/recording/format.ts";
import { readRecord } from "../../../../src/records/recording/read-record.ts";
import type { ReadRecordOptions } from "../../../../src/records/recording/read-record.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import { scratch } from "./scratch.ts";

const HEADER = '{"orcs":"record","version":1,"time":"2026-01-01T00:00:00.000Z","whole":false}\n';
const event = (n: number, more: object = {}): string =>
  `${JSON.stringify({ at: n, point: "tool.pre_execute", component: "host::main", channel: "main", principal: { type: "Host", id: "main" }, payload: { n }, outcome: { action: "continue", edits: [] }, duration_ms: 0, ...more })}\n`;
const CALL = '{"call":{"kind":"exec","args":{"command":"ls"},"result":{"ok":true}},"depth":1}\n';

function refusal(text: string | Uint8Array, options?: ReadRecordOptions): string {
  try {
    return JSON.stringify([...readRecord(scratch(text), options)]);
  } catch (thrown) {
    if (thrown instanceof OrcsError && thrown.code === "ORCS8007")
      return thrown.message.replace(/\S*record\.jsonl/, "FILE");
    throw thrown;
  }
}

test("readRecord returns events and calls in order, with line numbers", () => {
  const headers: unknown[] = [];
  const file = scratch(HEADER + event(1) + CALL + event(2));
  const read = [...readRecord(file, { begun: (header) => headers.push(header) })];
  expect(
    read.map(({ line, entry }) => [line, "call" in entry ? entry.call.kind : entry.at]),
  ).toEqual([
    [2, 1],
    [3, "exec"],
    [4, 2],
  ]);
  expect(headers).toEqual([
    { orcs: "record", version: 1, time: "2026-01-01T00:00:00.000Z", whole: false },
  ]);
});

test("readRecord accepts an empty record", () => {
  expect([...readRecord(scratch(HEADER))]).toEqual([]);
});

const REFUSED: Readonly<Record<string, readonly [text: string | Uint8Array, why: string]>> = {
  nothing: ["", "ORCS8007: FILE:1: this is not a record of orcs"],
  "an empty line": ["\n", "ORCS8007: FILE:1: this is not a record of orcs"],
  "a cut header": [HEADER.slice(0, 30), "ORCS8007: FILE:1: this is not a record of orcs"],
  "another kind of file": ["debug = true\n", "ORCS8007: FILE:1: this is not a record of orcs"],
  "another kind of JSON": ['{"seq":1}\n', "ORCS8007: FILE:1: this is not a record of orcs"],
  "a list": ["[]\n", "ORCS8007: FILE:1: this is not a record of orcs"],
  "bytes that are no text": [
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 10]),
    "ORCS8007: FILE:1: this is not a record of orcs",
  ],
  "a record of another version": [
    HEADER.replace('"version":1', '"version":2') + event(1),
    "ORCS8007: FILE:1: the record has version 2; this orcs supports version 1",
  ],
  "a version that is none": [
    HEADER.replace('"version":1', '"version":"one"'),
    "ORCS8007: FILE:1: the record has an unknown version; this orcs supports version 1",
  ],
  "a header without a key": [
    HEADER.replace(',"whole":false', ""),
    "ORCS8007: FILE:1: its header is damaged",
  ],
  "a damaged line": [
    `${HEADER + event(1)}{"at":2,"po\n${event(3)}`,
    "ORCS8007: FILE:3: it is not JSON",
  ],
  "an empty line within": [`${HEADER}\n${event(1)}`, "ORCS8007: FILE:2: it is not JSON"],
  "neither an event nor a call": [
    `${HEADER + event(1)}{"seq":1}\n`,
    "ORCS8007: FILE:3: it is neither an event nor a call",
  ],
  "a bare value": [`${HEADER}null\n`, "ORCS8007: FILE:2: it is neither an event nor a call"],
  "an event without payload": [
    HEADER + event(1, { payload: undefined }),
    "ORCS8007: FILE:2: it is neither an event nor a call",
  ],
  "an event without edits": [
    HEADER + event(1, { outcome: { action: "continue" } }),
    "ORCS8007: FILE:2: it is neither an event nor a call",
  ],
  "a call without arguments": [
    `${HEADER}{"call":{"kind":"exec"},"depth":1}\n`,
    "ORCS8007: FILE:2: it is neither an event nor a call",
  ],
  "two records in one": [
    HEADER + event(1) + HEADER.replace("false", "true"),
    "ORCS8007: FILE:3: from here on secrets are stored differently",
  ],
};

test.each(Object.entries(REFUSED))("readRecord rejects %s", (_name, [text, why]) => {
  expect(refusal(text)).toContain(why);
});

test("readRecord returns entries before a damaged line, and closes the file", () => {
  const file = scratch(`${HEADER + event(1)}nonsense\n`);
  const given: number[] = [];
  expect(() => {
    for (const { line } of readRecord(file)) given.push(line);
  }).toThrow("record.jsonl:3");
  expect(given).toEqual([2]);
  const whole = scratch(HEADER + event(1) + event(2));
  const before = nextDescriptor(whole);
  for (let i = 0; i < 100; i++) for (const _ of readRecord(whole)) break;
  expect(nextDescriptor(whole) - before).toBeLessThan(50);
});

describe("readRecord with a truncated last line", () => {
  const text = HEADER + event(1) + event(2).slice(0, 40);

  test("skips it with a note", () => {
    const notes: string[] = [];
    const file = scratch(text);
    expect([...readRecord(file, { note: (note) => notes.push(note) })]).toHaveLength(1);
    expect(notes).toEqual([`${file} is truncated in line 3, which is ignored`]);
    expect([...readRecord(file)]).toHaveLength(1);
  });

  test("fails in strict mode", () => {
    expect(refusal(text, { strict: true })).toBe("ORCS8007: FILE is truncated in line 3");
  });

  test("accepts it if only the newline is missing", () => {
    const file = scratch((HEADER + event(1)).trimEnd());
    expect([...readRecord(file, { strict: true })]).toHaveLength(1);
  });

  test("skips it if it ends within a multi-byte character", () => {
    const bytes = Buffer.from(HEADER + event(1, { payload: { text: "é" } }));
    expect([...readRecord(scratch(bytes.subarray(0, bytes.indexOf(0xc3) + 1)))]).toEqual([]);
  });
});

test("readRecord skips a second header from a concurrent writer", () => {
  const file = scratch(HEADER + event(1) + HEADER + event(2));
  expect([...readRecord(file)].map(({ line }) => line)).toEqual([2, 4]);
});

test("readRecord rejects a missing file and a directory", () => {
  const file = scratch();
  expect(() => [...readRecord(file)]).toThrow(/ORCS8007: .*record\.jsonl cannot be read: ENOENT/);
  mkdirSync(file);
  expect(() => [...readRecord(file)]).toThrow(/ORCS8007: .*record\.jsonl cannot be read: EISDIR/);
});

describe("readRecord across one-megabyte blocks", () => {
  test("handles lines and multi-byte characters that span them", () => {
    const lines: string[] = [];
    let size = HEADER.length;
    for (let n = 0; size < 3.2 * 2 ** 20; n++) {
      // Lengths that meet the edges in all ways.
      lines.push(event(n, { payload: { n, text: "é€😀".repeat(n % 97) } }));
      size += Buffer.byteLength(lines.at(-1) ?? "");
    }
    const read = [...readRecord(scratch(HEADER + lines.join("")))];
    expect(read.map(({ entry }) => `${JSON.stringify(entry)}\n`)).toEqual(lines);
    expect(read.at(-1)?.line).toBe(lines.length + 1);
  });

  test("handles a line that ends at a block's end", () => {
    const pad = 2 ** 20 - HEADER.length - event(1, { payload: { text: "" } }).length;
    const full = event(1, { payload: { text: "x".repeat(pad) } });
    expect((HEADER + full).length).toBe(2 ** 20);
    expect([...readRecord(scratch(HEADER + full + event(2)))]).toHaveLength(2);
  });

  test("handles a line of many blocks", () => {
    const long = event(1, { payload: { text: "é".repeat(8 * 2 ** 20) } });
    const read = [...readRecord(scratch(HEADER + long + event(2)))];
    expect(read.map(({ entry }) => `${JSON.stringify(entry)}\n`)).toEqual([long, event(2)]);
  });

  test("rejects a line longer than the limit without keeping it in memory", () => {
    const file = scratch(HEADER + event(1));
    const opened = openSync(file, "a");
    const block = Buffer.alloc(2 ** 20, "x");
    for (let i = 0; i <= MAX_RECORD_LINE / block.length; i++) writeSync(opened, block);
    closeSync(opened);
    appendFileSync(file, `\n${event(2)}`);
    expect(() => [...readRecord(file)]).toThrow(/record\.jsonl:3: the line is longer than 64 MB/);
  });
});

/** The lowest one that is free. */
function nextDescriptor(file: string): number {
  const opened = openSync(file, "r");
  closeSync(opened);
  return opened;
}
