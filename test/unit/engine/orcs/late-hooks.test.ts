import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { openOrcs } from "../../../../src/engine/create-orcs.ts";
import { trustedHere } from "../../../trusted.ts";

const quiet = (): void => {};
const CALL = { tool_name: "exec", args: { command: "ls" } };

/** An engine whose project is loaded when it is asked, and what its log says. */
async function late(project: Record<string, string>, user = "") {
  const dir = mkdtempSync(join(tmpdir(), "orcs-late-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  const write = (name: string, text: string): void => {
    mkdirSync(join(dir, name, ".."), { recursive: true });
    writeFileSync(join(dir, name), text);
  };
  for (const [name, text] of Object.entries(project)) write(`project/${name}`, text);
  write("user/orcs/orcs.toml", `${user}\n[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n`);
  vi.stubEnv("XDG_CONFIG_HOME", join(dir, "user"));
  await trustedHere(join(dir, "project"), join(dir, "state"));
  const errors: string[] = [];
  const logger = { debug: quiet, info: quiet, warn: quiet, error: (m: string) => errors.push(m) };
  const orcs = await openOrcs({ cwd: join(dir, "project"), logger, projectLoads: "asked" });
  onTestFinished(() => orcs.close());
  return { orcs, errors };
}

const hook = (id: string, point: string, code: string, more = ""): string =>
  `[[hooks]]\nid = "${id}"\npoint = "${point}"\n${more}\nhandler_inline = '${code}'\n`;
const BROKEN = (point: string, more = ""): Record<string, string> => ({
  "orcs.toml": `[[hooks]]\nid = "p"\npoint = "${point}"\nscript = "a.lua"\n${more}\n`,
  "hooks/a.lua": 'error("broken")',
});

it("project hooks load after the user's own hooks ran, and see their changes to the payload", async () => {
  const { orcs } = await late(
    { "orcs.toml": hook("p", "tool.pre_execute", "orcs.deny(ctx.payload.args.command)") },
    hook("own", "tool.pre_execute", 'ctx.payload.args.command = "mine"'),
  );
  expect(orcs.registry.get("p")).toBeUndefined();
  expect(await orcs.dispatch("tool.pre_execute", CALL)).toMatchObject({
    action: "abort",
    hook: "p",
    reason: "mine",
  });
  expect(orcs.registry.get("p")).toBeDefined();
  expect(await orcs.dispatch("tool.pre_execute", CALL)).toMatchObject({ hook: "p" });
});

it("a denial by the user's own hook does not wait for the project to load", async () => {
  const { orcs } = await late(
    BROKEN("tool.pre_execute"),
    hook("own", "tool.pre_execute", 'orcs.deny("mine")'),
  );
  expect(await orcs.dispatch("tool.pre_execute", CALL)).toMatchObject({ hook: "own" });
});

it("a project that fails to load denies at the points of its pre hooks only", async () => {
  const { orcs } = await late(BROKEN("tool.pre_execute"));
  await expect(orcs.dispatch("tool.pre_execute", CALL)).rejects.toMatchObject({ code: "ORCS1015" });
  expect(await orcs.dispatch("prompt.pre_submit", { prompt: "x" })).toMatchObject({
    action: "continue",
  });
});

it("a project that fails to load: its post hooks are skipped, the user's own post hooks run", async () => {
  const { orcs, errors } = await late(
    BROKEN("tool.post_execute"),
    hook("own", "tool.post_execute", 'orcs.replace("masked")'),
  );
  const outcome = await orcs.dispatch("tool.post_execute", { ...CALL, result: "secret" });
  expect(outcome.ctx.payload.result).toBe("masked");
  expect(errors.join("\n")).toContain("cannot be loaded");
});

it("a project that fails to load follows on_error of its hooks (closed at post, open at pre)", async () => {
  const closed = await late(BROKEN("tool.post_execute", 'on_error = "closed"'));
  await expect(
    closed.orcs.dispatch("tool.post_execute", { ...CALL, result: "secret" }),
  ).rejects.toMatchObject({ code: "ORCS1015" });
  const open = await late(BROKEN("tool.pre_execute", 'on_error = "open"'));
  expect(await open.orcs.dispatch("tool.pre_execute", CALL)).toMatchObject({ action: "continue" });
});

it("a reload loads the project hooks that were not loaded yet", async () => {
  const { orcs } = await late({
    "orcs.toml": hook("p", "tool.pre_execute", 'orcs.deny("no")'),
  });
  await orcs.reload();
  expect(orcs.registry.pending).toBeUndefined();
  expect(await orcs.dispatch("tool.pre_execute", CALL)).toMatchObject({ hook: "p" });
});

it("a project cannot set engine.load_ms", async () => {
  const { orcs } = await late({
    "orcs.toml": `[engine]\nload_ms = 3600000\n${hook("p", "tool.pre_execute", "nil")}`,
  });
  expect(orcs.settings.engine.load_ms).toBe(5000);
  expect(orcs.warnings.map(({ code }) => code)).toContain("ORCS1016");
});
