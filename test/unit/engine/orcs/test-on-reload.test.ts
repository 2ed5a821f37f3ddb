import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { errorOf, folder, open } from "./engine.ts";

const guard = (reason: string, expected = reason): string => `return {
  id = "guard",
  point = "tool.pre_execute",
  handler = function() return orcs.deny("${reason}") end,
  tests = {
    { "denies", event = { tool = "x" }, expect = { action = "abort", reason = "${expected}" } },
  },
}
`;
const TOML = `[engine]
test_on_reload = true
[[hooks]]
script = "guard.lua"
`;

async function said(orcs: Orcs): Promise<unknown> {
  const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
  return "reason" in outcome ? outcome.reason : outcome.action;
}

async function start(files: Record<string, string> = {}): Promise<{ orcs: Orcs; cwd: string }> {
  const cwd = folder({ "orcs.toml": TOML, "hooks/guard.lua": guard("one"), ...files });
  return { orcs: await open({ cwd, config: "orcs.toml" }), cwd };
}

test("test_on_reload: the tests of a changed script must pass before it becomes active", async () => {
  const { orcs, cwd } = await start();
  writeFileSync(join(cwd, "hooks/guard.lua"), guard("two"));
  await orcs.reload();
  expect(await said(orcs)).toBe("two");
  writeFileSync(join(cwd, "hooks/guard.lua"), guard("three", "four"));
  const error = await errorOf(orcs.reload());
  expect(error.code).toBe("ORCS1015");
  expect(error.diagnostics).toEqual([
    {
      code: "ORCS3007",
      severity: "error",
      message: 'the test "denies" failed: reason: expected "four", got "three"',
      place: { file: "hooks/guard.lua", line: 6 },
    },
  ]);
  expect(error.message).toContain(' 6 |     { "denies", event');
  expect(await said(orcs)).toBe("two");
  // What failed is not taken for good: it fails again.
  await expect(orcs.reload()).rejects.toMatchObject({ code: "ORCS1015" });
  writeFileSync(join(cwd, "hooks/guard.lua"), guard("three"));
  await orcs.reload();
  expect(await said(orcs)).toBe("three");
});

test("test_on_reload: unchanged scripts are not tested", async () => {
  const { orcs, cwd } = await start({ "hooks/guard.lua": guard("one", "other") });
  expect(await said(orcs)).toBe("one");
  writeFileSync(
    join(cwd, "orcs.toml"),
    `${TOML}[[hooks]]\nid = "o"\npoint = "tool.post_execute"\nhandler_inline = "ctx"\n`,
  );
  await orcs.reload();
  expect(orcs.registry.size).toBe(2);
});

test("test_on_reload: an invalid test, a test in orcs.toml and a changed module", async () => {
  const { orcs, cwd } = await start({
    "hooks/guard.lua": guard("one").replace('"one")', 'require("why"))'),
    "hooks/why.lua": 'return "one"',
  });
  expect(await said(orcs)).toBe("one");
  writeFileSync(join(cwd, "hooks/why.lua"), 'return "two"');
  await expect(orcs.reload()).rejects.toMatchObject({ diagnostics: [{ code: "ORCS3007" }] });
  expect(await said(orcs)).toBe("one");
  writeFileSync(join(cwd, "hooks/why.lua"), 'return "one"');
  await orcs.reload();
  writeFileSync(join(cwd, "hooks/guard.lua"), guard("one").replace("expect =", "expct ="));
  await expect(orcs.reload()).rejects.toMatchObject({
    diagnostics: [{ code: "ORCS1003", place: { line: 6 } }, { code: "ORCS1013" }],
  });
  writeFileSync(join(cwd, "hooks/guard.lua"), guard("one"));
  const inline = `[[hooks]]
id = "inline"
point = "tool.pre_execute"
handler_inline = 'orcs.deny("inline")'
[[hooks.tests]]
name = "it"
event = { tool = "x" }
expect = { reason = "other" }
`;
  writeFileSync(join(cwd, "orcs.toml"), TOML + inline);
  await expect(orcs.reload()).rejects.toMatchObject({
    diagnostics: [{ code: "ORCS3007", place: { file: "orcs.toml", line: 9 } }],
  });
  expect(await said(orcs)).toBe("one");
});

test("test_on_reload = false tests nothing; enabling it applies at the same reload", async () => {
  const off = TOML.replace("true", "false");
  const { orcs, cwd } = await start({ "orcs.toml": off });
  writeFileSync(join(cwd, "hooks/guard.lua"), guard("two", "other"));
  expect(await orcs.reload()).toMatchObject({ pending: [] });
  expect(await said(orcs)).toBe("two");
  writeFileSync(join(cwd, "orcs.toml"), TOML);
  await expect(orcs.reload()).rejects.toMatchObject({ diagnostics: [{ code: "ORCS3007" }] });
  writeFileSync(join(cwd, "hooks/guard.lua"), guard("two"));
  expect(await orcs.reload()).toMatchObject({ pending: [] });
});

test("test_on_reload runs tests isolated from real tools and from the engine's state", async () => {
  const text = (n: number) => `return {
    id = "guard", point = "tool.pre_execute",
    handler = function(ctx)
      orcs.write("made.txt", "x")
      return orcs.deny("${n}: " .. orcs.state.incr("n"))
    end,
    tests = { { "it", event = { tool = "x" }, calls = { { "write" } }, expect = { reason = "${n}: 1" } } },
  }`;
  const { orcs, cwd } = await start({
    "hooks/guard.lua": text(1).replace('orcs.write("made.txt", "x")', ""),
  });
  expect(await said(orcs)).toBe("1: 1");
  writeFileSync(join(cwd, "hooks/guard.lua"), text(2));
  await orcs.reload();
  const { existsSync } = await import("node:fs");
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);
});
