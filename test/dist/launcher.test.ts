import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const LAUNCHER = fileURLToPath(new URL("../../bin/orcs.cjs", import.meta.url));

/** Start the launcher of a package that holds these files; the first is the newest. */
function start(files: Record<string, string>, args = ["hook", "--host", "x"]) {
  const root = mkdtempSync(join(tmpdir(), "orcs-launcher-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "bin"));
  copyFileSync(LAUNCHER, join(root, "bin/orcs.cjs"));
  let age = 0;
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, "dist", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const time = Date.now() / 1000 - age++;
    utimesSync(path, time, time);
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "bin/orcs.cjs"), ...args],
    { encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

const PROGRAM = 'exports.runProgram = async () => console.log("program");';
const WHOLE =
  'exports.load = () => ({ part: () => ({ runProgram: async () => console.log("whole") }) });';
const OTHERS = { "bundle/program.cjs": PROGRAM, "bundle/whole.cjs": WHOLE };
const bundled = (code: string) => start({ "bundle/hook.cjs": code, ...OTHERS });

test("the launcher exits with the code set by the bundle", () => {
  const code =
    "exports.runHook = async (args) => { console.log(args.join()); process.exitCode = 0; };";
  expect(bundled(code)).toEqual({ status: 0, stdout: "--host,x\n", stderr: "" });
});

test.each([
  ["that throws when it is loaded", 'throw new Error("broken")'],
  ["that is cut short", "exports.runHook = async ("],
  ["without the function", ""],
  ["that rejects", 'exports.runHook = async () => { throw new Error("broken"); };'],
  ["that waits for nothing", "exports.runHook = () => new Promise(() => undefined);"],
  [
    "that throws later",
    'exports.runHook = () => new Promise(() => setTimeout(() => { throw new Error("late"); }));',
  ],
])("the launcher denies with a bundle %s", (_, code) => {
  expect(bundled(code)).toMatchObject({ status: 2, stdout: "" });
});

test("the launcher denies without a build, and says what is missing", () => {
  const { status, stdout, stderr } = start({});
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("Cannot find module");
});

test("the launcher loads what each command needs, regardless of file times", () => {
  const hook = {
    "bundle/hook.cjs":
      'exports.runHook = async () => { console.log("hook"); process.exitCode = 0; };',
  };
  for (const dist of [
    { ...OTHERS, ...hook },
    { ...hook, ...OTHERS },
  ]) {
    expect(start(dist)).toMatchObject({ status: 0, stdout: "hook\n" });
    expect(start(dist, ["eval"])).toMatchObject({ status: 0, stdout: "whole\n" });
    expect(start(dist, ["hook", "--help"])).toMatchObject({ status: 0, stdout: "whole\n" });
    for (const words of [[], ["--help"], ["--version"]]) {
      expect(start(dist, words)).toMatchObject({ status: 0, stdout: "program\n" });
    }
  }
});
