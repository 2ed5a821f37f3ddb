import { describe, expect, test } from "vitest";
import { printable, renderTable, shortened } from "../../../src/cli/table.ts";
import { traceTable } from "../../../src/cli/outcome-text.ts";

describe("renderTable", () => {
  test("pads columns to their widest cell, except the last", () => {
    expect(
      renderTable(
        ["a", "bb"],
        [
          ["long", "x"],
          ["", "yy zz"],
        ],
      ),
    ).toBe(["a     bb", "────  ─────", "long  x", "      yy zz"].join("\n"));
  });

  test("ignores color codes in widths", () => {
    expect(
      renderTable(
        ["a", "b"],
        [
          ["\u001b[31mred\u001b[39m", "x"],
          ["plain", "y"],
        ],
      ),
    ).toBe(["a      b", "─────  ─", "\u001b[31mred\u001b[39m    x", "plain  y"].join("\n"));
  });

  test("accepts short rows", () => {
    expect(renderTable(["a", "b"], [["x"]])).toBe(["a  b", "─  ─", "x"].join("\n"));
  });
});

test("printable escapes control characters", () => {
  expect(printable("a\nb\u001b[31mc\u0000\u009b")).toBe("a\\nb\\x1b[31mc\\x00\\x9b");
});

test("shortened truncates at a length", () => {
  expect([shortened("abcdef", 6), shortened("abcdefg", 6)]).toEqual(["abcdef", "abcde…"]);
});

test("traceTable shows status, reason and changes of each hook", () => {
  const source = { file: "orcs.toml", line: 3 };
  expect(
    traceTable([
      {
        id: "a",
        status: "ran",
        source,
        action: "continue",
        duration_ms: 0.123,
        changed: ["/payload/args"],
      },
      { id: "b", status: "not_matched", failing: "tool" },
      {
        id: "c",
        status: "failed",
        reason: "boom\n",
        traceback: [
          { file: "lib/util.lua", line: 3, function: "deep" },
          { file: "c.lua", line: 9 },
        ],
        duration_ms: 1,
      },
    ]),
  ).toBe(
    [
      "hook  status              action    ms    source       changed        error",
      "────  ──────────────────  ────────  ────  ───────────  ─────────────  ──────",
      "a     ran                 continue  0.12  orcs.toml:3  /payload/args",
      "b     not_matched (tool)",
      "c     failed                        1.00                              boom\\n",
      "",
      "traceback of c",
      "  lib/util.lua:3 in deep",
      "  c.lua:9",
    ].join("\n"),
  );
});
