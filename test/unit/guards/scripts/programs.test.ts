import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { repeatedTest, shareOf } from "../../../slow-test.ts";
import { guards, project, verdict } from "./script-rig.ts";

/** Each program with the line that runs it, and whether that is denied. */
const PROGRAMS = readFileSync(new URL("programs.txt", import.meta.url), "utf8")
  .split(/^==== /m)
  .slice(1)
  .map((part) => {
    const [heading = "", ...text] = part.split("\n");
    const [wanted = "", line = ""] = heading.split(": ");
    return { wanted, line, text: text.join("\n") };
  });

repeatedTest(
  "programs that do harm outside of the project are denied in any language, everyday ones are not",
  async () => {
    const orcs = await guards();
    const wrong: string[] = [];
    for (const { wanted, line, text } of shareOf(PROGRAMS, 3)) {
      const name = line.split(/[ /]/).at(-1) ?? "";
      const found = await verdict(orcs, line, project({ [name]: text }));
      if (!found.startsWith(wanted)) wrong.push(`${found}, not ${wanted}: ${line}\n${text}`);
    }
    expect(wrong, wrong.join("\n")).toEqual([]);
  },
  60_000,
);
