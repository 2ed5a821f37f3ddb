import { expect, test, vi } from "vitest";
import { stderrLogger } from "../../../../src/engine/orcs/loggers.ts";

function written(
  least: "debug" | "info" | "warn" | "error",
  log: (logger: ReturnType<typeof stderrLogger>) => void,
): string {
  const lines: string[] = [];
  const spy = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((text) => lines.push(String(text)) > 0);
  log(stderrLogger(least));
  spy.mockRestore();
  return lines.join("");
}

test("stderrLogger writes lines with their level, and drops those below the minimum", () => {
  const all = (logger: ReturnType<typeof stderrLogger>): void => {
    logger.debug("a");
    logger.info("b");
    logger.warn("c");
    logger.error("d");
  };
  expect(written("warn", all)).toBe("orcs warn: c\norcs error: d\n");
  expect(written("debug", all)).toBe("orcs debug: a\norcs info: b\norcs warn: c\norcs error: d\n");
});

test("stderrLogger escapes newlines and control characters in messages, except tabs", () => {
  expect(written("info", (logger) => logger.info("a\tb\n\u001b[31morcs error: fake\u009b"))).toBe(
    "orcs info: a\tb\\u000a\\u001b[31morcs error: fake\\u009b\n",
  );
});

test("stderrLogger masks secrets, also before an engine exists", () => {
  const frame =
    'orcs.toml:8:53: expected comma\n 8 | headers={ Authorization = "Bearer abcdEFGH1234" "x" }';
  const text = written("info", (logger) => logger.error(frame));
  expect(text).toContain("orcs.toml:8:53: expected comma");
  expect(text).toContain("[redacted]");
  expect(text).not.toContain("abcdEFGH1234");
});

test("the level of stderrLogger can be changed", () => {
  const text = written("error", (logger) => {
    logger.info("a");
    logger.least = "info";
    logger.info("b");
  });
  expect(text).toBe("orcs info: b\n");
});
