import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { quickTest as test, repeatedTest, shareOf } from "../../../slow-test.ts";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";

const redactor = createRedactor();

/** Lines that are masked in what holds no secret, by file: each says one for a reader's sake. */
const MASKED: Readonly<Record<string, readonly string[]>> = {
  "docs/reference/handlers.md": ['process.env["POLICY_TOKEN"] = "[redacted]";'],
  "docs/how-to/mask.md": [
    String.raw`content: "PORT=80\nGITHUB_TOKEN=[redacted]\nlicence ACME-123456",`,
    'local masked = orcs.redact({ password = "[redacted]", note = "fine" })',
  ],
  "docs/how-to/replay.md": [
    'await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: { command: "rm -rf x", password: "[redacted]" } });',
  ],
};
/** What is about secrets shows some. */
const ABOUT_SECRETS = [
  "docs/reference/redaction.md",
  "hooks/mask-secrets.lua",
  "lua/file_guard/stores.lua",
  "lua/shell_guard/pack_rules.lua",
  "src/matching/programs/rows/",
  "src/guards/redact/",
];

function maskedLines(text: string): string[] {
  const before = text.split("\n");
  return redactor
    .text(text)
    .split("\n")
    .filter((line, i) => line !== before[i])
    .map((line) => line.trim());
}

describe("the redactor leaves unchanged", () => {
  const files = ["src", "docs", "lua", "hooks"]
    .flatMap((folder) => filesIn(folder))
    .concat("README.md", "package.json")
    .filter((file) => !ABOUT_SECRETS.some((about) => file.startsWith(about)));

  repeatedTest("this project's code and docs", () => {
    expect(files.length).toBeGreaterThan(300);
    // Those with lines that are masked are always among them.
    const known = Object.keys(MASKED);
    const tried = [...known, ...shareOf(files, 3).filter((file) => !known.includes(file))];
    const masked = tried
      .map((file) => [file, maskedLines(readFileSync(file, "utf8"))] as const)
      .filter(([, lines]) => lines.length > 0);
    expect(Object.fromEntries(masked)).toEqual(MASKED);
  });

  test("the lock file with its thousand hashes", () => {
    const text = readFileSync("package-lock.json", "utf8");
    expect(text.length).toBeGreaterThan(100_000);
    expect(redactor.text(text)).toBe(text);
  });

  test("hashes, ids and images", () => {
    const digest = createHash("sha256").update("x");
    const words = [
      digest.copy().digest("hex"),
      digest.copy().digest("base64"),
      digest.copy().digest("base64url"),
      ...Array.from({ length: 200 }, () => randomUUID()),
      ...Array.from({ length: 200 }, () => randomBytes(20).toString("hex")),
      ...Array.from(
        { length: 50 },
        () => `data:image/png;base64,${randomBytes(3_000).toString("base64")}`,
      ),
    ];
    for (const word of words) {
      expect(redactor.text(word)).toBe(word);
      expect(redactor.text(`{"id":"${word}","hash":"${word}"}`)).toBe(
        `{"id":"${word}","hash":"${word}"}`,
      );
    }
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|md|lua)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).replaceAll("\\", "/"));
}
