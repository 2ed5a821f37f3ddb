import { expect } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type {
  DecodedEvent,
  HostAnswer,
  HostOptions,
  HostProtocol,
} from "../../src/formats/host-protocol.ts";

/** A path may hold anything: a line's end, what steers a terminal, half a character. */
export const NOTICE = "the hooks of /w/\u001b[2J\n\ud800 are not active";
const LINE = "orcs: the hooks of /w/\\u001b[2J\\u000a\ufffd are not active";

/** The keys of an output that the user is shown, and where the notice must be, by hand for each host. */
export interface Shown {
  readonly keys: readonly string[];
  readonly way: "output" | "output and stderr" | "stderr" | "nowhere" | "code";
}

/** The answer with a notice, which is the same answer with a line where the user reads it, and nowhere else. */
export function noticed(
  host: HostProtocol,
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
  { keys, way }: Shown,
): HostAnswer {
  const without = host.encode(decoded, outcome, options);
  expect(JSON.stringify(without)).not.toContain("not active");
  const answer = host.encode(decoded, outcome, { ...options, notice: NOTICE });
  const exits = answer.code !== 0;
  const shown = keys.filter((key) => endsWithLine(answer.output?.[key]));
  expect(shown.length > 0).toBe(way.startsWith("output"));
  if (exits) expect(endsWithLine(answer.message)).toBe(way !== "nowhere");
  expect(answer.notice).toBe(!exits && way.endsWith("stderr") ? LINE : undefined);
  // Whatever else there is stays, to the letter: nothing that is a decision, and nothing that a model reads.
  const output = Object.fromEntries(
    Object.entries(answer.output ?? {}).flatMap(([key, value]) => {
      const left = shown.includes(key) ? withoutLine(value) : value;
      return left === undefined ? [] : [[key, left] as const];
    }),
  );
  expect(output).toEqual(without.output ?? {});
  expect({ code: answer.code, downgrades: answer.downgrades }).toEqual({
    code: without.code,
    downgrades: without.downgrades,
  });
  const message = exits && way !== "nowhere" ? withoutLine(answer.message ?? null) : answer.message;
  expect(message).toBe(without.message);
  if (way === "nowhere" || way === "stderr") expect(answer.output).toEqual(without.output);
  return answer;
}

function endsWithLine(value: Json | undefined): boolean {
  return typeof value === "string" && (value === LINE || value.endsWith(`\n${LINE}`));
}

/** What stood there before. */
function withoutLine(value: Json): Json | undefined {
  const text = value as string;
  return text === LINE ? undefined : text.slice(0, -LINE.length - 1);
}
