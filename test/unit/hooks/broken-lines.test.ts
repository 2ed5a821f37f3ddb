import * as fc from "fast-check";
import { expect } from "vitest";
import { repeatedTest, runCount } from "../../slow-test.ts";
import { folder } from "../engine/orcs/engine.ts";
import { guard } from "./guard-rig.ts";
import { PROJECT as PATHS_PROJECT } from "./path-guard-lines.ts";
import { OPTIONS } from "./self-guard-calls.ts";
import { PROJECT as SELF_PROJECT } from "./self-guard-lines.ts";
import { CWD as SHELL_CWD } from "./shell-guard/guard.ts";
import { verdictLines } from "./verdict-lines.ts";

/** Scripts of the languages that the guards read, to be broken. */
const SCRIPTS = [
  "sed 's/a/b/e;s|x|y|w f' f",
  "sed -n '/[/]x/,\\,y,{a\\\ntext\\\nmore\n}' f",
  "sed -e 'y/abc/xyz/' -e 'r f' -e '1e rm x' f",
  `awk -F: '{ print $1 > "f"; system("rm " $2) } END { while ("ls" | getline x) print x }' f`,
  `psql -c "COPY t TO PROGRAM 'rm x'; \\\\! rm x; SELECT \\$\\$a\\$\\$"`,
  `sqlite3 db ".shell rm x" "ATTACH 'f' AS y; VACUUM INTO 'z'"`,
  `mysql -e "SELECT 1 INTO OUTFILE 'f'; DROP TABLE t"`,
  "pwsh -c 'Get-ChildItem | % { Remove-Item $_ -Recurse -Force }; Set-Content f \"x\"'",
  'cmd /c "del /s /q x & rd /s /q %TEMP%"',
  "make -f - <<'X'\nall: a\n\t@rm -rf $(X)\nX",
  `python3 -c "import os; open('f', 'w').write('''x'''); os.system('rm x')"`,
  `perl -i -pe 's{a}{b}e; unlink "f"' f`,
  `node -e "require('fs').writeFileSync('f', \`x\`)"`,
  "vim -c '%s/a/b/ge | w! f | !rm x' f",
  "ed f <<'X'\na\ntext\n.\n1,$s/a/b/\nw g\n!rm x\nX",
  "find . \\( -name a -o -path './b/*' \\) -exec sh -c 'rm \"$1\"' _ {} +",
  "patch -p1 <<'X'\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\nX",
  `jq --arg a b '.x |= "y"' f > g`,
  "git config --file f alias.x '!rm x'",
  "tar --to-command='rm x' -xf a.tar -C d",
  "python3 -m json.tool a b",
  "crontab - <<< '* * * * * rm x'",
  "xxd -r -p <<< 726d | sh",
  "aws s3 cp s3://a/b c",
];

/** What is special to the languages, and what no line should have. */
const PIECES = [
  "'",
  '"',
  "`",
  "\\",
  "$",
  "$(",
  "${",
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  "[:",
  "/",
  "|",
  "\n",
  "<<X\n",
  "%",
  "#",
  ";",
  "&",
  "*",
  "\0",
  "é",
  "\u{d800}",
  "-",
  "--",
  "=",
  "--=",
  "-e",
  "a\\\n",
  "s",
  "y",
  "\\,",
];

const broken = fc
  .tuple(
    fc.constantFrom(...SCRIPTS, ...verdictLines("shell-guard").map(([line]) => line)),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom("", ...PIECES)), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([line, changes]) =>
    changes.reduce((text, [at, cut, piece]) => {
      const from = at % (text.length + 1);
      // Often, the rest is missing.
      return text.slice(0, from) + piece + (cut === 3 ? "" : text.slice(from + cut));
    }, line),
  );

repeatedTest("no line makes a guard fail, however broken its scripts are", async () => {
  const guards = [
    await guard("path-guard", PATHS_PROJECT),
    await guard("secret-guard", folder({})),
    await guard("shell-guard", SHELL_CWD),
    await guard("self-guard", SELF_PROJECT, OPTIONS),
  ];
  await fc.assert(
    fc.asyncProperty(broken, async (command) => {
      for (const each of guards) {
        expect((await each.call("exec", { command })).reason).not.toMatch(/^hook \S+ failed/);
      }
    }),
    { numRuns: runCount(100) },
  );
});
