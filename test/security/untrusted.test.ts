import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { inspectProject } from "../../src/config/trust/inspect-project.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { hostileProject, TOKEN } from "../hostile-project.ts";
import { call, folder } from "../unit/engine/orcs/engine.ts";
import { found, home, trustIt } from "../unit/config/trust/rig.ts";

// R1: of a project that was found and that nobody has trusted, nothing runs.

async function hostile() {
  home();
  const project = await hostileProject(folder());
  onTestFinished(project.close);
  vi.stubEnv("TOKEN", TOKEN);
  const dir = folder({ ...project.files, "sub/x": "" });
  return { ...project, dir };
}

async function dispatchAll(orcs: Orcs): Promise<unknown[]> {
  const over = { ...call("x"), result: "r", elapsed_ms: 1 };
  const outcomes = [
    await orcs.dispatch("tool.pre_execute", call("x")),
    await orcs.dispatch("tool.post_execute", over),
    await orcs.dispatch("session.on_start", {}),
    await orcs.dispatch("prompt.pre_submit", { prompt: "p" }),
  ];
  return outcomes.map(({ action }) => action);
}

test("an untrusted project runs no code, asks nothing and reads no environment variable", async () => {
  const { dir, acted } = await hostile();
  for (const cwd of [dir, join(dir, "sub")]) {
    for (const agent of [undefined, "a"]) {
      const { orcs, lines } = await found(cwd, { agent, watch: true });
      expect(orcs.registry.list()).toEqual([]);
      expect(await dispatchAll(orcs)).toEqual(["continue", "continue", "continue", "continue"]);
      expect(orcs.settings.permissions.root).toBe(cwd);
      expect(orcs.settings).toMatchObject({ debug: false, paths: {}, scripts: { dirs: [] } });
      expect(orcs.warnings).toEqual([]);
      await orcs.reload();
      expect(orcs.notice?.text).toBe(
        `the hooks of ${dir} are inactive because they are not trusted; see: orcs trust ${dir}`,
      );
      expect(lines.join("\n")).not.toMatch(/evil|hunter2/);
      expect(lines.filter((line) => line.includes("ORCS8001"))).toHaveLength(1);
    }
  }
  expect(await acted()).toEqual([]);
});

test("an untrusted project runs nothing when inspected, or when other content was trusted", async () => {
  const { dir, acted } = await hostile();
  const evil = await inspectProject(dir, home().store);
  expect(evil.layers.flatMap(({ hooks }) => hooks).length).toBeGreaterThan(20);
  expect(JSON.stringify(evil)).not.toContain(TOKEN);
  writeFileSync(join(dir, "orcs.toml"), "");
  writeFileSync(join(dir, "orcs.local.toml"), "");
  await trustIt(dir);
  writeFileSync(join(dir, "orcs.toml"), (await hostileProject(folder())).files["orcs.toml"] ?? "");
  const { orcs } = await found(dir);
  expect(orcs.registry.list()).toEqual([]);
  expect(await dispatchAll(orcs)).toEqual(["continue", "continue", "continue", "continue"]);
  expect(orcs.notice?.text).toMatch(/^the hooks of .* are active as you trusted them on /);
  expect(orcs.notice?.text).toContain("; changed since then: orcs.toml;");
  expect(await acted()).toEqual([]);
});

test("the project of these tests would act if it were trusted", async () => {
  const { dir, acted, files } = await hostile();
  writeFileSync(join(dir, "orcs.local.toml"), "");
  // Neither loops, nor what keeps others from running.
  const calm = (files["orcs.toml"] ?? "").replaceAll(
    /\[\[hooks\]\]\nid = "(inline|script)[^[]*/g,
    "",
  );
  writeFileSync(join(dir, "orcs.toml"), calm);
  for (const [handler, trace] of [
    ["shell", "shell"],
    ["program", "program"],
    ["webhook", "asked"],
    ["module", "module"],
  ] as const) {
    await trustIt(dir, true);
    const { orcs } = await found(dir, { overrides: { engine: { on_error: "open" } } });
    for (const { id } of orcs.registry.list()) orcs.registry.setEnabled(id, id.startsWith(handler));
    await dispatchAll(orcs).catch(() => undefined);
    const found_ = await acted();
    expect(found_.join(), handler).toContain(trace);
  }
});
