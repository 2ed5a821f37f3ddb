import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { promoteCommand } from "../../../src/cli/promote.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "orcs-promote-"));
  file = join(dir, "orcs.toml");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true });
});

async function promote(
  text: string,
  ...args: string[]
): Promise<{ text: string; printed: string }> {
  writeFileSync(file, text);
  const printed: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  await promoteCommand().parseAsync([...args, "--config", file], { from: "user" });
  return { text: readFileSync(file, "utf8"), printed: printed.join("") };
}

const HOOK = `# guards
[[hooks]]
id = "guard" # by hand
point = "tool.pre_execute"
mode = "audit"   # since Monday
handler_inline = 'orcs.deny("no")'
`;

describe("orcs rules promote", () => {
  it("raises the mode by one step, and keeps comments", async () => {
    const once = await promote(HOOK, "guard");
    expect(once.text).toBe(HOOK.replace('"audit"', '"warn"'));
    expect(once.printed).toMatch(/^guard is promoted from audit to warn \(.*orcs\.toml:2\)\n$/);
    expect((await promote(once.text, "guard")).text).toBe(HOOK.replace('"audit"', '"enforce"'));
  });

  it("raises it to the given mode, or only says so", async () => {
    const { text } = await promote(HOOK, "guard", "--to", "enforce");
    expect(text).toBe(HOOK.replace('"audit"', '"enforce"'));
    const dry = await promote(HOOK, "guard", "--dry-run", "--json");
    expect(dry.text).toBe(HOOK);
    expect(JSON.parse(dry.printed)).toMatchObject({
      hook: "guard",
      from: "audit",
      to: "warn",
      dry_run: true,
    });
  });

  it("overrides the mode that a script states", async () => {
    writeFileSync(
      join(dir, "guard.lua"),
      'return { point = "tool.pre_execute", mode = "audit", handler = function() end }',
    );
    const { text } = await promote('[[hooks]]\nid = "guard"\nscript = "guard.lua"\n', "guard");
    expect(text).toBe('[[hooks]]\nmode = "warn"\nid = "guard"\nscript = "guard.lua"\n');
  });

  it("raises the mode of a table whose script is used a second time", async () => {
    const table = '[[hooks]]\nscript = "orcs:shell-guard"\n';
    const again = `${table}id = "next"\nmode = "audit"\n`;
    const { text, printed } = await promote(table + again, "next/shell-guard");
    expect(text).toBe(table + again.replace('"audit"', '"warn"'));
    expect(printed).toContain("from audit to warn");
  });

  it("raises the mode of the table whose script defines the hook", async () => {
    writeFileSync(
      join(dir, "two.lua"),
      `for _, id in ipairs({ "one", "two" }) do
        orcs.hook({ id = id, point = "tool.pre_execute", handler = function() end })
      end`,
    );
    const table = '[[hooks]]\nscript = "two.lua"\nmode = "audit"\n';
    const { text } = await promote(HOOK + table, "two");
    expect(text).toBe(HOOK + table.replace('"audit"', '"warn"'));
    const again = '[[hooks]]\nscript = "orcs:shell-guard"\n';
    const both = await promote(`${again}${again}mode = "audit"\n`, "audit/shell-guard");
    expect(both.text).toBe(`${again}${again}mode = "warn"\n`);
  });

  it.each<[string, string, string[], RegExp]>([
    ["an unknown hook", HOOK, ["other"], /no \[\[hooks\]\] table declares the hook other/],
    [
      "an enforced hook",
      HOOK.replace("audit", "enforce"),
      ["guard"],
      /the mode of guard is enforce already/,
    ],
    [
      "a weaker mode",
      HOOK.replace("audit", "enforce"),
      ["guard", "--to", "warn"],
      /is enforce already/,
    ],
    [
      "a hook that its file limits",
      `mode = "audit"\n${HOOK}`,
      ["guard"],
      /\[engine\] is audit: a hook cannot be stronger/,
    ],
  ])("refuses %s", async (_, text, args, why) => {
    await expect(promote(text, ...args)).rejects.toThrow(why);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
