import { describe, expect, test } from "vitest";
import { commandCode } from "../../../src/config/command-code.ts";

const DIR = "/conf";
const codeOf = (command: string) => commandCode({ command, program: undefined }, DIR);

describe("commandCode of a command with a script of the configuration", () => {
  test.each([
    ['"$ORCS_DIR/check.sh"'],
    ['"$ORCS_CONFIG_DIR"/check.sh $1'],
    ["sh ${ORCS_DIR}/check.sh"],
    ['/bin/sh "$ORCS_DIR/check.sh"'],
    ['bash -eu -o pipefail "$ORCS_DIR/check.sh"'],
    ['bash -euo pipefail -- "$ORCS_DIR/check.sh"'],
    ['bash --norc --noprofile "$ORCS_DIR/check.sh"'],
    ['. "$ORCS_DIR/check.sh"'],
    ['env A=1 timeout 5 sh "$ORCS_DIR/check.sh"'],
    ['A=1 sh "$ORCS_DIR/check.sh" | grep -q no && exit 2'],
    ["sh -c 'sh \"$ORCS_DIR/check.sh\"'"],
    ['sh < "$ORCS_DIR/check.sh"'],
    ['cd sub && sh "$ORCS_DIR/check.sh"'],
    ['python3 -uB -W error "$ORCS_DIR/check.sh" --flag'],
    ['node --no-warnings --max-old-space-size=64 "$ORCS_DIR/check.sh"'],
    ['perl -w "$ORCS_DIR/check.sh"'],
    ['ruby -w "$ORCS_DIR/check.sh"'],
    ['awk -f "$ORCS_DIR/check.sh" -v x="$Y" rules'],
    ['awk -F: --file="$ORCS_DIR/check.sh"'],
    ['sed -nf "$ORCS_DIR/check.sh"'],
    ['sed -f"$ORCS_DIR/check.sh" x'],
    ['jq -rf "$ORCS_DIR/check.sh" x'],
  ])("finds the script in %s", (command) => {
    expect(codeOf(command)).toEqual({
      files: ["/conf/check.sh"],
      besides: [],
      unsealed: [],
      relative: [],
      maybe: [],
    });
  });

  test("finds the program written as ./check.sh", () => {
    const program = "/conf/it's/check.sh";
    const command = `'/conf/it'\\''s/check.sh' --all`;
    expect(commandCode({ command, program }, DIR)).toMatchObject({
      files: [program],
      unsealed: [],
    });
  });
});

test.each([
  ["jq -e '.payload.args.command | test(\"force\")' >/dev/null && exit 2"],
  ["jq -n --arg f \"$X\" --argjson n 1 '{ reason: $f }'"],
  ["grep -q secret && { echo no >&2; exit 2; } > log"],
  ["curl -s https://example.com/hook -d @-"],
  ["/usr/bin/env true"],
  ["cat rules.txt words/*.json"],
  ["awk '/force/ || $2 == \"x\" { exit 2 }'"],
  ['awk -F, -v name="$X" \'$1 == name { print $2 > "/dev/stderr" }\' rules.csv'],
  ["sed -n '/^a/,/^b/p; 3q'"],
  ["sed -Ee 's/a(b|c)/\\1;e/g' -e '$!d' rules.txt"],
  ["sed 's|a/b|c|2;s#x#y#'"],
  ["export LC_ALL=C; grep -q x"],
  ['echo "$PATH" "$HOME" ${NODE_ENV}'],
  ["sort -u rules.txt | head -1"],
])("commandCode of system programs only finds nothing: %s", (command) => {
  expect(codeOf(command)).toMatchObject({ files: [], besides: [], unsealed: [], relative: [] });
});

