import { expect, test } from "vitest";
import { folder, orcs } from "./orcs.ts";

test("orcs help lists the pages, shows one and the options of a verb, and names the nearest page", async () => {
  const cwd = folder();
  expect((await orcs(["help"], { cwd })).stdout).toMatch(
    /^Start\n {2}start\/tutorial +ten minutes/m,
  );
  const list = JSON.parse((await orcs(["help", "--json"], { cwd })).stdout) as unknown[];
  expect(list.length).toBeGreaterThan(40);
  expect((await orcs(["help", "matchers"], { cwd })).stdout).toMatch(/^# Matchers\n/);
  expect((await orcs(["help", "explanation/trust"], { cwd })).stdout).toMatch(/^# Trust\n/);
  // The name of a verb is the verb.
  expect((await orcs(["help", "trust"], { cwd })).stdout).toMatch(/^Usage: orcs trust /);
  const unknown = await orcs(["help", "macthers", "--json"], { cwd });
  expect(unknown.code).toBe(2);
  expect(JSON.parse(unknown.stdout)).toMatchObject({
    error: { code: "ORCS9400", fields: { nearest: ["reference/matchers"] } },
  });
  expect((await orcs(["help", "orcs1005"], { cwd })).stdout).toMatch(
    /^ORCS1005: Unknown hook point/,
  );
  const commands = JSON.parse(
    (await orcs(["help", "commands", "--json"], { cwd })).stdout,
  ) as unknown;
  expect(commands).toContainEqual({ name: "serve", does: expect.any(String) as string });
  expect((await orcs(["nothing"], { cwd })).stderr).toContain("(see orcs --help)");
});

test("the first help has the twenty verbs that most people need, and commands the others", async () => {
  const cwd = folder();
  const first = (await orcs(["--help"], { cwd })).stdout;
  const named = [...first.matchAll(/^ {2}(\w+)(?: |$)/gm)].map(([, name]) => name);
  const some =
    "on off status init check test eval list run trust rules package import ui audit replay doctor help version";
  expect(named.filter((name) => name !== "undo")).toEqual(some.split(" "));
  const more = (await orcs(["help", "commands"], { cwd })).stdout;
  for (const name of ["hook", "serve", "mcp", "install", "uninstall", "bundle", "completion"]) {
    expect(more).toContain(`\n  orcs ${name}`.replace("\n", name === "hook" ? "" : "\n"));
  }
});

test("old names of commands work, with a note", async () => {
  const cwd = folder({ "orcs.toml": "" });
  const old = await orcs(
    ["explain", "tool.pre_execute", "tool=exec", "command=ls", "--config", "orcs.toml"],
    { cwd },
  );
  expect(old).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("tool.pre_execute: continue"),
    stderr:
      "orcs: orcs explain is now orcs eval --explain; the old name works in this version only\n",
  });
  for (const words of [
    ["fuzz"],
    ["bench"],
    ["types"],
    ["allow"],
    ["promote"],
    ["add"],
    ["remove"],
    ["update"],
    ["pack"],
  ]) {
    const { code, stdout, stderr } = await orcs([...words, "--help"], { cwd });
    expect({ code, stderr }, stdout).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("is now orcs "),
    });
    expect(stdout).toMatch(/^Usage: orcs (?:test|init|rules \w+|package \w+) /);
  }
});

test("a verb about the project says that there is none, and ui that there is no such script", async () => {
  const cwd = folder();
  for (const words of [["list"], ["check"], ["eval", "tool.pre_execute", "tool=exec"]]) {
    const { code, stderr } = await orcs(words, { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain(
      `orcs: there is no orcs.toml in ${cwd} or above: orcs init creates one`,
    );
  }
  const ui = await orcs(["ui", "nope.lua", "--json"], { cwd });
  expect(ui).toMatchObject({ code: 2, stderr: expect.stringContaining("nope.lua is no file") });
});
