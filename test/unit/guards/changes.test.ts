import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cpuMs } from "../../cpu-time.ts";
import { changes } from "./changes.ts";

/** Lines and what they change, with `⏎` for a line break: see `changes`. */
const rows = readFileSync(new URL("changes.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

test("what each line changes", () => {
  const found = rows.map((row) => {
    const [line = ""] = row.split("\t", 1);
    return `${line}\t${changes(line.replaceAll("⏎", "\n"))}`;
  });
  expect(found).toEqual(rows);
});

/** Texts that a reader with a loop in a loop takes minutes for. */
const LONG = 60_000;
test.each([
  ["names", "a"],
  ["quotes", "'"],
  ["brackets", "["],
  ["blanks", " "],
  ["assignments", "a= "],
  ["calls", "open("],
  ["commands", "sil "],
  ["statements", "vacuum "],
  ["attachments", "attach 'x' as y;"],
  ["substitutions", "$(date "],
  ["variables", "$a"],
])("takes linear time for %s", (_, part) => {
  const text = part.repeat(LONG / part.length);
  const spent = cpuMs(() => {
    for (const program of [
      "python3",
      "ed a",
      "sqlite3 a",
      "psql",
      "patch",
      "sed -f - a",
      "vim -es a",
    ])
      changes(`${program} <<'EOF'\n${text}\nEOF`);
    for (const program of ["awk", "sed", "perl -e", "touch", "vim -c"])
      changes(`${program} '${text.replaceAll("'", '"')}'`);
    changes(`touch ${text}`);
  }, 1);
  expect(spent).toBeLessThan(3000);
});
