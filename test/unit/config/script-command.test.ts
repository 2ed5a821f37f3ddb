import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pythonCode, pythonCommand, PYTHON_NAME } from "../../../src/config/python-function.ts";
import { scriptCommand } from "../../../src/config/handlers.ts";
import { folder, load, loadToml, reportOn } from "./folder.ts";

import * as fc from "fast-check";

const DIR = (): string => {
  const dir = folder({
    "conf/plain.py": "print(1)\n",
    "conf/own.py": "#!/usr/bin/env python3\n",
    "conf/bare.py": "print(1)\n",
    "conf/sub/check.sh": "exit 0\n",
    "conf/data.txt": "",
    "outside.py": "#!/bin/sh\n",
  });
  chmodSync(join(dir, "conf/own.py"), 0o755);
  chmodSync(join(dir, "conf/bare.py"), 0o755);
  chmodSync(join(dir, "outside.py"), 0o755);
  mkdirSync(join(dir, "conf/folder.py"));
  symlinkSync("../outside.py", join(dir, "conf/link.py"));
  return join(dir, "conf");
};

test.each([
  ["plain.py", 'python3 "$ORCS_DIR/plain.py"'],
  ["./plain.py", 'python3 "$ORCS_DIR/plain.py"'],
  [" plain.py --fast 'a b' ", "python3 \"$ORCS_DIR/plain.py\" --fast 'a b' "],
  ["sub/check.sh", 'sh "$ORCS_DIR/sub/check.sh"'],
  // It runs by itself.
  ["own.py x", "./own.py x"],
  // A shell would read it as its own.
  ["bare.py", 'python3 "$ORCS_DIR/bare.py"'],
  // Its first line is that of another file.
  ["link.py", 'python3 "$ORCS_DIR/link.py"'],
  // Everything else stays as it is.
  ["missing.py", "missing.py"],
  ["data.txt", "data.txt"],
  ["folder.py", "folder.py"],
  ["../outside.py", "../outside.py"],
  ["sub/../../outside.py", "sub/../../outside.py"],
  ["/plain.py", "/plain.py"],
  ["plain.py;id", "plain.py;id"],
  ["plain.py$(id)", "plain.py$(id)"],
  ["python3 plain.py", "python3 plain.py"],
  ["sub/check.sh/x.py", "sub/check.sh/x.py"],
])("scriptCommand of %j", (command, due) => {
  const dir = DIR();
  expect(scriptCommand(command, (path) => join(dir, path))).toBe(due);
});

test("scriptCommand looks at nothing outside of the folder", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "..", ".", "b.c"), { maxLength: 5 }), (parts) => {
      const looked: string[] = [];
      const locate = (path: string) => (looked.push(path), join("/no/such/folder", path));
      scriptCommand([...parts, "x.py"].join("/"), locate);
      expect(looked.filter((path) => path.split("/").includes(".."))).toEqual([]);
    }),
  );
});

describe('handler with type = "python"', () => {
  const hook = (name: string): string =>
    `[[hooks]]\nevent = "PreToolUse"\nhandler = ${JSON.stringify(name)}\ntype = "python"\n`;

  test.each([
    "audit",
    "massgen.hooks.",
    ".hooks.audit",
    "a.b; id",
    "a.b\nid",
    "a.b'",
    "a.$(id)",
    "a.b c",
    "../a.b",
    "-m.b",
    "hooks.py ",
    "1a.b",
    "a..b",
  ])("refuses the name %j", async (name) => {
    expect(await reportOn(hook(name))).toMatch(
      /orcs\.toml:3:11: error ORCS1004: .*expected a function of a Python module/,
    );
  });

  test("the name reaches Python as one word, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (name) => {
        fc.pre(!name.includes("\0"));
        const line = pythonCommand(name);
        const end = line.slice(line.lastIndexOf("\n' ") + 3);
        const printed = execFileSync("/bin/sh", ["-c", `printf %s ${end}`], { encoding: "utf8" });
        expect(printed).toBe(name);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ["m.f", ["m.py"], true],
    ["m.f", ["m/__init__.py"], true],
    ["p.m.f", ["p/__init__.py", "p/m.py"], true],
    ["p.m.f", ["p/__init__.py", "p/m/__init__.py"], true],
    // An installed package of the name would come first.
    ["p.m.f", ["p/m.py"], false],
    ["p.m.f", ["p/__init__.py"], false],
    ["p.m.f", [], false],
  ])("%s with %j is here: %s", (name, files, isHere) => {
    const dir = folder(Object.fromEntries(files.map((file) => [file, ""])));
    const code = pythonCode(name, dir);
    expect(code.isHere).toBe(isHere);
    expect(code.files).toEqual(expect.arrayContaining(files.map((file) => join(dir, file))));
    expect(PYTHON_NAME.test(name)).toBe(true);
  });

  test("type is required, and only one of two", async () => {
    expect(await reportOn(hook("a.b").replace(/type.*\n/, ""))).toContain("handler requires type");
    expect(await reportOn(hook("a.b").replace('"python"', '"lua"'))).toContain("ORCS1004");
  });
});

test("a script outside of the folder is refused, and not opened", async () => {
  const dir = folder({ "x.py": "" });
  const toml = '[[hooks]]\nevent = "PreToolUse"\nhandler = "a/../../x.py"\ntype = "command"\n';
  mkdirSync(join(dir, "conf/a"), { recursive: true });
  writeFileSync(join(dir, "conf/orcs.toml"), toml);
  await expect(load(join(dir, "conf"), { config: "orcs.toml" })).rejects.toThrow(
    /relative to the working directory/,
  );
  expect((await loadToml(toml.replace("a/../../x.py", "x.py"))).hooks).toHaveLength(1);
});
