import { expect, test } from "vitest";
import { createEffectReader } from "../../../src/guards/index.ts";
import { createShellReader } from "../../../src/matching/index.ts";

const reader = createEffectReader(createShellReader({ home: "/home/me", root: "/" }), "/work");

/** `TARGET`, with `?` in front if it is not sure, `/**` behind if all below is meant, and what is shown if not all. */
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

test.each([["cat a", "a"]])("%s", (line, effects) => {
  expect(reads(line)).toBe(effects);
});

test("print", () => {
  for (const line of (process.env["LINES_TO_SHOW"] ?? "").split("\n"))
    console.log(line, " => ", reads(line));
});
