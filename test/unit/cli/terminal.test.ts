import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Outcome } from "../../../src/core/outcome.ts";
import { diagnosticsText } from "../../../src/cli/diagnostics-text.ts";
import { headline } from "../../../src/cli/outcome-text.ts";
import { paletteFor, Progress } from "../../../src/cli/terminal.ts";

const RED = "\u001B[31m";
const YELLOW = "\u001B[33m";

describe("colours", () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each([
    [true, "", "xterm", true],
    [false, "", "xterm", false],
    [undefined, "", "xterm", false],
    [true, "1", "xterm", false],
    [true, "", "dumb", false],
  ])("terminal %s, NO_COLOR=%j, TERM=%s: coloured %s", (isTTY, noColor, term, isColored) => {
    vi.stubEnv("NO_COLOR", noColor);
    vi.stubEnv("TERM", term);
    // Neither of these brings colours to a file or a pipe.
    vi.stubEnv("CI", "1");
    vi.stubEnv("FORCE_COLOR", "1");
    expect(paletteFor({ isTTY }).red("x") !== "x").toBe(isColored);
  });

  test("an error is red, a warning yellow, and the text is the same as without colours", () => {
    vi.stubEnv("NO_COLOR", "");
    vi.stubEnv("TERM", "xterm");
    const found = [
      { code: "ORCS1001", severity: "error", message: "one" },
      { code: "ORCS1002", severity: "warning", message: "two" },
    ] as const;
    const text = diagnosticsText(found, paletteFor({ isTTY: true }));
    expect(text).toContain(`${RED}error ORCS1001:`);
    expect(text).toContain(`${YELLOW}warning ORCS1002:`);
    expect(stripVTControlCharacters(text)).toBe(diagnosticsText(found));
  });

  test("a denial is red, a question yellow, and no decision is plain", () => {
    vi.stubEnv("NO_COLOR", "");
    vi.stubEnv("TERM", "xterm");
    const colors = paletteFor({ isTTY: true });
    const of = (outcome: object): string => headline(outcome as Outcome, colors);
    expect(of({ action: "abort", hook: "guard", reason: "no" })).toContain(RED);
    expect(of({ action: "continue", decision: "ask", hook: "guard" })).toContain(YELLOW);
    expect(of({ action: "continue" })).toBe("continue");
  });
});

describe("progress", () => {
  const CLEAR = "\r\u001B[K";

  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }),
  );
  afterEach(() => void vi.useRealTimers());

  function output(isTTY: boolean) {
    let text = "";
    return { isTTY, write: (more: string) => (text += more), text: () => text };
  }

  test("work of less than a second shows nothing", () => {
    const terminal = output(true);
    const progress = new Progress(terminal, "checking");
    vi.advanceTimersByTime(900);
    progress.show("checking: 1 file");
    progress.close();
    vi.advanceTimersByTime(5000);
    expect(terminal.text()).toBe("");
  });

  test("after a second it shows what is done and for how long, and leaves nothing behind", () => {
    const terminal = output(true);
    const progress = new Progress(terminal, "checking");
    vi.advanceTimersByTime(1100);
    expect(terminal.text()).toMatch(/checking \(1 s\)$/);
    vi.advanceTimersByTime(2000);
    expect(terminal.text()).toMatch(/checking \(3 s\)$/);
    progress.close();
    expect(terminal.text().endsWith(CLEAR)).toBe(true);
  });

  test("thousands of steps within a frame are drawn once", () => {
    const terminal = output(true);
    const progress = new Progress(terminal, "testing");
    vi.advanceTimersByTime(2000);
    const before = terminal.text().length;
    for (let i = 0; i < 10_000; i++) progress.show(`testing: ${i} done`);
    expect(terminal.text().length - before).toBeLessThan(100);
    progress.close();
  });

  test("without a terminal nothing is written", () => {
    const file = output(false);
    const progress = new Progress(file, "testing");
    vi.advanceTimersByTime(3000);
    progress.show("testing: 1 done");
    progress.close();
    expect(file.text()).toBe("");
  });
});
