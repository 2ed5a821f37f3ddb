import { chmodSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contentOf, splitBundle } from "../../../../src/fleet/bundles/bundle-file.ts";
import {
  buildFolder,
  diffBundles,
  publicKeys,
  signFile,
  verifiedFile,
} from "../../../../src/cli/bundle.ts";
import { generateKey } from "../../../../src/fleet/bundles/keys.ts";
import { vi } from "vitest";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { command, recordOf } from "../../workbench/replay/replay-rig.ts";

const GUARD = `local words = require("lib.words")
return {
  point = "tool.pre_execute",
  handler = function(ctx)
    if words[ctx.payload.args.command] then return { action = "abort", reason = "no" } end
  end,
  tests = {
    { name = "denies evil", event = { tool_name = "exec", args = { command = "evil" } }, expect = { action = "abort" } },
  },
}
`;
const FOLDER = {
  "orcs.toml": '[[hooks]]\nscript = "guard.lua"\n\n[lua]\nmax_run_ms = 5000\n',
  "hooks/guard.lua": GUARD,
  "hooks/lib/words.lua": "return { evil = true }\n",
  "tests/guard_test.lua": "-- no tests yet\n",
  // Nobody refers to these.
  "notes.txt": "private",
  "orcs.local.toml": "[model]\nname = 'mine'\n",
  ".env": "SECRET=1",
};

const stated = (out: string) => ({ out, revision: 3, name: "policy", expires: "2090-01-01" });

async function built(dir: string): Promise<Buffer> {
  const out = join(folder(), "policy.orcsbundle");
  const { header, proof } = await buildFolder(dir, stated(out));
  expect([proof.failed, header?.name]).toEqual([[], "policy"]);
  return readFileSync(out);
}

describe("orcs bundle build", () => {
  test("contains what the configuration needs and its tests, and nothing else", async () => {
    const { header } = contentOf(splitBundle(await built(folder(FOLDER))));
    expect(header.files.map(({ path }) => path)).toEqual([
      "hooks/guard.lua",
      "hooks/lib/words.lua",
      "orcs.toml",
      "tests/guard_test.lua",
    ]);
    expect(header).toMatchObject({ revision: 3, expires: "2090-01-01T00:00:00Z", mode: "enforce" });
  });

  test("has no comments of Lua; the lines stay, and licences", async () => {
    const commented = {
      ...FOLDER,
      "hooks/guard.lua": `-- a guard\n${GUARD}-- end\n`,
      "hooks/lib/words.lua": "-- SPDX-License-Identifier: MIT\nreturn { evil = true } -- \xe9\n",
    };
    const { files } = contentOf(splitBundle(await built(folder(commented))));
    const textOf = (name: string) => Buffer.from(files.get(name) ?? "").toString();
    expect(textOf("hooks/guard.lua")).toBe(`\n${GUARD}\n`);
    expect(textOf("hooks/lib/words.lua")).toBe(
      "-- SPDX-License-Identifier: MIT\nreturn { evil = true }\n",
    );
  });

  test("the same content makes the same bytes, whatever its times, modes and place", async () => {
    const [one, other] = [folder(FOLDER), folder(FOLDER)];
    utimesSync(join(other, "orcs.toml"), 0, 0);
    chmodSync(join(other, "hooks/guard.lua"), 0o755);
    expect((await built(one)).equals(await built(other))).toBe(true);
    writeFileSync(join(other, "hooks/lib/words.lua"), "return { evil = 1 }\n");
    expect((await built(one)).equals(await built(other))).toBe(false);
  });

  test.each([
    ["a failing test", { "hooks/lib/words.lua": "return {}\n" }, "denies evil"],
    ["an error that check finds", { "hooks/guard.lua": "return {\n" }, "ORCS"],
  ])("%s refuses the build, and nothing is written", async (_, more, why) => {
    const out = join(folder(), "x.orcsbundle");
    const { header, proof } = await buildFolder(folder({ ...FOLDER, ...more }), stated(out));
    expect(header).toBeUndefined();
    const said = [...proof.failed, ...proof.diagnostics.map(({ code }) => code)];
    expect(said.join("\n")).toContain(why);
    expect(() => readFileSync(out)).toThrow("ENOENT");
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      "a command",
      { "orcs.toml": '[[hooks]]\nid = "h"\npoint = "tool.pre_execute"\nshell = "true"\n' },
      "shell handler",
    ],
    ["a place of this machine", { "orcs.toml": '[paths]\nstate = "s"\n' }, "paths.state"],
    [
      "a file that no bundle may have",
      {
        "orcs.toml": `${FOLDER["orcs.toml"]}\n[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = "return nil"\nfiles = ["run.sh"]\n`,
        "run.sh": "",
      },
      "run.sh is neither Lua nor data",
    ],
    ["no orcs.toml", { "orcs.toml": "" }, ""],
  ])("%s is refused", async (what, more, why) => {
    const dir = what === "no orcs.toml" ? folder() : folder({ ...FOLDER, ...more });
    const error = await errorOf(buildFolder(dir, stated(join(dir, "x"))));
    expect(error.code).toBe("ORCS9005");
    expect(error.message).toContain(why);
  });

  test("a symbolic link is refused, wherever it leads", async () => {
    const dir = folder({ ...FOLDER, "real.lua": "return { evil = true }\n" });
    symlinkSync(join(dir, "real.lua"), join(dir, "tests/more_test.lua"));
    expect((await errorOf(buildFolder(dir, stated(join(dir, "x"))))).message).toContain(
      "tests/more_test.lua is a symbolic link",
    );
  });
});

