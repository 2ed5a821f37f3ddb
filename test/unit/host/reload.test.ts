import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createOrcs } from "../../../src/host/create-orcs.ts";
import type { Orcs } from "../../../src/host/orcs.ts";
import type { CreateOrcsOptions } from "../../../src/host/options.ts";

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
  test("exchanges hooks in one step; state, program hooks and what was set at run time stay", async () => {
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

  test("a mistake leaves the last good hooks, and says what and where", async () => {
    const cwd = folder({ "orcs.toml": TOML, "say.lua": saying("good") });
    const orcs = await open(cwd);
    const failures: string[] = [];
    orcs.events.on("reload_failed", ({ error }) => failures.push(error.message));
    writeFileSync(join(cwd, "say.lua"), "return function(ctx\n");
    await expect(orcs.reload()).rejects.toMatchObject({ code: "ORCS1015" });
    expect(failures).toEqual([expect.stringContaining("say.lua:")]);
    expect(await said(orcs)).toBe("good");
    rmSync(join(cwd, "say.lua"));
    await expect(orcs.reload()).rejects.toMatchObject({ code: "ORCS1015" });
    expect(await said(orcs)).toBe("good");
  });

  test("a dispatch under way ends on the old hooks", async () => {
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

describe("watch", () => {
  test("a save, however it is done, is active soon", async () => {
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

  test("fifty saves come to the last one", async () => {
    const cwd = folder({ "orcs.toml": TOML, "say.lua": saying("0") });
    const orcs = await open(cwd, { watch: true });
    let reloads = 0;
    orcs.events.on("reloaded", () => reloads++);
    for (let i = 1; i <= 50; i++) writeFileSync(join(cwd, "say.lua"), saying(String(i)));
    await until(async () => (await said(orcs)) === "50");
    expect(reloads).toBeLessThan(4);
  });
});
