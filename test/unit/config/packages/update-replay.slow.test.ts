import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addCommand } from "../../../../src/cli/add.ts";
import { updateCommand } from "../../../../src/cli/update.ts";
import { UserConfiguration } from "../../../../src/config/trust/user-configuration.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { command, recordOf } from "../../workbench/replay/replay-rig.ts";
import { TrustStore } from "../../../../src/config/trust/trust-store.ts";
import { home, hook, look, PATIENT, trustIt } from "../trust/rig.ts";
import { install, lock, manifest, noted, verb, write, type Files } from "./rig.ts";

/** A package that denies one word. */
function denies(word: string, version: string): Files {
  return {
    ...manifest({ hooks: { no: "hooks/no.lua" } }, { version }),
    "hooks/no.lua": `return { point = "tool.pre_execute", handler = function(ctx)
  if ctx.payload.args.command == "${word}" then return orcs.deny("no ${word}") end
end }\n`,
  };
}

const inline = (id: string, word: string): string =>
  hook(
    id,
    `handler_inline = 'if ctx.payload.args.command == "${word}" then return orcs.deny("own") end'`,
  );

/** Version 1 denies `one` and is active; version 2, which denies `two`, is installed. */
async function project({ trusted = true, next = denies("two", "2.0.0") } = {}): Promise<string> {
  home();
  const dir = folder({
    "orcs.toml": `${inline("own", "mine")}\n[scripts]\ndirs = ["rules"]\n${PATIENT}`,
    // It shares the script directories of orcs.toml.
    "orcs.local.toml": `[[hooks]]\nid = "local"\nscript = "local.lua"\n`,
    "rules/local.lua": `return { point = "tool.pre_execute", handler = function(ctx)
  if ctx.payload.args.command == "local" then return orcs.deny("local") end
end }\n`,
  });
  const at = install(dir, denies("one", "1.0.0"));
  await verb(addCommand(), dir, "@acme/guards");
  if (trusted) await trustIt(dir);
  rmSync(at, { recursive: true });
  install(dir, next);
  return dir;
}

const update = (dir: string, ...args: string[]) => noted(updateCommand(), dir, ...args);
const lockOf = (dir: string): string => readFileSync(join(dir, "orcs.lock"), "utf8");
/** Recorded without any hook: what is compared is the active hooks, not what was recorded. */
const RECORD = ["one", "two", "three", "mine", "local"].map((text) => command(text));

describe("orcs package update --replay", () => {
  test("shows which decisions change, and writes nothing with --dry-run", async () => {
    const dir = await project();
    const before = lockOf(dir);
    const shown = await update(dir, "--dry-run", "--replay", recordOf(RECORD));
    expect(shown).toEqual({ text: expect.any(String) as string, code: 1, notes: "" });
    const script = "node_modules/@acme/guards/hooks/no.lua";
    expect(shown.text.replace(/\d+ per second/, "N per second")).toBe(
      `@acme/guards  1.0.0 → 2.0.0
  changed  hook no
  changed  hooks/no.lua
  changed  package.json
  tests    it has none

event 1  tool.pre_execute  host::main  exec  one
  was  abort by @acme/guards/no (${script}:1): no one
  is   continue

event 2  tool.pre_execute  host::main  exec  two
  was  continue
  is   abort by @acme/guards/no (${script}:1): no two

5 events, 2 differ, 0 not compared; N per second

nothing was written
`,
    );
    expect(lockOf(dir)).toBe(before);
  });

  test("without --dry-run, changed decisions are shown and accepted", async () => {
    const dir = await project();
    const { text, code } = await update(dir, "--replay", recordOf(RECORD));
    expect([code, text]).toEqual([0, expect.stringContaining("5 events, 2 differ")]);
    expect(lockOf(dir)).toContain("2.0.0");
    // Accepted, and not active yet.
    const again = await update(dir, "--dry-run", "--replay", recordOf(RECORD));
    expect([again.code, again.text]).toEqual([1, expect.stringContaining("5 events, 2 differ")]);
    await trustIt(dir);
    const last = await update(dir, "--dry-run", "--replay", recordOf(RECORD));
    expect([last.code, last.text]).toEqual([
      0,
      expect.stringMatching(/^every package is as orcs\.lock has it\n\n5 events, 0 differ/),
    ]);
  });

  test("--json: a line with the packages, one for each difference, and one with their number", async () => {
    const dir = await project();
    const record = recordOf(RECORD);
    const { text } = await update(dir, "--dry-run", "--json", "--replay", record);
    const lines = text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { ok: true, dry_run: true, packages: [{ name: "@acme/guards", to: "2.0.0" }] },
      { event: 1, was: { outcome: { action: "abort" } }, is: { outcome: { action: "continue" } } },
      { event: 2, was: { outcome: { action: "continue" } }, is: { outcome: { action: "abort" } } },
      { events: 5, differ: 2, not_compared: {} },
    ]);
  });

  test("of a project that is not trusted, the recorded decisions are compared", async () => {
    const dir = await project({ trusted: false });
    const record = recordOf([
      command("two"),
      command("mine", { action: "abort", hook: "own", reason: "own" }),
    ]);
    const { text, notes, code } = await update(dir, "--dry-run", "--replay", record);
    expect([code, text]).toEqual([1, expect.stringContaining("2 events, 1 differ")]);
    expect(notes).toContain("compared with the recorded decisions");
  });

  test("of the user's own configuration, the last active version is compared", async () => {
    const { userDir, store } = home();
    write(userDir, { "orcs.toml": `extends = ["npm:@acme/guards"]\n${PATIENT}` });
    install(userDir, denies("one", "1.0.0"));
    lock(userDir);
    await new UserConfiguration(userDir, store).accept();
    install(userDir, denies("two", "2.0.0"));
    const record = recordOf(RECORD);
    const { text, notes } = await update(folder({}), "--user", "--dry-run", "--replay", record);
    expect([text, notes]).toEqual([expect.stringContaining("5 events, 2 differ"), ""]);
  });

  test("a record that cannot be read accepts nothing", async () => {
    const dir = await project();
    const before = lockOf(dir);
    const record = join(folder({ "record.jsonl": "not a record\n" }), "record.jsonl");
    expect((await errorOf(update(dir, "--replay", record))).code).toBe("ORCS8007");
    expect(lockOf(dir)).toBe(before);
  });

  test("a package whose tests fail is not replayed, unless it gets --force", async () => {
    const next = {
      ...denies("two", "2.0.0"),
      "hooks/no_test.lua": `it("fails", function() error("no") end)\n`,
    };
    const dir = await project({ next });
    const record = recordOf(RECORD);
    const refused = await update(dir, "--replay", record);
    expect([refused.code, refused.text]).toEqual([1, expect.not.stringContaining("5 events")]);
    const { text, code } = await update(dir, "--force", "--replay", record);
    expect([code, text]).toEqual([0, expect.stringContaining("5 events, 2 differ")]);
  });

  test("a copy that was changed on the disk is not compared with", async () => {
    const dir = await project();
    const { active = "" } = await look(dir);
    writeFileSync(join(new TrustStore().sealsDir, active, "files/rules/local.lua"), "return {}");
    const error = await errorOf(update(dir, "--dry-run", "--replay", recordOf(RECORD)));
    expect(error.code).toBe("ORCS8010");
  });
});