test("a signed file is verified with the printed key, and not with another one", async () => {
  const file = join(folder(), "policy.orcsbundle");
  await buildFolder(folder(FOLDER), stated(file));
  const { pem, key } = generateKey();
  const keyFile = join(folder({ key: pem }), "key");
  expect(signFile(file, keyFile, file)).toBe(key.id);
  expect(verifiedFile(file, publicKeys([key.text])).signers[0]?.id).toBe(key.id);
  expect((await errorOf(() => verifiedFile(file, [generateKey().key]))).code).toBe("ORCS9002");
});

describe("orcs bundle diff", () => {
  /** Two bundles: the second one denies one more word, and no longer the first. */
  async function two(): Promise<readonly [from: string, to: string]> {
    const dir = folder();
    const [from, to] = [join(dir, "a"), join(dir, "b")];
    await buildFolder(folder(FOLDER), stated(from));
    const changed = {
      ...FOLDER,
      "hooks/guard.lua": GUARD.replaceAll("evil", "bad"),
      "hooks/lib/words.lua": "return { bad = true }\n",
    };
    await buildFolder(folder(changed), { ...stated(to), revision: 4 });
    return [from, to];
  }

  async function diff(...args: Parameters<typeof diffBundles>) {
    const printed: string[] = [];
    const write = vi
      .spyOn(process.stdout, "write")
      .mockImplementation((text) => printed.push(String(text)) > 0);
    try {
      const code = await diffBundles(...args);
      return { code, text: printed.join("") };
    } finally {
      write.mockRestore();
    }
  }
  const parsed = (text: string): unknown[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);

  /** Whatever was recorded: the two bundles are compared. */
  const record = (): string =>
    recordOf([command("evil"), command("bad"), command("ls", { action: "abort", reason: "x" })]);

  test("lists the files that differ", async () => {
    const [from, to] = await two();
    const different = await diff(from, to, { json: true });
    const files = ["hooks/guard.lua", "hooks/lib/words.lua"].map((path) => ({
      path,
      is: "changed",
    }));
    expect([different.code, parsed(different.text)]).toMatchObject([
      1,
      [{ from: { revision: 3 }, to: { revision: 4 }, files }],
    ]);
    const same = await diff(from, from, { json: true });
    expect([same.code, parsed(same.text)]).toMatchObject([0, [{ files: [] }]]);
  });

  test("--replay shows the decisions that differ, as text and as JSON", async () => {
    const [from, to] = await two();
    const { code, text } = await diff(from, to, { replay: record() });
    expect(code).toBe(1);
    expect(text.replace(/\d+ per second/, "N per second")).toBe(`policy 3 → policy 4
───────────────────  ───────
hooks/guard.lua      changed
hooks/lib/words.lua  changed

event 1  tool.pre_execute  host::main  exec  evil
  was  abort by orcs.toml:guard.lua:1 (hooks/guard.lua:4): no
  is   continue

event 2  tool.pre_execute  host::main  exec  bad
  was  continue
  is   abort by orcs.toml:guard.lua:1 (hooks/guard.lua:4): no

3 events, 2 differ, 0 not compared; N per second
`);
    expect(parsed((await diff(from, to, { replay: record(), json: true })).text)).toMatchObject([
      { files: [{ is: "changed" }, { is: "changed" }] },
      { event: 1, was: { outcome: { action: "abort" } }, is: { outcome: { action: "continue" } } },
      { event: 2, was: { outcome: { action: "continue" } }, is: { outcome: { action: "abort" } } },
      { events: 3, differ: 2, not_compared: {} },
    ]);
  });

  test("--replay of a bundle with itself differs in nothing", async () => {
    const [from] = await two();
    const { code, text } = await diff(from, from, { replay: record() });
    expect([code, text]).toEqual([0, expect.stringContaining("3 events, 0 differ")]);
  });
});
