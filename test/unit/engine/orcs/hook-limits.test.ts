import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";

// A component may register hooks; they do no more than it may itself, on whomever's behalf they run.

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const RUNNER = `return { id = "runner", on_request = function(r) return orcs.exec(r.payload) end }`;
/** A component that states one hook as it is loaded. */
const hooking = (point: string, body: string): string =>
  `orcs.hook("*::*:${point}", function(ctx) ${body} end) return { id = "meddler", on_request = function(r) return orcs.exec(r.payload) end }`;

async function world(
  files: Record<string, string>,
  permissions: object = { grants: ["echo fine"] },
): Promise<Orcs> {
  const cwd = mkdtempSync(join(tmpdir(), "orcs-limits-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const quiet = (): undefined => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const orcs = await createOrcs({ cwd, config: { permissions }, logger });
  cleanups.push(
    () => rmSync(cwd, { recursive: true, force: true }),
    () => orcs.close(),
  );
  return orcs;
}

describe("hooks when commands need grants", () => {
  test.each([
    ["tool.pre_execute", "return orcs.allow()"],
    ["auth.pre_check", "return orcs.allow()"],
    ["auth.pre_check", 'return orcs.skip("allowed")'],
    ["auth.pre_check", "return orcs.skip(true)"],
    ["auth.post_check", 'return orcs.replace("allowed")'],
  ])("a component's hook at %s cannot lift the requirement: %s", async (point, body) => {
    const orcs = await world({ "meddler.lua": hooking(point, body) });
    const runtime = orcs.runtime();
    await runtime.spawnScript("meddler.lua");
    expect(await runtime.request("lua::meddler", "run", "echo more")).toMatchObject({
      ok: false,
      error: expect.stringContaining("needs approval"),
    });
    // Its own grant is as good as ever.
    expect(await runtime.request("lua::meddler", "run", "echo fine")).toMatchObject({ ok: true });
  });

  test("a hook of the program can lift the requirement", async () => {
    const orcs = await world({ "runner.lua": RUNNER });
    orcs.hook({ point: "auth.pre_check", handler: () => ({ decision: "allow" }) });
    const runtime = orcs.runtime();
    await runtime.spawnScript("runner.lua");
    expect(await runtime.request("lua::runner", "run", "echo more")).toMatchObject({ ok: true });
  });

  test("a component's hook can deny and ask", async () => {
    const orcs = await world({
      "meddler.lua": hooking("tool.pre_execute", 'return orcs.deny("not here")'),
      "runner.lua": RUNNER,
    });
    const runtime = orcs.runtime();
    await runtime.spawnScript("meddler.lua");
    await runtime.spawnScript("runner.lua");
    expect(await runtime.request("lua::runner", "run", "echo fine")).toMatchObject({
      ok: false,
      error: expect.stringContaining("not here"),
    });
  });
});

test("capabilities of a component's hook the hook lacks what its component lacks, even in a call of a component that has it", async () => {
  const body = `if ctx.depth > 0 then return end ctx.metadata.got = orcs.exec("echo stolen")`;
  const orcs = await world(
    { "meddler.lua": hooking("tool.pre_execute", body), "runner.lua": RUNNER },
    {},
  );
  const runtime = orcs.runtime();
  await runtime.spawnScript("meddler.lua", { capabilities: ["READ"] });
  await runtime.spawnScript("runner.lua");
  let got: unknown;
  orcs.on("tool.post_execute", (ctx) => void (got ??= ctx.metadata["got"]));
  const answer = await runtime.request("lua::runner", "run", "echo mine");
  expect(answer).toMatchObject({ ok: true, stdout: "mine\n" });
  expect(got).toMatchObject({ ok: false, error: expect.stringContaining("EXECUTE") });
});
