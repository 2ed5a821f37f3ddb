import fc from "fast-check";
import { expect, it } from "vitest";
import { guard } from "./guard-rig.ts";
import { OPTIONS } from "./self-guard-calls.ts";
import { PROJECT } from "./self-guard-lines.ts";

// Lines of known shell tools that only show something are not read; a tool with an unknown name takes the long way. The
// tables of self-guard call a known one.
const SHORT = "Bash";
const LONG = "my_shell";

const PLACE = String(OPTIONS.state[0]);

const WORDS = [
  ..."git status log diff show npm test run ls cat cd grep head echo tail pwd wc rm mv sort tee xargs orcs trust".split(
    " ",
  ),
  ..."-n -o --output --ext-diff -c -C -rf --short -- * . .. / ~ ~/.local x=1 if time ! { ( $X $(ls) `ls`".split(
    " ",
  ),
  ...["'a b'", '"a b"', "'-o'", '"$X"', "a'b'", '"`rm x`"', "'it", "#", "2>/dev/null", "2>&1", ">"],
  ...[PLACE, `${PLACE}/trust.json`, `--output=${PLACE}/trust.json`, ".claude/settings.json", "src"],
];
const BETWEEN = [" ", " ", " ", " | ", " && ", "; ", " || ", "\n", " & ", "|&", ";;", ""];

it("a line that is not read would have passed", async () => {
  const tried = await guard("self-guard", PROJECT, OPTIONS);
  const piece = fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...BETWEEN));
  const line = fc.array(piece, { minLength: 1, maxLength: 9 }).map((all) => all.flat().join(""));
  await fc.assert(
    fc.asyncProperty(line, async (command) => {
      const short = await tried.call(SHORT, { command });
      expect(short).toEqual(await tried.call(LONG, { command }));
    }),
    { numRuns: 400 },
  );
});

it.each([
  ["of another tool", "Config", { command: "ls hooks" }],
  ["of a list", "Bash", { command: ["rm", "-rf", PLACE] }],
  ["beside another argument", "Bash", { command: "ls", path: `${PLACE}/trust.json`, content: "" }],
  ["beside a table", "Bash", { command: "ls", description: { command: `rm -rf ${PLACE}` } }],
])("what is no line of a shell alone is read: %s", async (_what, tool, args) => {
  const tried = await guard("self-guard", PROJECT, OPTIONS);
  expect((await tried.call(tool, args)).verdict).not.toBe("pass");
});
