import { describe, expect, test } from "vitest";
import { listed } from "./listed.ts";

/**
 * The last command of each line, which bash runs; after a plain assignment that fails it runs nothing more of the line,
 * which is not counted on.
 */
const LAST: Readonly<Record<string, readonly (readonly [line: string, last: string])[]>> = {
  "a read-only variable keeps its value": [
    ['readonly R=flock; readonly R=lock; "$R"', "flock"],
    ['readonly R=a\nR=b\n"$R"', "a"],
    ['declare -r R=a; declare R=b; "$R"', "a"],
    ['typeset -rx R=a; export R=b; "$R"', "a"],
    ['R=a; readonly R; R=b; "$R"', "a"],
    ['R=a; readonly R; R+=b; "$R"', "a"],
    ['readonly R=a; unset R; "$R"', "a"],
    ['readonly R=a; for R in b; do :; done; "$R"', "a"],
    ['readonly R=a; read -r R <<< b; "$R"', "a"],
    ['readonly R=a; printf -v R b; "$R"', "a"],
    ['readonly R=a; f() { local R=b; }; f; "$R"', "a"],
    ['f() { readonly R=a; }; f; R=b; "$R"', "a"],
    ['f() { declare -gr R=a; }; f; R=b; "$R"', "a"],
    ['readonly -a L=(a b); L[0]=c; "${L[@]}"', "a b"],
    ['readonly R=a; ( R=b; "$R" )', "a"],
    ['command readonly R=a; R=b; "$R"', "a"],
    ['readonly R=a && R=b; "$R"', "a"],
  ],
  "it is another one": [
    ["readonly R=a; sh -c 'R=b; \"$R\"'", "sh: b"],
    ['( readonly R=a ); R=b; "$R"', "b"],
    ['f() { local -r R=a; }; f; R=b; "$R"', "b"],
    ['readonly -p; R=b; "$R"', "b"],
    ['sudo readonly R=a; R=b; "$R"', "b"],
    // What `sudo` starts inherits no read-only variables; it would only find a program named `eval`.
    ["readonly R=a; sudo eval 'R=b; \"$R\"'", "sudo,eval: b"],
    ['R=b; readonly -f R; "$R"', "b"],
    ['R=b; /bin/export R=a; "$R"', "b"],
  ],
  "it may be read-only": [
    ['R=c; test -n "$X" && readonly R=a; R=b; "$R"', "? !"],
    ['if x; then readonly R=a; fi; R=b; "$R"', "? !"],
    ['readonly R=a < file; R=b; "$R"', "? !"],
    ['R=b; readonly -z R=a; "$R"', "? !"],
    ['R=b; declare -p R=a; "$R"', "? !"],
  ],
};

describe.each(Object.entries(LAST))("%s", (_, rows) => {
  test.each(rows)("%s", (line, last) => {
    expect(listed(line).at(-1)).toBe(last);
  });
});

/** Functions that a new shell has, and has not. */
test.each([
  ["f() { rm a; }; export -f f; sh -c f", true],
  ["f() { rm a; }; declare -fx f; bash -c f", true],
  ["f() { rm a; }; g() { export -f f; }; g; bash -c f", true],
  ['f() { rm a; }; export -f "$X"; bash -c f', true],
  ["set -a; f() { rm a; }; bash -c f", true],
  ["set -o allexport; f() { rm a; }; bash -c f", true],
  ["bash -ac 'f() { rm a; }; sh -c f'", true],
  ["f() { rm a; }; test $X && export -f f; bash -c f", true],
  ["f() { rm a; }; sh -c f", false],
  ["f() { rm a; }; export f; bash -c f", false],
  ["( f() { rm a; }; export -f f ); bash -c f", false],
  ["f() { rm a; }; export -f g; find . -exec bash -c f ';'", false],
  ["alias f='rm a'; bash -c f", false],
] as const)("functions of a new shell: %s", (line, has) => {
  const lines = listed(line);
  expect(lines.some((each) => /(?:bash|sh),function: rm a/.test(each))).toBe(has);
});

/** A part of a script that the line itself writes may be more commands. */
test.each([
  [
    `bash -x -c 'mapfile -t L7 '"$(echo '< <(printf "%s\\n" git push --force); "\${L7[@]}"')"`,
    true,
  ],
  [String.raw`sh -c "ls $(echo '; git push\n --force')"`, true],
  [String.raw`eval "ls $(printf "$X; git push")"`, true],
  [String.raw`su root -c 'ls '"$(printf '; %s' "$X")"`, true],
  [String.raw`flock x -c 'ls '"$(echo '| xargs -d '\''\n'\'' sh -c')"`, true],
  ['bash -c "cd $(pwd) && make"', false],
  ['sh -c "kill $(cat pid)"', false],
  ['ssh host "ls $X"', false],
])("a written part of a script: %s", (line, isOpaque) => {
  expect(listed(line).some((each) => /^(?:bash|sh|eval|su|flock) .*!$/.test(each))).toBe(isOpaque);
});
