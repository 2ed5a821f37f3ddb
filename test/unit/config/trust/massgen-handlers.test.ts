import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { HAS_PYTHON, PATH_WITH_PYTHON } from "../../../seeds/scripts/interpreters.ts";
import { call, folder } from "../../engine/orcs/engine.ts";
import { found, hashesOf, home, link, look, outcomeOf, trustIt } from "./rig.ts";

// What a `handler` of MassGen runs is part of the trusted set, as the script of any other command.

const hook = (handler: string, type: string): string =>
  `[[hooks]]\nid = "h"\npoint = "tool.pre_execute"\nhandler = "${handler}"\ntype = "${type}"\n`;
const denies = (reason: string): string => `print('{"allowed": false, "reason": "${reason}"}')\n`;
const guard = (reason: string): string =>
  `from . import words\ndef check(event):\n    return {"allowed": False, "reason": "${reason} " + words.WORD}\n`;

const COMMAND = { "orcs.toml": hook("check.py", "command"), "check.py": denies("good") };
const PYTHON = {
  "orcs.toml": `${hook("guards.paths.check", "python")}files = ["guards/words.py"]\n`,
  "guards/__init__.py": "",
  "guards/paths.py": guard("good"),
  "guards/words.py": 'WORD = "word"\n',
};

describe("what is sealed", () => {
  test.each([
    ["a Python file that is not executable", COMMAND, ["check.py", "orcs.toml"]],
    [
      "the module of a Python function, and its packages",
      PYTHON,
      ["guards/__init__.py", "guards/paths.py", "guards/words.py", "orcs.toml"],
    ],
    [
      "python3 with a script",
      { ...COMMAND, "orcs.toml": hook('python3 \\"$ORCS_DIR/check.py\\"', "command") },
      ["check.py", "orcs.toml"],
    ],
  ])("%s", async (_, files, names) => {
    home();
    const seen = await look(folder(files));
    expect(Object.keys(hashesOf(seen))).toEqual(names);
    expect(seen.unsealed).toEqual([]);
    expect(seen.problems).toEqual([]);
  });

  test("an installed Python function is not sealed, and that is reported", async () => {
    home();
    const { unsealed } = await look(folder({ "orcs.toml": hook("massgen.hooks.audit", "python") }));
    expect(unsealed.map(({ what }) => what)).toEqual(["massgen.hooks.audit"]);
  });

  test("a module outside of the project cannot be trusted", async () => {
    home();
    const dir = folder({
      "p/orcs.toml": hook("guards.check", "python"),
      "guards.py": guard("evil"),
    });
    link(join(dir, "p/guards.py"), join(dir, "guards.py"));
    const { problems } = await look(join(dir, "p"));
    expect(problems).toMatchObject([{ code: "ORCS8003" }]);
  });

  test("a script outside of the project cannot be trusted", async () => {
    home();
    const dir = folder({ "p/orcs.toml": hook("check.py", "command"), "check.py": denies("evil") });
    link(join(dir, "p/check.py"), join(dir, "check.py"));
    expect((await look(join(dir, "p"))).problems).toMatchObject([{ code: "ORCS8003" }]);
  });
});

describe.skipIf(!HAS_PYTHON).each([
  ["a Python file", COMMAND, "check.py", denies("evil"), "good"],
  ["a Python function", PYTHON, "guards/paths.py", guard("evil"), "good word"],
] as const)("%s", (_, files, name, evil, reason) => {
  test("runs as it was trusted, whatever becomes of it", async () => {
    home();
    const dir = folder(files);
    await trustIt(dir);
    vi.stubEnv("PATH", PATH_WITH_PYTHON);
    const { orcs } = await found(dir);
    writeFileSync(join(dir, name), evil);
    // The working directory does not replace it either.
    expect(await outcomeOf(orcs, { ...call("x"), cwd: dir })).toBe(reason);
  });

  test("denies when its sealed copy was changed", async () => {
    const { store } = home();
    const dir = folder(files);
    await trustIt(dir);
    const { orcs } = await found(dir);
    const names = readdirSync(store.sealsDir, { recursive: true, encoding: "utf8" });
    const sealed = names.find((path) => path.endsWith(`/${name}`)) ?? "";
    chmodSync(join(store.sealsDir, sealed), 0o600);
    writeFileSync(join(store.sealsDir, sealed), evil);
    expect(await outcomeOf(orcs)).toMatch(/^ORCS8010: .*differs from the sealed content/);
  });
});
