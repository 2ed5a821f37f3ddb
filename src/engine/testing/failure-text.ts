import { lineDiff } from "../../core/index.ts";
import type { Difference, TestResult } from "./run-hook-test.ts";

/** Maximum length of a shown value, in characters and in lines. */
const MOST_CHARS = 2000;
const MOST_LINES = 40;
/** The first half of a surrogate pair that was cut. */
const HALF = /[\uD800-\uDBFF]$/;

/** A failed test as text: its place, the expected and the actual values. */
export function failureText({ name, place, ...why }: TestResult): string {
  return [`✗ ${place.file}:${place.line} ${printable(name)}`, ...failureLines(why)].join("\n");
}

/** Why a test failed: the expected and the actual values. */
export function failureLines({
  message,
  differences = [],
}: Pick<TestResult, "message" | "differences">): string[] {
  const said = message === undefined ? [] : indented(cut(printable(message, true)));
  return [...said, ...differences.flatMap(differenceLines)];
}

/** A value on as many lines as needed, truncated when long. */
export function shownValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? "nothing";
  return cut(printable(text.length > 60 ? JSON.stringify(value, undefined, 2) : text, true));
}

/** Escape control characters, so that the output of a script cannot control the terminal. */
export function printable(text: string, keepLines = false): string {
  return text.replaceAll(/\p{Cc}/gu, (char) => {
    if (char === "\n") return keepLines ? char : "\\n";
    return char === "\t" ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

function differenceLines({ at, expected, got }: Difference): string[] {
  // Values of a test file are already text.
  const texts = [expected, got].map((value) =>
    at === "" && typeof value === "string" ? cut(printable(value, true)) : shownValue(value),
  ) as [string, string];
  const head = at === "" ? [] : [`  ${printable(at)}`];
  const [one, other] = texts.map((text) => text.split("\n")) as [string[], string[]];
  if (one.length === 1 && other.length === 1) {
    return [...head, `    expected  ${one[0]}`, `    got       ${other[0]}`];
  }
  return [...head, "    - expected  + got", ...lineDiff(one, other).map((line) => `    ${line}`)];
}

function cut(text: string): string {
  const short = text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS).replace(HALF, "")}…` : text;
  const lines = short.split("\n");
  if (lines.length <= MOST_LINES) return short;
  return [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`].join("\n");
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${line}`);
}
