import { expect, it } from "vitest";
import { compileRuns } from "../../../../src/matching/shell/match-command.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";
import { patternTable } from "./pattern-table.ts";

/** Lines as people and agents write them, from the text to the verdict: what each pattern is expected to hold for. */
const LINES = patternTable("lines");

it.each(Object.entries(LINES))(
  "the pattern %s matches exactly the listed lines",
  (pattern, { yes, no }) => {
    const reader = createShellReader({ home: "/home/u" });
    const holds = compileRuns([pattern]);
    expect(
      [...yes, ...no].filter((line) => {
        const { commands, unread } = reader.read(line);
        return holds(commands, unread);
      }),
    ).toEqual(yes);
  },
);
