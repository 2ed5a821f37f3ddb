import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createEffectReader } from "../../../src/guards/index.ts";
import { createShellReader } from "../../../src/matching/index.ts";

const reader = createEffectReader(createShellReader({ home: "/home/me", root: "/" }), "/work");

/**
 * What a line reads, below `/work` if it does not begin with a slash: `?` in front if it is not sure, `/**` behind if all
 * below it is meant, `:` and what is shown if not all of it, `-` and what is left out, `@` if it is elsewhere.
 */
function reads(line: string): string {
  const { effects } = reader.ofCall({ tool_name: "exec", args: { command: line }, cwd: "/work" });
  return effects
    .filter(({ kind }) => kind === "read")
    .map(
      ({ target = "unknown", sure, recursive, shows, except, elsewhere }) =>
        `${sure ? "" : "?"}${target.replace("/work/", "")}${recursive ? "/**" : ""}` +
        `${shows ? `:${shows}` : ""}${except ? `-${except.join("-")}` : ""}${elsewhere ? "@" : ""}`,
    )
    .join(" ");
}

/** Rows `line → what it reads`; `⏎` stands for a line break. */
const ROWS = readFileSync(new URL("reads.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

describe("what command lines read", () => {
  test.each(ROWS)("%s", (row) => {
    const [line = ""] = row.split(" → ", 1);
    expect(`${line} → ${reads(line.replaceAll("⏎", "\n"))}`).toBe(row);
  });
});
