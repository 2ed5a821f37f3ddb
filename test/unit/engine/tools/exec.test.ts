import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf, sandboxFixture, type Fixture } from "./sandbox-fixture.ts";

let box: Fixture;
beforeEach(() => {
  box = sandboxFixture();
});
afterEach(() => box.cleanUp());

it("exec returns stdout, stderr and code", async () => {
  expect(await box.call("exec", { command: "echo out; echo err >&2" })).toEqual({
    ok: true,
    stdout: "out\n",
    stderr: "err\n",
    code: 0,
  });
});

it("exec returns them when the command fails too", async () => {
  expect(await box.call("exec", { command: "echo out; echo err >&2; exit 3" })).toEqual({
    ok: false,
    error: "exec: the command exited with code 3",
    stdout: "out\n",
    stderr: "err\n",
    code: 3,
  });
  expect(await box.call("exec", { command: "kill -9 $$" })).toMatchObject({
    ok: false,
    error: "exec: the command was killed by SIGKILL",
    code: 137,
  });
  expect(await box.call("exec", { command: "orcs-no-such-program" })).toMatchObject({
    ok: false,
    code: 127,
  });
});

it("exec runs in the root or a directory in it", async () => {
  mkdirSync(join(box.root, "sub"));
  expect(await box.call("exec", { command: "pwd" })).toMatchObject({ stdout: `${box.root}\n` });
  expect(await box.call("exec", { command: "pwd", cwd: "sub" })).toMatchObject({
    stdout: `${box.root}/sub\n`,
  });
  const missing = await box.call("exec", { command: "pwd", cwd: "no" });
  expect(errorOf(missing)).toContain(`the working directory ${box.root}/no`);
});

describe("exec without a shell", () => {
  it.each([
    ["printf '%s,' a 'b c' '$HOME' '*' '`id`' ''", "a,b c,$HOME,*,`id`,,"],
    ["printf %s 'a\nb'", "a\nb"],
    ["'printf' %s it\\'s", "it's"],
  ])("%j prints %j", async (command, stdout) => {
    const answer = await box.call("exec", { command, shell: false });
    expect(answer).toEqual({ ok: true, stdout, stderr: "", code: 0 });
  });

  it.each([
    "echo a; echo b",
    "echo $HOME",
    "echo `id`",
    "echo a > b",
    "echo 'a",
    "a\nb",
    "if",
    " ",
  ])("%j is no plain command", async (command) => {
    const answer = await box.call("exec", { command, shell: false });
    expect(errorOf(answer)).toMatch(/exec: with shell = false, .* must be one plain command/);
  });

  it.each(["ls *", "ls ~", "A=1 env", "echo {a,b}"])("%j needs quotes", async (command) => {
    const answer = await box.call("exec", { command, shell: false });
    expect(errorOf(answer)).toMatch(/with shell = false, nothing replaces .*; quote it/);
  });

  it("says that there is no such program, and that shell must be true or false", async () => {
    const missing = await box.call("exec", { command: "orcs-no-such-program", shell: false });
    expect(errorOf(missing)).toContain("orcs-no-such-program");
    expect(errorOf(await box.call("exec", { command: "''", shell: false }))).toContain(
      "no program",
    );
    const wrong = await box.call("exec", { command: "ls", shell: "no" });
    expect(errorOf(wrong)).toContain('argument "shell" is "no"; expected true or false');
  });
});

describe("exec: environment variables", () => {
  const environment = {
    PATH: process.env["PATH"],
    HOME: "/h",
    TOKEN: "t",
    SECRET: "s",
    NONE: undefined,
  };
  it("are the defaults, the configured ones, and the call's own", async () => {
    const answer = await box.call(
      "exec",
      { command: "env", env: { OWN: "o", HOME: "/mine" } },
      { environment: { variables: environment }, env: ["TOKEN", "NONE", "MISSING"] },
    );
    const names = (answer as unknown as { stdout: string }).stdout
      .trim()
      .split("\n")
      .filter((line) => !/^(_|PWD|SHLVL|OLDPWD)=/.test(line))
      .sort();
    expect(names).toEqual(["HOME=/mine", "OWN=o", `PATH=${process.env["PATH"]}`, "TOKEN=t"]);
  });

  it("do not include the process's secrets", async () => {
    process.env["ORCS_TEST_SECRET"] = "s3cret";
    const answer = await box.call("exec", { command: "env" });
    delete process.env["ORCS_TEST_SECRET"];
    expect(JSON.stringify(answer)).not.toContain("s3cret");
  });
});

it("exec kills the command and its children at the timeout", async () => {
  const started = performance.now();
  const answer = await box.call("exec", {
    command: "echo a; sleep 60 & sleep 60",
    timeout_ms: 200,
  });
  expect(answer).toMatchObject({
    ok: false,
    error: "exec: the command was killed after 200 ms",
    stdout: "a\n",
  });
  expect(performance.now() - started).toBeLessThan(8_000);
  const fallback = await box.call("exec", { command: "sleep 60" }, { limits: { execMs: 100 } });
  expect(errorOf(fallback)).toContain("after 100 ms");
});

it("exec kills a command that writes too much", async () => {
  const answer = await box.call("exec", { command: "yes" }, { limits: { outputBytes: 1000 } });
  expect(errorOf(answer)).toContain("stdout is over the limit of 1000 bytes");
});

it("exec is cancelled when the engine closes", async () => {
  const run = box.call("exec", { command: "sleep 60" });
  setTimeout(() => box.processes.close(), 100);
  expect(errorOf(await run)).toContain("cancelled");
});

it("exec returns text for output that is not UTF-8", async () => {
  expect(await box.call("exec", { command: "printf 'a\\377\\000b'" })).toMatchObject({
    stdout: "a\uFFFD\0b",
  });
});

it("exec rejects a command with a null byte", async () => {
  expect(errorOf(await box.call("exec", { command: "a\0b" }))).toContain("null bytes");
});
