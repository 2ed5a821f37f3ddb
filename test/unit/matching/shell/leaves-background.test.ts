import { expect, test } from "vitest";
import { leavesBackground } from "../../../../src/matching/shell/shell.ts";

test.each([
  ["sleep 9 &", true],
  ["nohup sh -c 'sleep 1; touch x' </dev/null >/dev/null 2>&1 &", true],
  ["(afplay ding.wav &)", true],
  ["{ notify-send done & } 2>/dev/null", true],
  ["if true; then say done & fi; exit 0", true],
  ["bash -lc 'sleep 9 & disown'", true],
  ["f() { sleep 9 & }; f", true],
  ["make & make test & wait", false],
  ["sh -c 'a & wait'", false],
  ["a && b", false],
  ["cmd 2>&1 | tee x", false],
  ["cmd &> log", false],
  ["echo 'a & b'", false],
  ["nohup ./check.sh", false],
  ["echo '", false],
])("%s: %s", (line, expected) => {
  expect(leavesBackground(line)).toBe(expected);
});
