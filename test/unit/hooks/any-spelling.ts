import * as fc from "fast-check";
import { expect } from "vitest";
import { runCount } from "../../slow-test.ts";
import type { Guard } from "./guard-rig.ts";

/** Commands that make no sense, or too much of it. */
const ODD: readonly unknown[] = [
  "'",
  '"',
  "cat <<EOF",
  "$(".repeat(2000),
  "(".repeat(65_536),
  "a|".repeat(5000),
  "cat a\0b",
  "cat a\r\ncat b\r\n",
  "сat .еnv",
  `cat ${"*a".repeat(2000)}`,
  `cat ${"[".repeat(2000)}`,
  `cat ${"../".repeat(2000)}x`,
  "x".repeat(100_000),
  [],
  [[["cat"]]],
  { command: "ls" },
  null,
  "",
  " ",
];

/** Whatever the command is, the hook itself does not fail. */
export async function expectVerdictOnAnything(guard: Guard): Promise<void> {
  for (const command of ODD) {
    expect((await guard.call("exec", { command })).reason).not.toContain("failed");
  }
}

const quoted = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;

const PLACES = [
  (path: string) => path,
  (path: string) => `./${path}`,
  (path: string) => `x/../${path}`,
  (path: string) => `.//${path}`,
];

const QUOTES = [
  (path: string) => path,
  (path: string) => `'${path}'`,
  (path: string) => `"${path}"`,
  (path: string) => path.replaceAll(/[a-z]/g, (char) => `\\${char}`),
  (path: string) => `${path.slice(0, 2)}''${path.slice(2)}`,
];

const WRAPS = [
  (line: string) => `sh -c ${quoted(line)}`,
  (line: string) => `sudo sh -c ${quoted(line)}`,
  (line: string) => `env A=1 bash -c ${quoted(line)}`,
  (line: string) => `( ${line} )`,
  (line: string) => `echo $( ${line} )`,
  (line: string) => `true && ${line}`,
  (line: string) => `if true; then ${line}; fi`,
];

/**
 * How a path is written, and what a command is wrapped in, changes no verdict.
 * @param dir where the guard's calls start
 * @param shapes commands with `PATH` in the place of a path
 */
export async function expectSameHoweverWritten(
  guard: Guard,
  dir: string,
  paths: readonly string[],
  shapes: readonly string[],
): Promise<void> {
  const places = [...PLACES, (path: string) => `${dir}/${path}`];
  const spelt = fc.record({
    path: fc.constantFrom(...paths),
    place: fc.constantFrom(...places),
    quote: fc.constantFrom(...QUOTES),
    shape: fc.constantFrom(...shapes),
    wraps: fc.array(fc.constantFrom(...WRAPS), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(spelt, async ({ path, place, quote, shape, wraps }) => {
      const written = shape.replace("PATH", () => quote(place(path)));
      const line = wraps.reduce((text, wrap) => wrap(text), written);
      const plain = await guard.call("exec", { command: shape.replace("PATH", path) });
      const { verdict } = await guard.call("exec", { command: line });
      expect([line, verdict]).toEqual([line, plain.verdict]);
    }),
    { numRuns: runCount(300) },
  );
}
