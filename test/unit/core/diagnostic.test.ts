import { describe, expect, it } from "vitest";
import { renderDiagnostic, type Diagnostic } from "../../../src/core/diagnostic.ts";
import { ERROR_CODES, messageOf, OrcsError } from "../../../src/core/errors.ts";

const unknownKey: Diagnostic = {
  code: "ORCS1003",
  severity: "error",
  message: 'unknown key "priorty"',
  place: { file: "orcs.toml", line: 3, column: 1 },
  length: 7,
  hint: 'did you mean "priority"?',
};
const text = '[[hooks]]\npoint = "Stop"\npriorty = 5\n';

describe("renderDiagnostic", () => {
  it("shows position, code, message, the line with carets, and the hint", () => {
    expect(renderDiagnostic(unknownKey, text)).toBe(
      [
        'orcs.toml:3:1: error ORCS1003: unknown key "priorty"',
        " 3 | priorty = 5",
        "   | ^^^^^^^",
        '  hint: did you mean "priority"?',
      ].join("\n"),
    );
  });

  it("puts the carets below the column", () => {
    const place = { file: "orcs.toml", line: 2, column: 9 };
    expect(renderDiagnostic({ ...unknownKey, place, length: 6 }, text)).toContain(
      [' 2 | point = "Stop"', "   |         ^^^^^^"].join("\n"),
    );
  });

  it("omits the source line when the text is missing or has no such line", () => {
    const bare = [
      'orcs.toml:3:1: error ORCS1003: unknown key "priorty"',
      '  hint: did you mean "priority"?',
    ].join("\n");
    expect(renderDiagnostic(unknownKey)).toBe(bare);
    expect(renderDiagnostic(unknownKey, "one line")).toBe(bare);
  });

  it("works without a position and a hint", () => {
    const plain: Diagnostic = { code: "ORCS1015", severity: "warning", message: "mind this" };
    expect(renderDiagnostic(plain, text)).toBe("warning ORCS1015: mind this");
  });

  it("uses column 1 when none is given", () => {
    const place = { file: "a.lua", line: 1 };
    expect(renderDiagnostic({ ...unknownKey, place, length: 3 }, "abc def")).toContain(
      "a.lua:1:1: error",
    );
    expect(renderDiagnostic({ ...unknownKey, place, length: 3 }, "abc def")).toContain(
      " 1 | abc def\n   | ^^^\n",
    );
  });

  it("keeps the carets within the line", () => {
    const at = (column: number, length: number): string | undefined =>
      renderDiagnostic(
        { ...unknownKey, place: { file: "f", line: 1, column }, length },
        "abcdef",
      ).split("\n")[2];
    expect(at(4, 100)).toBe("   |    ^^^");
    expect(at(6, 1)).toBe("   |      ^");
    expect(at(7, 3)).toBe("   |       ^");
    expect(at(100, 3)).toBe("   |       ^");
    expect(at(2, 0)).toBe("   |  ^");
  });

  it("shows an empty line with one caret", () => {
    const place = { file: "f", line: 2, column: 1 };
    expect(renderDiagnostic({ ...unknownKey, place, length: 4 }, "a\n\nb")).toContain(
      " 2 | \n   | ^\n",
    );
  });

  it("keeps tabs before the carets and reads CRLF", () => {
    const place = { file: "f", line: 2, column: 3 };
    const lines = renderDiagnostic(
      { ...unknownKey, place, length: 3 },
      "first\r\n\tx\tbad\r\nlast",
    ).split("\n");
    expect(lines[1]).toBe(" 2 | \tx\tbad");
    expect(lines[2]).toBe("   | \t ^^^");
  });

  it("widens the gutter for long line numbers", () => {
    const place = { file: "f", line: 120, column: 1 };
    const lines = renderDiagnostic({ ...unknownKey, place, length: 1 }, "x\n".repeat(130));
    expect(lines).toContain(" 120 | x\n     | ^");
  });
});

describe("OrcsError", () => {
  it("has code, fields, cause and diagnostics", () => {
    const cause = new Error("below");
    const error = new OrcsError(
      "ORCS1015",
      "two mistakes",
      { file: "f" },
      { cause, diagnostics: [unknownKey] },
    );
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("OrcsError");
    expect(error.message).toBe("ORCS1015: two mistakes");
    expect(error.code).toBe("ORCS1015");
    expect(error.fields).toEqual({ file: "f" });
    expect(error.cause).toBe(cause);
    expect(error.diagnostics).toEqual([unknownKey]);
    expect(Object.hasOwn(new OrcsError("ORCS1015", "x"), "cause")).toBe(false);
  });

  it("has four-digit codes, each with a sentence of advice", () => {
    for (const [code, advice] of Object.entries(ERROR_CODES)) {
      expect(code).toMatch(/^ORCS[1-9]\d{3}$/);
      expect(advice, code).toMatch(/^[A-Z].*\.$/);
    }
  });

  it("messageOf returns a message for anything that is thrown", () => {
    expect(messageOf(new TypeError("no"))).toBe("no");
    expect(messageOf("just text")).toBe("just text");
    for (const odd of [undefined, null, 5, {}, { message: "no" }, Symbol("s")])
      expect(messageOf(odd)).toBe("a value that is not an Error was thrown");
  });
});
