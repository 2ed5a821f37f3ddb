import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import { trustedHere } from "../../../trusted.ts";

const opened: Orcs[] = [];
const folders: string[] = [];
const log: string[] = [];
const logger = {
  debug: () => undefined,
  info: (text: string) => void log.push(text),
  warn: (text: string) => void log.push(`warn ${text}`),
  error: (text: string) => void log.push(`error ${text}`),
};

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(opened.splice(0).map((orcs) => orcs.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  log.length = 0;
});

function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), "orcs-reload-"));
  folders.push(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

async function open(cwd: string, more: Partial<CreateOrcsOptions> = {}): Promise<Orcs> {
  const orcs = await createOrcs({ cwd, config: "orcs.toml", logger, ...more });
  opened.push(orcs);
  return orcs;
}

async function said(orcs: Orcs): Promise<unknown> {
  const { ctx } = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
  return ctx.metadata["said"];
}

/** Until it holds; fails after five seconds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("it did not come about");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const TOML = '[[hooks]]\nid = "say"\npoint = "tool.pre_execute"\nscript = "say.lua"\n';
const saying = (text: string): string => `return function(ctx) ctx.metadata.said = "${text}" end\n`;

describe("orcs.reload", () => {
  test("replaces the hooks atomically; orcs.state, hooks in code and runtime changes stay", async () => {
    const cwd = folder({
      "orcs.toml": `${TOML}[[hooks]]\nid = "count"\npoint = "tool.pre_execute"\nhandler_inline = 'ctx.metadata.n = orcs.state.incr("n")'\n`,
      "say.lua": saying("one"),
    });
    const orcs = await open(cwd);
    orcs.hook({
      id: "own",
      point: "tool.pre_execute",
      handler: (ctx) => void (ctx.metadata["own"] = true),
    });
    expect(await said(orcs)).toBe("one");
    writeFileSync(join(cwd, "say.lua"), saying("two"));
    expect(await orcs.reload()).toEqual({ hooks: 2, pending: [], duration_ms: expect.any(Number) });
    const { ctx } = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
    expect(ctx.metadata).toEqual({ said: "two", n: 2, own: true });
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(["say", "count", "own"]);
    orcs.registry.setEnabled("say", false);
    orcs.registry.unregister("count");
    await orcs.reload();
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(["say", "own"]);
    expect(orcs.registry.isEnabled("say")).toBe(false);
  });

  test("with an error keeps the previous hooks active and reports the file and line", async () => {
    const cwd = folder({ "orcs.toml": TOML, "say.lua": saying("good") });
    const orcs = await open(cwd);
    const failures: string[] = [];
    orcs.events.on("reload_failed", ({ error }) => failures.push(error.message));
    writeFileSync(join(cwd, "say.lua"), "return function(ctx\n");
    await expect(orcs.reload()).rejects.toMatchObject({ code: "ORCS1015" });
    expect(failures).toEqual([expect.stringContaining("say.lua:")]);
    const shown = log.filter((line) => line.startsWith("error ")).map((line) => line.slice(6));
    expect(shown[0]).toMatch(/^the previous hooks stay active: ORCS1015/);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.filter((line) => line.includes("\n"))).toEqual([]);
    expect(await said(orcs)).toBe("good");
    rmSync(join(cwd, "say.lua"));
    await expect(orcs.reload()).rejects.toMatchObject({ code: "ORCS1015" });
    expect(await said(orcs)).toBe("good");
  });

  test("a dispatch in progress finishes with the old hooks", async () => {
    const cwd = folder({
      "orcs.toml": `[[hooks]]\nid = "say"\npoint = "tool.pre_execute"\npriority = 200\nscript = "say.lua"\n`,
      "say.lua": saying("old"),
    });
    const orcs = await open(cwd);
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    orcs.hook({ point: "tool.pre_execute", once: true, handler: () => gate });
    const waiting = said(orcs);
    writeFileSync(join(cwd, "say.lua"), saying("new"));
    await orcs.reload();
    expect(await said(orcs)).toBe("new");
    go();
    expect(await waiting).toBe("old");
  });
});

describe("watch: true", () => {
  test("a save becomes active soon, by write or by rename", async () => {
    const cwd = folder({ "orcs.toml": TOML, "say.lua": saying("0") });
    const orcs = await open(cwd, { watch: true });
    writeFileSync(join(cwd, "say.lua"), saying("written"));
    await until(async () => (await said(orcs)) === "written");
    writeFileSync(join(cwd, "say.lua.tmp"), saying("renamed"));
    renameSync(join(cwd, "say.lua.tmp"), join(cwd, "say.lua"));
    await until(async () => (await said(orcs)) === "renamed");
    rmSync(join(cwd, "say.lua"));
    await until(() => log.some((line) => line.includes("say.lua")));
    writeFileSync(join(cwd, "say.lua"), saying("again"));
    await until(async () => (await said(orcs)) === "again");
  });

  test("after fifty saves the last one is active", async () => {
    const cwd = folder({ "orcs.toml": TOML, "say.lua": saying("0") });
    const orcs = await open(cwd, { watch: true });
    let reloads = 0;
    orcs.events.on("reloaded", () => reloads++);
    for (let i = 1; i <= 50; i++) writeFileSync(join(cwd, "say.lua"), saying(String(i)));
    await until(async () => (await said(orcs)) === "50");
    expect(reloads).toBeLessThan(4);
  });

  test("a script directory renamed away keeps the previous hooks; renamed back it is used again", async () => {
    const cwd = folder({ "orcs.toml": TOML });
    mkdirSync(join(cwd, "hooks"));
    writeFileSync(join(cwd, "hooks/say.lua"), saying("one"));
    const orcs = await open(cwd, { watch: true });
    renameSync(join(cwd, "hooks"), join(cwd, "away"));
    await until(() => log.some((line) => line.startsWith("error the previous hooks stay")));
    expect(await said(orcs)).toBe("one");
    writeFileSync(join(cwd, "away/say.lua"), saying("two"));
    renameSync(join(cwd, "away"), join(cwd, "hooks"));
    await until(async () => (await said(orcs)) === "two");
    // And is watched as before.
    writeFileSync(join(cwd, "hooks/say.lua"), saying("three"));
    await until(async () => (await said(orcs)) === "three");
  });

  test("changes to a module and to a configuration created later are detected", async () => {
    const cwd = folder({
      "orcs.toml": TOML,
      "say.lua": 'local m = require("m") return function(ctx) ctx.metadata.said = m end',
    });
    mkdirSync(join(cwd, "hooks"));
    writeFileSync(join(cwd, "hooks/m.lua"), 'return "one"');
    await trustedHere(cwd, folder({}), { dev: true });
    const orcs = await open(cwd, { watch: true, config: undefined });
    expect(await said(orcs)).toBe("one");
    writeFileSync(join(cwd, "hooks/m.lua"), 'return "two"');
    await until(async () => (await said(orcs)) === "two");
    const local =
      '[[hooks]]\nid = "local"\npoint = "tool.pre_execute"\npriority = 900\nhandler_inline = "ctx.metadata.said = \\"local\\""\n';
    writeFileSync(join(cwd, "orcs.local.toml"), local);
    await until(async () => (await said(orcs)) === "local");
    rmSync(join(cwd, "orcs.local.toml"));
    await until(async () => (await said(orcs)) === "two");
    rmSync(join(cwd, "orcs.toml"));
    await until(() => orcs.registry.size === 0);
  });

  test("many files saved at once cause one reload", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `s${i}.lua`);
    const entry = (name: string): string =>
      `[[hooks]]\nscript = "${name}"\npoint = "tool.pre_execute"\n`;
    const at = (n: number) => (name: string) =>
      `return function(ctx) ctx.metadata["${name}"] = ${n} end`;
    const cwd = folder({
      "orcs.toml": names.map(entry).join(""),
      ...Object.fromEntries(names.map((name) => [name, at(0)(name)])),
    });
    const orcs = await open(cwd, { watch: true });
    let reloads = 0;
    orcs.events.on("reloaded", () => reloads++);
    for (const name of names) writeFileSync(join(cwd, name), at(1)(name));
    const isNew = async (): Promise<boolean> => {
      const { ctx } = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
      return Object.values(ctx.metadata).every((value) => value === 1);
    };
    await until(isNew);
    expect(reloads).toBeLessThan(4);
  });

  test("changed settings are named, and take effect at the next start", async () => {
    const cwd = folder({ "orcs.toml": TOML, "say.lua": saying("one") });
    const orcs = await open(cwd);
    writeFileSync(join(cwd, "orcs.toml"), `${TOML}[lua]\nmemory_mb = 32\n`);
    expect(await orcs.reload()).toMatchObject({ pending: ["lua.memory_mb"] });
    expect(log).toContain(
      "warn lua.memory_mb has changed; the change takes effect at the next start",
    );
    expect(await orcs.reload()).toMatchObject({ pending: [] });
  });

  test("an id that a hook in code uses is an error, and nothing is replaced", async () => {
    const cwd = folder({ "orcs.toml": TOML, "say.lua": saying("one") });
    const orcs = await open(cwd);
    orcs.hook({ id: "own", point: "tool.pre_execute", handler: () => undefined });
    writeFileSync(join(cwd, "orcs.toml"), TOML.replace('"say"', '"own"'));
    await expect(orcs.reload()).rejects.toMatchObject({ code: "ORCS2007" });
    expect(await said(orcs)).toBe("one");
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(["say", "own"]);
  });

  test("hooks that a script added at run time are removed with it", async () => {
    const cwd = folder({
      "orcs.toml": TOML,
      "say.lua":
        'local n = 0 return function(ctx) n = n + 1 if n == 1 then orcs.hook{ id = "extra", point = "tool.post_execute", handler = function() end } end ctx.metadata.said = n end',
    });
    const orcs = await open(cwd);
    await said(orcs);
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(["say", "extra"]);
    await orcs.reload();
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(["say"]);
    expect(await said(orcs)).toBe(1);
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(["say", "extra"]);
  });
});
