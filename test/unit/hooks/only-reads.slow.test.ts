import * as fc from "fast-check";
import { expect, it } from "vitest";
import { guard } from "./guard-rig.ts";
import { OPTIONS } from "./self-guard-calls.ts";
import { PROJECT } from "./self-guard-lines.ts";

// A line that only reads is not looked at; beside an argument that the tool does not have, it is.
const TOOL = "Bash";

const PLACE = String(OPTIONS.state[0]);
const FILE = `${PLACE}/trust.json`;

/** Commands that only show something, and the same with what makes them write or run something. */
const COMMANDS = [
  "ls",
  "pwd",
  "git status --short",
  "git log -n 3",
  "npm test",
  "cat src/a.ts",
  "echo done",
  "head -n 2 a",
  "grep -rn foo .",
  "grep 'a b' x",
  'echo "it is"',
  "ls 2>/dev/null",
  "cat a 2>&1",
  "git diff --stat",
  "cd src",
  `cat ${FILE}`,
  `ls ${PLACE}`,
  `grep x ${FILE}`,
  `git diff ${FILE}`,
  `cd ${PLACE}`,
  "cd ~/.local",
  `rm ${FILE}`,
  `rm -rf ${PLACE}`,
  `mv ${PLACE} x`,
  `tee ${FILE}`,
  `sort -o ${FILE} a`,
  "git clean -fdx",
  `git diff --output=${FILE}`,
  `git diff --outp=${FILE}`,
  `git log '--output=${FILE}'`,
  `git -c x=y diff`,
  `echo x > ${FILE}`,
  `echo x >${FILE}`,
  `cat < a > ${FILE}`,
  `echo "$(rm ${FILE})"`,
  `echo $(rm ${FILE})`,
  `echo \`rm ${FILE}\``,
  `echo "\`rm ${FILE}\`"`,
  `echo 'a' "b $(rm ${FILE})"`,
  `echo {a,b} > ${FILE}`,
  "orcs trust",
  "echo 'orcs trust'",
  "npm rm -g orcs",
  "npm run x -- orcs trust",
  "xargs rm",
  "if true",
  "rm *",
];
const BETWEEN = [" | ", " && ", "; ", " || ", "\n", " & ", "&", "|", ";", " |& ", " 2>&1 | "];

it("a line that is not read would have passed", async () => {
  const tried = await guard("self-guard", PROJECT, OPTIONS);
  const command = fc.constantFrom(...COMMANDS);
  const rest = fc.array(fc.tuple(fc.constantFrom(...BETWEEN), command), { maxLength: 3 });
  let stopped = 0;
  await fc.assert(
    fc.asyncProperty(command, rest, async (first, others) => {
      const line = first + others.flat().join("");
      const short = await tried.call(TOOL, { command: line });
      expect([line, short]).toEqual([line, await tried.call(TOOL, { command: line, note: "" })]);
      if (short.verdict !== "pass") stopped++;
    }),
    { numRuns: 400, examples: [["echo 'orcs trust'", [[" | ", "npm test"]]]] },
  );
  // Or nothing would have been compared.
  expect(stopped).toBeGreaterThan(100);
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
