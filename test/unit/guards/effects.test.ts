import { expect, test } from "vitest";
import { createEffectReader } from "../../../src/guards/index.ts";
import { createShellReader } from "../../../src/matching/index.ts";

const reader = createEffectReader(createShellReader({ home: "/home/me", root: "/" }), "/work");

/** `kind target`, with `?` in front if it is not sure, and `/**` behind if all below it is meant. */
export function said(line: string): string[] {
  const { effects } = reader.ofCall({ tool_name: "exec", args: { command: line }, cwd: "/work" });
  return effects
    .filter(({ kind }) => kind !== "run")
    .map(
      ({ kind, target = "unknown", sure, recursive }) =>
        `${sure ? "" : "?"}${kind} ${target}${recursive ? "/**" : ""}`,
    );
}

test.each([
  ["cat a > b", ["write /work/b", "read /work/a"]],
  ["rm -rf build", ["remove /work/build/**"]],
  ["cp a.txt b.txt", ["read /work/a.txt", "write /work/b.txt"]],
  [
    "cp a.txt b.txt dir",
    [
      "read /work/a.txt",
      "read /work/b.txt",
      "?write /work/dir",
      "write /work/dir/a.txt",
      "write /work/dir/b.txt",
    ],
  ],
  ["mv --target-dir=x a.txt", ["remove /work/a.txt/**", "?write /work/x", "write /work/x/a.txt"]],
  ["cd sub && touch x", ["write /work/sub/x"]],
  ["touch $F", ["write unknown"]],
  ["chmod -x run.sh", ["attributes /work/run.sh"]],
])("%s", (line, effects) => {
  expect(said(line)).toEqual(effects);
});
