import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { testHooks } from "../../../../src/workbench/testing.ts";
import { runTests } from "../../../../src/engine/testing/run-tests.ts";
import { openTestProject } from "../../../../src/engine/testing/test-project.ts";
import { trusted } from "../../../trusted.ts";
import { errorOf, folder } from "../orcs/engine.ts";

const FILES = {
  "orcs.toml": `[[hooks]]
script = "guard.lua"
[[hooks]]
id = "told"
point = "Stop"
shell = { command = 'sh "$ORCS_DIR/hooks/touch.sh"' }
[[hooks.tests]]
name = "runs"
event = { }
expect = { action = "continue" }
`,
  "hooks/guard.lua": `local deny = require "deny"
return { id = "guard", point = "tool.pre_execute", handler = function() return deny() end, tests = {
  { "denies", event = { tool = "exec", args = { command = "ls" } },
    expect = { action = "abort", reason = "no" } },
} }
`,
  "hooks/deny.lua": 'return function() return orcs.deny("no") end\n',
  "hooks/touch.sh": "touch ran\n",
  "hooks/words.lua": 'return { expected = "abort" }\n',
  "hooks/guard_test.lua": `local words = require "words"
it("denies", function()
  local hook = orcs.test.load("guard.lua")
  assert.equal(words.expected, hook:dispatch({ tool = "exec", args = {} }).action)
end)
`,
};

let state: string;
beforeEach(() => {
  state = folder({});
  vi.stubEnv("XDG_STATE_HOME", state);
  vi.stubEnv("XDG_CONFIG_HOME", join(state, "no-user"));
});
afterEach(() => void vi.unstubAllEnvs());

const ran = (cwd: string): boolean => {
  try {
    readFileSync(join(cwd, "ran"));
    return true;
  } catch {
    return false;
  }
};

test("orcs test runs nothing of an untrusted project, and names both options", async () => {
  const cwd = folder(FILES);
  for (const files of [[], ["hooks/guard.lua"], ["hooks"], ["orcs.toml"]]) {
    const { code, message } = await errorOf(runTests({ cwd, files }));
    expect(code).toBe("ORCS8001");
    expect(message).toContain(`orcs trust ${cwd}`);
    expect(message).toContain("--config");
  }
  expect((await errorOf(testHooks({ cwd }))).code).toBe("ORCS8001");
  expect(ran(cwd)).toBe(false);

  const named = await runTests({ cwd, config: "orcs.toml" });
  expect([named.passed, named.failed, named.mistakes]).toEqual([3, 0, []]);
  expect(ran(cwd)).toBe(true);
});

test("orcs test runs a trusted project with its tests' modules, but not after a change", async () => {
  const cwd = folder(FILES);
  await trusted(cwd, state);
  const { passed, failed, mistakes } = await runTests({ cwd });
  expect([passed, failed, mistakes]).toEqual([3, 0, []]);
  writeFileSync(join(cwd, "hooks/deny.lua"), `${FILES["hooks/deny.lua"]}-- more\n`);
  const { code, message } = await errorOf(runTests({ cwd }));
  expect(code).toBe("ORCS8001");
  expect(message).toContain("hooks/deny.lua");
});

test("orcs test runs the hashed content, whatever is written meanwhile", async () => {
  const cwd = folder(FILES);
  await trusted(cwd, state);
  const { config, bench } = await openTestProject({ cwd });
  try {
    writeFileSync(join(cwd, "hooks/guard.lua"), 'error("another one")\n');
    writeFileSync(join(cwd, "hooks/deny.lua"), 'error("another one")\n');
    const rig = await bench.rig(config.hooks.filter(({ handler }) => handler.kind === "script"));
    rig.close();
  } finally {
    await bench.close();
  }
});

test("tests of a trusted project set and check the state by the keys that its scripts use", async () => {
  const hook = (tests: string): string =>
    `[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = "if orcs.state.get('n') == 1 then orcs.state.set('n', 2) return orcs.deny('seen') end"\n${tests}`;
  const cwd = folder({
    "orcs.toml": hook(
      `tests = [
        { name = "begins", state = { n = 1 }, event = { tool = "x" }, expect = { action = "abort" }, state_after = { n = 2 } },
        { name = "is wrong", state = { n = 1 }, event = { tool = "x" }, expect = { action = "abort" }, state_after = { n = 3 } },
      ]`,
    ),
  });
  await trusted(cwd, state);
  const named = await runTests({ cwd, config: "orcs.toml" });
  const found = await runTests({ cwd });
  for (const ran of [named, found])
    expect(ran.tests.map(({ name, status }) => [name, status])).toEqual([
      ["begins", "passed"],
      ["is wrong", "failed"],
    ]);
  const hooks = await testHooks({ cwd, state: { n: 1 } });
  await hooks.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
  expect(hooks.state.get("n")).toBe(2);
  await hooks.close();
});
