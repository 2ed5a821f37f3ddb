import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { MAX_RECORD_LINE } from "../../../../src/records/recording/format.ts";
import { RecordWriter } from "../../../../src/records/recording/write-record.ts";
import type { WriterOptions } from "../../../../src/records/recording/write-record.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import { scratch } from "./scratch.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";

function open(file: string, more: Partial<WriterOptions> = {}): RecordWriter {
  const writer = new RecordWriter({
    file,
    whole: false,
    stopped: (error) => expect.unreachable(error.message),
    ...more,
  });
  onTestFinished(() => writer.close());
  return writer;
}

function lines(file: string): unknown[] {
  const text = readFileSync(file, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

function refusal(file: string, more: Partial<WriterOptions> = {}): string {
  try {
    open(file, more);
    return "none";
  } catch (thrown) {
    if (thrown instanceof OrcsError) return thrown.message.replaceAll(file, "FILE");
    throw thrown;
  }
}

const HEADER = {
  orcs: "record",
  version: 1,
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
  whole: false,
};

test("a new record file has its header at once, and is private", () => {
  const file = scratch();
  open(file, { config: "c0ffee" });
  expect(lines(file)).toEqual([{ ...HEADER, config: "c0ffee" }]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("an empty file gets a header and keeps its mode", () => {
  const file = scratch("");
  chmodSync(file, 0o640);
  open(file).add("1\n");
  open(file).close();
  expect(lines(file)).toEqual([HEADER]);
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

test("an existing record is appended to without a second header", () => {
  const file = scratch();
  for (const line of ["1\n", "2\n", "3\n"]) {
    const writer = open(file);
    expect(writer.add(line)).toBe(true);
    writer.close();
  }
  expect(lines(file)).toEqual([HEADER, 1, 2, 3]);
});

describe("a file that cannot be appended to stays unchanged", () => {
  const whole = '{"orcs":"record","version":1,"time":"t","whole":true}\n';
  const REFUSED: Readonly<Record<string, readonly [text: string, why: string]>> = {
    "another kind of file": [
      "debug = true\n",
      "this is not a record of orcs; record into another file",
    ],
    "one without a line feed": ["x", "this is not a record of orcs; record into another file"],
    "another kind of JSON": [
      '{"seq":1}\n',
      "this is not a record of orcs; record into another file",
    ],
    "a header longer than any": [
      `${JSON.stringify({ orcs: "record", version: 1, time: "t".repeat(5000), whole: false })}\n`,
      "this is not a record of orcs; record into another file",
    ],
    "another version": [
      whole.replace(":1,", ":7,"),
      "the record has version 7; this orcs supports version 1; record into another file",
    ],
    "one that keeps secrets": [
      whole,
      "its secrets are whole, but masked was requested; record into another file",
    ],
    "a cut last line": [
      `${whole.replace("true", "false")}{"at":`,
      "its last line is incomplete; remove the line, or record into another file",
    ],
  };

  test.each(Object.entries(REFUSED))("%s", (_name, [text, why]) => {
    const file = scratch(text);
    expect(refusal(file)).toBe(`ORCS8007: FILE: ${why}`);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("a masked record, when secrets are to be kept", () => {
    const text = whole.replace("true", "false");
    const file = scratch(text);
    expect(refusal(file, { whole: true })).toBe(
      "ORCS8007: FILE: its secrets are masked, but whole was requested; record into another file",
    );
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  const notOpened = (why: string): string =>
    `ORCS8008: FILE cannot be opened for recording: it is ${why}`;

  test("a symlink", () => {
    const file = scratch();
    const link = join(dirname(file), "link");
    open(file).close();
    symlinkSync(file, link);
    expect(refusal(link)).toBe(notOpened("a symbolic link"));
    expect(lines(file)).toEqual([HEADER]);
  });

  test("a device", () => {
    expect(refusal("/dev/null")).toBe(notOpened("not a regular file"));
  });

  test("a named pipe, without waiting", () => {
    const file = scratch();
    expect(spawnSync("sh", ["-c", 'mkfifo "$0"', file]).status).toBe(0);
    expect(refusal(file)).toBe(notOpened("not a regular file"));
  });
});

test("a record that cannot be opened is reported with the reason", () => {
  const file = scratch();
  mkdirSync(file);
  expect(refusal(file)).toMatch(/^ORCS8008: FILE cannot be opened for recording: EISDIR/);
  const missing = join(file, "no", "record.jsonl");
  expect(refusal(missing)).toMatch(/^ORCS8008: FILE cannot be opened for recording: ENOENT/);
});

test("lines are written after 50 ms, at 256 KB, or on close", async () => {
  const file = scratch();
  const writer = open(file);
  writer.add("1\n");
  expect(lines(file)).toEqual([HEADER]);
  await expect.poll(() => lines(file), { timeout: 5000 }).toEqual([HEADER, 1]);
  const large = JSON.stringify("x".repeat(100 * 1024));
  writer.add(`${large}\n`);
  writer.add(`${large}\n`);
  expect(lines(file)).toHaveLength(2);
  writer.add(`${large}\n`);
  expect(lines(file)).toHaveLength(5);
  writer.add("2\n");
  writer.close();
  expect(lines(file).at(-1)).toBe(2);
});

test("several writers append whole lines", () => {
  const file = scratch();
  const writers = [1, 2, 3].map(() => open(file));
  const line = (n: number, i: number): string => `${JSON.stringify({ n, i, x: "é".repeat(i) })}\n`;
  for (let i = 0; i < 600; i++) writers.forEach((writer, n) => writer.add(line(n, i)));
  for (const writer of writers) writer.close();
  const [, ...read] = lines(file) as { n: number; i: number }[];
  for (const n of [0, 1, 2]) {
    expect(read.filter((entry) => entry.n === n).map(({ i }) => i)).toEqual(
      Array.from({ length: 600 }, (_, i) => i),
    );
  }
});

slowTest("a line longer than the limit is dropped", () => {
  const file = scratch();
  const writer = open(file);
  const chars = Math.floor(MAX_RECORD_LINE / 3);
  expect(writer.add(`"${"€".repeat(chars)}"\n`)).toBe(false);
  expect(writer.add(`"${"x".repeat(chars)}"\n`)).toBe(true);
  writer.add("1\n");
  writer.close();
  expect(lines(file)).toEqual([HEADER, "x".repeat(chars), 1]);
});

describe("recording to a full disk", () => {
  const full = (): never => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  };

  test("ends with one error, and nothing throws", () => {
    const file = scratch();
    const errors: string[] = [];
    const writer = open(file, { write: full, stopped: ({ message }) => errors.push(message) });
    writer.add("1\n");
    expect(() => writer.flush()).not.toThrow();
    expect(writer.isOpen).toBe(false);
    writer.add("2\n");
    writer.flush();
    writer.close();
    expect(errors).toEqual([
      `ORCS8008: recording into ${file} stopped: ENOSPC: no space left on device, write`,
    ]);
    expect(lines(file)).toEqual([HEADER]);
  });

  test("ends in the timer too", async () => {
    const errors: string[] = [];
    const writer = open(scratch(), { write: full, stopped: ({ code }) => errors.push(code) });
    writer.add("1\n");
    await expect.poll(() => errors, { timeout: 5000 }).toEqual(["ORCS8008"]);
  });
});

test("the writer waits for another process to finish its line", async () => {
  const file = scratch('{"orcs":"record","version":1,"time":"t","whole":false}\n{"half":');
  // In another process, for this one stands still while it waits; told to begin by its input.
  const rest = `process.stdin.once("data", () => require("fs").appendFileSync(${JSON.stringify(file)}, "1}\\n"))`;
  const other = spawn(process.execPath, ["-e", `${rest}; console.log("up")`]);
  const ended = once(other, "close");
  await once(other.stdout, "data");
  other.stdin.end("now");
  await new Promise((resolve) => setImmediate(resolve));
  // Again, for a machine with other things to do.
  await expect.poll(() => refusal(file), { timeout: 10_000, interval: 1 }).toBe("none");
  await ended;
  expect(lines(file)).toHaveLength(2);
});