describe("commandCode reports as unsealed", () => {
  test.each([
    ["npm run check"],
    ["make check"],
    ["git status"],
    ["find . -name '*.sh' -exec {} \\;"],
    ["for f in tools/*; do $f; done"],
    ["for f in tools/*; do sh $f; done"],
    ["${X:-./check.sh}"],
    ["cd sub && sh check.sh"],
    ["node tools/check"],
    ["python -m check"],
    ["python3 -c 'import check'"],
    ["sh -s < check.sh"],
    ["cat check.sh | sh"],
    ['"$CLAUDE_PROJECT_DIR/check.sh"'],
    ['eval "$(cat check.sh)"'],
    ["fi; sh check.sh"],
    ['sh < "$ORCS_DIR/check.sh" < tools/x'],
    ["sh /dev/stdin"],
  ])("commands it cannot analyze: %s", (command) => {
    const { files, unsealed } = codeOf(command);
    expect(unsealed).not.toEqual([]);
    expect(files.filter((file) => !file.startsWith("/conf/"))).toEqual([]);
  });

  test.each([
    ["/conf/check.sh", "/conf/check.sh"],
    ["sh /conf/check.sh", "/conf/check.sh"],
    ["'/conf/check.sh' --all", "/conf/check.sh"],
    ["/conf-other/check.sh", "/conf-other/check.sh"],
    ["/tmp/x.sh", "/tmp/x.sh"],
    ["/opt/tool --x", "/opt/tool"],
    ["sh /tmp/x.sh", "/tmp/x.sh"],
    ["sh /home/me/x.sh", "/home/me/x.sh"],
    ["/usr/bin/../../tmp/sh -e", "/usr/bin/../../tmp/sh"],
    ["/usr/local/bin/tool", "/usr/local/bin/tool"],
    [". /tmp/env.sh", "/tmp/env.sh"],
  ])("an absolute path: %s", (command, word) => {
    const { files, unsealed } = codeOf(command);
    expect(files).toEqual([]);
    expect(unsealed).toEqual([word]);
  });

  test.each([
    ['BASH_ENV=tools/env.sh bash "$ORCS_DIR/check.sh"'],
    ['ENV=tools/env.sh sh -i "$ORCS_DIR/check.sh"'],
    ['ENV=tools/env.sh sh "$ORCS_DIR/check.sh"'],
    ['env BASH_ENV=tools/env.sh bash "$ORCS_DIR/check.sh"'],
    ['export "BASH_ENV"=tools/env.sh; bash "$ORCS_DIR/check.sh"'],
    ['read -r BASH_ENV < x; export BASH_ENV; bash "$ORCS_DIR/check.sh"'],
    ['export "$X"; bash "$ORCS_DIR/check.sh"'],
    [': "${BASH_ENV:=tools/x}"; set -a; bash "$ORCS_DIR/check.sh"'],
    ['PATH="tools:$PATH"; jq .'],
    ['PATH="tools:$PATH" jq .'],
    ["export PATH=tools:$PATH; jq ."],
    ["env 'PATH=tools' jq ."],
    ["PATH+=:tools; jq ."],
    ...[
      "NODE_OPTIONS",
      "NODE_PATH",
      "PYTHONPATH",
      "PYTHONSTARTUP",
      "LUA_INIT",
      "LUA_PATH",
      "LUA_INIT_5_4",
      "LD_PRELOAD",
      "LD_LIBRARY_PATH",
      "PERL5LIB",
      "PERL5OPT",
      "RUBYOPT",
      "RUBYLIB",
      "GIT_SSH_COMMAND",
      "ORCS_DIR",
    ].map((name) => [`${name}=tools/x sh "$ORCS_DIR/check.sh"`]),
    ["hash -p tools/x jq; jq ."],
    ["sort --compress-program=tools/x y"],
    ["rg --pre=tools/x y"],
  ])("a variable or option that loads code: %s", (command) => {
    expect(codeOf(command).unsealed).not.toEqual([]);
  });

  test.each([
    ["awk -ftools/c.awk"],
    ["awk --file=tools/c.awk"],
    ["awk -f check.awk"],
    ["awk -i tools/x '1'"],
    ['awk "$X"'],
    ["awk 'BEGIN { system(\"sh tools/x\") }'"],
    ["awk 'BEGIN { print 1 | \"sh tools/x\" }'"],
    ["awk 'BEGIN { \"sh tools/x\" | getline }'"],
    ["awk '@include \"tools/x\"'"],
    ["sed -ftools/x"],
    ["sed -nf tools/x"],
    ["sed --file=tools/x"],
    ["sed -n '1e sh tools/x'"],
    ["sed 's/x/sh tools\\/x/e'"],
    ["sed 's/x/y/;;e sh tools/x'"],
    ["sed 's|x|y|ge'"],
    ["sed -e p -e '1e tools/x'"],
    ['sed -n p "$X"'],
    ["jq -f check.jq"],
    ["jq -L tools 'import \"x\" as x; .'"],
    ["jq 'include \"x\"; .'"],
  ])("a program file of awk, sed or jq: %s", (command) => {
    expect(codeOf(command).unsealed).not.toEqual([]);
  });

  test.each([
    ['bash -l "$ORCS_DIR/check.x"'],
    ['bash --rcfile tools/rc -i "$ORCS_DIR/check.x"'],
    ['bash --init-file=tools/rc "$ORCS_DIR/check.x"'],
    ['bash $FLAGS "$ORCS_DIR/check.x"'],
    ['node -r ./hook.js "$ORCS_DIR/check.x"'],
    ['node --require tools/x "$ORCS_DIR/check.x"'],
    ['node --require=tools/x "$ORCS_DIR/check.x"'],
    ['node --import ./tools/x "$ORCS_DIR/check.x"'],
    ['node --import=./tools/x "$ORCS_DIR/check.x"'],
    ['node --loader tools/x "$ORCS_DIR/check.x"'],
    ['node --experimental-loader=tools/x "$ORCS_DIR/check.x"'],
    ['node --env-file=tools/env "$ORCS_DIR/check.x"'],
    ['node --env-file tools/env "$ORCS_DIR/check.x"'],
    ['perl -Itools "$ORCS_DIR/check.x"'],
    ['perl -I tools "$ORCS_DIR/check.x"'],
    ['perl -MX "$ORCS_DIR/check.x"'],
    ['ruby -I tools "$ORCS_DIR/check.x"'],
    ['ruby -rx "$ORCS_DIR/check.x"'],
    ['php -d auto_prepend_file=tools/x "$ORCS_DIR/check.x"'],
    ['php -c tools "$ORCS_DIR/check.x"'],
    ['python3 -X pycache_prefix=tools "$ORCS_DIR/check.x"'],
    ['python3 -W error::tools.x "$ORCS_DIR/check.x"'],
    ['lua -l tools "$ORCS_DIR/check.x"'],
    ['/opt/venv/bin/python3 "$ORCS_DIR/check.x"'],
    ['tsx "$ORCS_DIR/check.x"'],
    ['uv run "$ORCS_DIR/check.x"'],
  ])("while still sealing the script: %s", (command) => {
    const { files, besides, unsealed } = codeOf(command);
    expect([...files, ...besides]).toEqual(["/conf/check.x"]);
    expect(unsealed).not.toEqual([]);
  });
});

