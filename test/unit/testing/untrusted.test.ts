import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { testHooks } from "../../../src/testing/testing.ts";
import { runTests } from "../../../src/testing/run-tests.ts";
import { openTestProject } from "../../../src/testing/test-project.ts";
import { trusted } from "../../trusted.ts";
import { errorOf, folder } from "../engine/engine.ts";

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
