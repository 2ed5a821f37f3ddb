import { describe, expect, test } from "vitest";
import { commandCode } from "../../../src/config/command-code.ts";

const DIR = "/conf";

describe("a command whose script the configuration brings", () => {
  test.each([
    ["'/conf/check.sh' --all"],
    ['"$ORCS_DIR/check.sh"'],
    ['"$ORCS_CONFIG_DIR"/check.sh $1'],
    ["sh ${ORCS_DIR}/check.sh"],
    ['bash -eu -o pipefail "$ORCS_DIR/check.sh"'],
    ['. "$ORCS_DIR/check.sh"'],
    ['env A=1 timeout 5 sh "$ORCS_DIR/check.sh"'],
    ['A=1 sh "$ORCS_DIR/check.sh" | grep -q no && exit 2'],
    ["sh -c 'sh \"$ORCS_DIR/check.sh\"'"],
    ['sh < "$ORCS_DIR/check.sh"'],
    ['cd sub && sh "$ORCS_DIR/check.sh"'],
  ])("%s", (command) => {
    expect(commandCode(command, DIR)).toEqual({
      files: ["/conf/check.sh"],
      unsealed: [],
      relative: [],
    });
  });
});

test.each([
  ["jq -e '.payload.args.command | test(\"force\")' >/dev/null && exit 2"],
  ["grep -q secret && { echo no >&2; exit 2; }"],
  ["curl -s https://example.com/hook -d @-"],
  ["/usr/bin/env true"],
  ["cat rules.txt words/*.json"],
])("nothing but programs of the system: %s", (command) => {
  expect(commandCode(command, DIR)).toEqual({ files: [], unsealed: [], relative: [] });
});

test.each([
  ["npm run check"],
  ["make check"],
  ["git status"],
  ["find . -name '*.sh' -exec {} \\;"],
  ["for f in tools/*; do $f; done"],
  ["${X:-./check.sh}"],
  ["cd sub && sh check.sh"],
  ["node tools/check"],
  ["python -m check"],
  ["python3 -c 'import check'"],
  ['node -r ./hook.js "$ORCS_DIR/check.js"'],
  ["awk -f check.awk"],
  ["sh -s < check.sh"],
  ["cat check.sh | sh"],
  ['"$CLAUDE_PROJECT_DIR/check.sh"'],
  ["/conf-other/check.sh"],
  ['eval "$(cat check.sh)"'],
  ["fi; sh check.sh"],
])("what cannot be sealed: %s", (command) => {
  const { files, unsealed } = commandCode(command, DIR, [DIR, "/conf-other", "/other"]);
  expect(unsealed).not.toEqual([]);
  expect(files.filter((file) => !file.startsWith("/conf/"))).toEqual([]);
});

test("a script outside is named, so that nobody trusts it unseen", () => {
  const { files, unsealed } = commandCode('sh "$ORCS_DIR/../other/check.sh"', DIR, [DIR, "/other"]);
  expect(files).toEqual(["/other/check.sh"]);
  expect(unsealed).toEqual([]);
});
