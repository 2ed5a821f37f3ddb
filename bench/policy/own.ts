import { EVERYDAY } from "../../test/unit/hooks/shell-guard/everyday.ts";
import { TABLE } from "../../test/unit/hooks/shell-guard/table.ts";
import { distinct } from "./corpus.ts";
import type { Line } from "./corpus.ts";

/** Our own table of verdicts at a level: what it refuses or asks about is wanted stopped. */
export function ownLines(level: "default" | "strict"): Line[] {
  const lines = TABLE.filter((row) => row.level === level).map(({ line, verdict, trick }): Line => {
    const wants = verdict === "pass" ? "allow" : "stop";
    return { corpus: "own", line, wants, source: trick };
  });
  return distinct(lines);
}

/** What developers type all day. */
export function everydayLines(): Line[] {
  return EVERYDAY.map((line) => ({ corpus: "everyday", line, wants: "allow", source: "everyday" }));
}
