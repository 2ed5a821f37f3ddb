import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { OpencodeHooks } from "../../../../src/agents/adapters/opencode.ts";
import { orcsPlugin } from "../../../../src/agents/adapters/opencode.ts";
import { PLUGIN_EVENTS } from "../../../../src/formats/opencode/events.ts";
import type { PluginChoices } from "../../../../src/agents/install/plugin-file.ts";
import {
  planPlugin,
  planPluginRemoval,
  pluginPath,
  pluginText,
} from "../../../../src/agents/install/plugin-file.ts";
import { applyPlan, planStatus } from "../../../../src/agents/install/plan.ts";
import type { Scope } from "../../../../src/agents/install/settings-places.ts";
import { folder } from "../../engine/orcs/engine.ts";

const BASH = { tool: "bash", sessionID: "s1", callID: "c1" };
const STRICT: PluginChoices = { strict: true, missing: "deny" };
/** A package in place of orcs, which denies everything and says with what it was called. */
const FAKE =
  "export const orcsPlugin = (options) => async () => ({ 'tool.execute.before': async () => { throw new Error(JSON.stringify(options ?? {})); } });";

/** A project with the plugin in it, as opencode loads it. */
async function started(text: string, files: Readonly<Record<string, string>> = {}, path = "") {
  const project = folder({ ".opencode/plugin/orcs.js": text, ...files });
  vi.stubEnv("PATH", path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const url = pathToFileURL(join(project, ".opencode/plugin/orcs.js")).href;
  const made = (await import(/* @vite-ignore */ url)) as Record<string, (input: object) => unknown>;
  // opencode takes every export for a plugin.
  expect(Object.keys(made)).toEqual(["default"]);
  const hooks = (await made["default"]?.({ directory: project })) as Partial<OpencodeHooks>;
  return { call: () => hooks["tool.execute.before"]?.(BASH, { args: { command: "ls" } }), hooks };
}

const projectText = (choices = STRICT) => pluginText("opencode", "project", choices);

describe("the plugin of a project", () => {
  test("loads the orcs of the project, wherever it is above", async () => {
    const { call } = await started(projectText(), {
      "node_modules/orcs/dist/adapters/opencode.js": FAKE,
      "node_modules/orcs/package.json": '{ "type": "module" }',
    });
    await expect(call()).rejects.toThrow('{"untrusted":"deny"}');
  });

  test("loads the orcs on the PATH, through the link of its program", async () => {
    const global = folder({
      "lib/node_modules/orcs/dist/adapters/opencode.js": FAKE,
      "lib/node_modules/orcs/package.json": '{ "type": "module" }',
      "lib/node_modules/orcs/bin/orcs.cjs": "",
    });
    mkdirSync(join(global, "bin"));
    symlinkSync("../lib/node_modules/orcs/bin/orcs.cjs", join(global, "bin/orcs"));
    const text = projectText({ strict: false, missing: "deny" });
    const { call } = await started(text, {}, `relative:${join(global, "bin")}`);
    await expect(call()).rejects.toThrow(/^\{\}$/);
  });

  test("without orcs, denies calls and permissions with the command that installs it", async () => {
    const { call, hooks } = await started(projectText());
    await expect(call()).rejects.toThrow(
      /^orcs failed: it is not installed where this agent looks for it; to install it: npm install --global \.\/orcs-\*\.tgz && orcs install --host opencode; until then this is denied$/,
    );
    const output = { status: "allow" as const };
    await hooks["permission.ask"]?.({ type: "bash", sessionID: "s1" }, output);
    expect(output).toEqual({ status: "deny" });
  });

  test('with missing "allow", people without orcs work unchecked; an orcs that crashes still denies', async () => {
    const text = projectText({ strict: true, missing: "allow" });
    expect(Object.keys((await started(text)).hooks)).toEqual([]);
    const broken = {
      "node_modules/orcs/dist/adapters/opencode.js": "throw new Error('broken')",
    };
    const { call } = await started(text, broken);
    await expect(call()).rejects.toThrow("orcs failed: broken; ");
  });
});

describe("the user's plugin", () => {
  test("names the adapter of this package, and denies once it has moved", async () => {
    const text = pluginText("opencode", "user", { strict: false, missing: "deny" });
    const [, file = ""] = /const ADAPTER = "file:\/\/(.*)";/.exec(text) ?? [];
    expect(file).toMatch(/\/adapters\/opencode\.js$/);
    const { call } = await started(text.replace(file, "/gone/opencode.js"));
    await expect(call()).rejects.toThrow(/^orcs failed: .*\/gone\/opencode\.js.*npm install/);
  });
});

describe("installing a plugin", () => {
  const place = () => ({ env: {}, home: folder(), project: folder() });
  const target = (scope: Scope, at: ReturnType<typeof place>) => ({
    host: "opencode" as const,
    scope,
    path: pluginPath("opencode", scope, at),
  });

  test("the user's is below XDG_CONFIG_HOME, a project's in .opencode", () => {
    const at = { env: { XDG_CONFIG_HOME: "/conf" }, home: "/home/me", project: "/p" };
    expect(pluginPath("opencode", "user", at)).toBe("/conf/opencode/plugin/orcs.js");
    const plain = { ...at, env: {} };
    expect(pluginPath("opencode", "user", plain)).toBe("/home/me/.config/opencode/plugin/orcs.js");
    expect(pluginPath("opencode", "project", at)).toBe("/p/.opencode/plugin/orcs.js");
  });

  test.each(["user", "project"] as const)(
    "%s: written, up to date, changed with other choices, removed with its folders",
    (scope) => {
      const at = place();
      const records = folder();
      const own = target(scope, at);
      const install = (choices: PluginChoices) => {
        const plan = planPlugin(own, choices, records);
        applyPlan(plan, records);
        return planStatus(plan);
      };
      expect(install(STRICT)).toBe("created");
      expect(readFileSync(own.path, "utf8")).toBe(pluginText("opencode", scope, STRICT));
      expect(install(STRICT)).toBe("unchanged");
      expect(install({ ...STRICT, strict: false })).toBe("changed");
      const removal = planPluginRemoval(own, records);
      if (!removal) throw new Error("nothing to remove");
      applyPlan(removal, records);
      expect(() => readFileSync(dirname(own.path))).toThrow("ENOENT");
      expect(planPluginRemoval(own, records)).toBeUndefined();
    },
  );

  test("a file that was there is put back", () => {
    const at = place();
    const records = folder();
    const own = target("project", at);
    mkdirSync(dirname(own.path), { recursive: true });
    writeFileSync(own.path, "mine");
    expect(planPluginRemoval(own, records)).toBeUndefined();
    applyPlan(planPlugin(own, STRICT, records), records);
    writeFileSync(own.path, `${readFileSync(own.path, "utf8")}// and mine\n`);
    const removal = planPluginRemoval(own, records);
    if (!removal) throw new Error("nothing to remove");
    applyPlan(removal, records);
    expect(readFileSync(own.path, "utf8")).toBe("mine");
  });

  test("a file that somebody has replaced since is theirs", () => {
    const at = place();
    const records = folder();
    const own = target("project", at);
    applyPlan(planPlugin(own, STRICT, records), records);
    writeFileSync(own.path, "theirs");
    expect(() => planPluginRemoval(own, records)).toThrow(/ORCS7004.*remove it yourself/);
  });
});

test("the adapter has a function for each point of the table, and the table for each of them", async () => {
  const points = Object.values(PLUGIN_EVENTS.opencode).map(({ point }) => point);
  const handler_inline = 'orcs.emit_output("at " .. ctx.hook_point)';
  const said: string[] = [];
  const directory = folder();
  const hooks = points.map((point, i) => ({ id: `h${i}`, point, handler_inline }));
  const made = await orcsPlugin({
    config: { hooks },
    output: (text) => said.push(text),
    selfGuard: false,
  })({ directory });
  onTestFinished(() => made.dispose());
  await made["tool.execute.before"](BASH, { args: {} });
  await made["tool.execute.after"](BASH, { output: "x" });
  await made["chat.message"]({ sessionID: "s1" }, { parts: [{ type: "text", text: "x" }] });
  for (const type of ["session.created", "session.deleted"]) {
    await made.event({ event: { type } });
  }
  expect(said).toEqual(points.map((point) => `at ${point}`));
});