test("commandCode reports a program path as unsealed, not the script after it", () => {
  const { unsealed } = codeOf('/opt/venv/bin/python3 "$ORCS_DIR/check.py"');
  expect(unsealed).toEqual(["/opt/venv/bin/python3"]);
});

test("commandCode names a script outside the folder", () => {
  const { files, unsealed } = codeOf('sh "$ORCS_DIR/../other/check.sh"');
  expect(files).toEqual(["/other/check.sh"]);
  expect(unsealed).toEqual([]);
});

test.each([
  ["sh check.sh", "relative"],
  ["tools/check.sh", "relative"],
  ["awk -f check.awk", "relative"],
  ["awk -fcheck.awk", "relative"],
  ["sed --file=check.sed", "relative"],
  ["tsx check.ts", "maybe"],
  ["bun run check.ts", "maybe"],
  ["deno run -A check.ts", "maybe"],
  ["uv run check.py", "maybe"],
  ["Rscript check.R", "maybe"],
  ["node --import=./check.js x.js", "maybe"],
])(
  "commandCode reports a relative path that depends on the working directory: %s",
  (command, kind) => {
    const found = codeOf(command);
    const words = kind === "relative" ? found.relative : found.maybe;
    expect(words.some((word) => /check\.\w+$/.test(word))).toBe(true);
  },
);

test("commandCode ignores data files, and files after cd", () => {
  for (const command of [
    'cat rules "$ORCS_DIR/rules" | grep -f words -- check.sh',
    "jq . rules.json; test -f check.sh; diff a b; echo check.sh",
  ]) {
    expect(codeOf(command)).toMatchObject({ files: [], besides: [], relative: [], maybe: [] });
  }
  expect(codeOf('cd "$ORCS_DIR" && sh check.sh')).toMatchObject({
    relative: [],
    besides: ["/conf/check.sh"],
    unsealed: ["check.sh"],
  });
});
