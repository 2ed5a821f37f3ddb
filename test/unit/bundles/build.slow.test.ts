import { chmodSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contentOf, splitBundle } from "../../../src/bundles/bundle-file.ts";
import { buildFolder } from "../../../src/cli/bundle-build.ts";
import { diffBundles } from "../../../src/cli/bundle-diff.ts";
import { signFile, verifiedFile, publicKeys } from "../../../src/cli/bundle-files.ts";
import { generateKey } from "../../../src/bundles/keys.ts";
import { vi } from "vitest";
import { errorOf, folder } from "../engine/engine.ts";

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
  expect(verifiedFile(file, publicKeys([key.text])).signer.id).toBe(key.id);
  expect((await errorOf(() => verifiedFile(file, [generateKey().key]))).code).toBe("ORCS9002");
});

test("diff lists the files that differ", async () => {
  const dir = folder();
  const [from, to] = [join(dir, "a"), join(dir, "b")];
  await buildFolder(folder(FOLDER), stated(from));
  const changed = { ...FOLDER, "hooks/lib/words.lua": "return { evil = true, bad = true }\n" };
  await buildFolder(folder(changed), stated(to));
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  try {
    expect(await diffBundles(from, to, { json: true })).toBe(1);
    expect(await diffBundles(from, from, { json: true })).toBe(0);
  } finally {
    write.mockRestore();
  }
  const [first, same] = lines.map((line) => JSON.parse(line) as { files: unknown });
  expect(first?.files).toEqual([{ path: "hooks/lib/words.lua", is: "changed" }]);
  expect(same?.files).toEqual([]);
});
