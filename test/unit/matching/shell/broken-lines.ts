import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";

/** Ways to run `git push --force`. */
const PUSHES: readonly string[] = [
  "git push --force",
  "git push -f origin main",
  "cd . && git push origin +main",
  "X=push; git $X --force",
  "sh -c 'git push -f'",
  "(git push --force)",
  "{ git push --force; }",
  "if true; then git push -f; fi",
  "for i in 1; do git push -f; done",
  "echo $(git push -f)",
  "git push \\\n--force",
  "f() { git push -f; }; f",
  "eval 'git push -f'",
  "ls | git push -f",
  "git push --force &",
  "bash <<E\ngit push -f\nE",
];

const LONG = "x".repeat(70_000);

/** What stands before, behind or around, so that the line is not one that can be read. */
const BROKEN: readonly ((line: string) => string)[] = [
  ...[
    "\nfi",
    "; )",
    " )",
    "\n)",
    "\n}\n",
    " ;;",
    "\ndone",
    "\nthen ls",
    " |",
    " &&",
    "\n|| ls",
    "\n&& ls",
    "\n; ls",
    "\n;;",
    "\n[[ x",
    "\necho 'x",
    '\necho "x',
    "\necho $(",
    "\necho `ls",
    "\necho ${x",
    "\n((",
    "\necho x > > y",
    "\ncase x in y) ls",
    "\nfor x; ls",
    "\nf() ls",
    "\0",
    "\n\0",
    "\nls \0 x",
    ` #${LONG}`,
    `\n# ${LONG}`,
    `\necho ${LONG}`,
    `\necho '${LONG}`,
    `\n${"( ".repeat(300)}`,
    `\n${"{ ".repeat(300)}`,
    `\n${"env ".repeat(150)}ls`,
    `\n${"coproc ".repeat(5_000)}`,
    `\n${"f() ".repeat(5_000)}`,
    `\n${"<<A ".repeat(300)}`,
    `\necho ${"$(".repeat(300)}`,
    "\nGet-ChildItem",
    "\ndel /s x",
    "\ndeclare -n a=b",
    "\nexec < /dev/null",
    "\nexec < <(:)",
  ].map((tail) => (line: string) => line + tail),
  ...[
    `#${LONG}\n`,
    `echo ${LONG}\n`,
    `echo '${LONG}'\n`,
    `cat <<E\n${LONG}\nE\n`,
    "ls \0\n",
    "\0",
    "Get-ChildItem\n",
    "Get-ChildItem; ",
    "declare -n a=b\n",
    "declare -n a=b; ",
    "exec < <(:)\n",
    `${"env ".repeat(150)}true; `,
    `${"env ".repeat(150)}true\n`,
    `echo ${"$(".repeat(60)}true${")".repeat(60)}; `,
    `${"( ".repeat(260)}true${" )".repeat(260)}\n`,
    `${"a=$a$a;".repeat(40)}\n`,
    "fi\n",
    ")\n",
  ].map((head) => (line: string) => head + line),
  (line) => `${"( ".repeat(100)}${line}\n${" )".repeat(100)}`,
  (line) => `${"( ".repeat(300)}${line}\n${" )".repeat(300)}`,
  (line) => `${"(".repeat(100)}${line}\n${")".repeat(100)}`,
  (line) => `${"{ ".repeat(300)}${line}\n${" }".repeat(300)}`,
  (line) => `${"env ".repeat(150)}sh -c '${line.replaceAll("'", "'\\''")}'`,
  (line) => `${"! ".repeat(2)}${line}`,
  (line) => `echo ${"$(".repeat(60)}${line}\n${")".repeat(60)}`,
  (line) => line.replace(" ", ` \0`),
  (line) => line.replace("push", "pu\0sh"),
];

/** Lines with `git push --force` in them, broken once or several times. */
export const brokenLines: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...PUSHES),
    fc.array(fc.constantFrom(...BROKEN), { minLength: 1, maxLength: 2 }),
  )
  .map(([line, breaks]) => breaks.reduce((made, breakUp) => breakUp(made), line));

/** Whether each of these lines has bash run `git push`, with a program of the test's own in the place of Git. */
export function pushesOf(lines: readonly string[]): readonly boolean[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orcs-broken-")));
  try {
    const [bin, log] = [join(folder, "bin"), join(folder, "log")];
    for (const name of ["bin", "lines", "work"]) mkdirSync(join(folder, name));
    writeFileSync(join(bin, "git"), `#!/bin/sh\necho "$ORCS_LINE" >> '${log}'\n`, { mode: 0o755 });
    for (const [at, line] of lines.entries()) writeFileSync(join(folder, "lines", `${at}`), line);
    writeFileSync(log, "");
    const each = `for file in ../lines/*; do
      ( export ORCS_LINE="\${file##*/}"; ulimit -t 5; exec bash --norc "$file" ) < /dev/null > /dev/null 2>&1
    done`;
    const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: join(folder, "work"), LC_ALL: "C.UTF-8" };
    spawnSync("bash", ["--norc", "-c", each], { cwd: join(folder, "work"), env, stdio: "ignore" });
    const ran = new Set(readFileSync(log, "utf8").split("\n"));
    return lines.map((_, at) => ran.has(`${at}`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
