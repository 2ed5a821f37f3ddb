import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { folder, Lines, open } from "../unit/engine/orcs/engine.ts";
import { rig } from "../unit/engine/runtime/rig.ts";

/**
 * The scripts that ORCS has published load, and the hooks in them decide. They are not part of this repository:
 * ORCS_PUBLISHED is a folder with the files of github.com/ynishi/orcs-cli.
 */
const PUBLISHED = process.env["ORCS_PUBLISHED"] ?? "";
const isThere = existsSync(join(PUBLISHED, "crates/orcs-lua"));
if (!isThere) {
  console.warn("NOT TRIED: the scripts of ynishi/orcs-cli. Set ORCS_PUBLISHED to their folder.");
}

const read = (path: string): string => readFileSync(join(PUBLISHED, path), "utf8");

/** Scripts of components and children, also those that are a folder. */
const SCRIPTS = (isThere ? ["crates/orcs-app/builtins", "crates/orcs-lua/scripts"] : []).flatMap(
  (dir) =>
    readdirSync(join(PUBLISHED, dir), { withFileTypes: true })
      .map((entry) => join(dir, entry.isFile() ? entry.name : `${entry.name}/init.lua`))
      .filter((path) => path.endsWith(".lua")),
);

/** What a script says of itself. */
function named(code: string, key: string): string | undefined {
  const table = code.slice(code.lastIndexOf("\nreturn {"));
  return new RegExp(`^ {4}${key} *= *"([^"]+)"`, "m").exec(table)?.[1];
}

/** It, behind the two lines of docs/how-to/coming-from/adr-002.md. */
async function started(path: string, options?: JsonObject) {
  const isFolder = basename(path) === "init.lua";
  const dir = join(PUBLISHED, dirname(path));
  const name = isFolder ? "init" : basename(path, ".lua");
  const code = read(path);
  const isChild = !/on_request *=/.test(code);
  const main = `require "orcs.compat"\n${
    isChild
      ? `return { id = "parent", on_request = function(request)
  assert(orcs.spawn_child { id = "c", script = orcs.read(${JSON.stringify(basename(path))}).content }.ok)
  return orcs.send_to_child("c", request.payload)
end }`
      : `return require "${name}"`
  }\n`;
  const dirs = isFolder ? [dir, dirname(dir)] : [dir];
  const cwd = folder({ "main.lua": main });
  const it = await rig({
    realTime: true,
    cwd,
    config: { scripts: { dirs }, permissions: { root: dir } },
  });
  const id = isChild ? undefined : `${named(code, "namespace")}::${named(code, "id")}`;
  await it.runtime.spawnScript("main.lua", { id, options });
  return { ...it, id, isChild };
}

test.runIf(isThere).each(SCRIPTS)("%s is started", async (path) => {
  const { runtime, log, id, isChild } = await started(path);
  if (isChild) {
    const answer = await runtime.request("lua::parent", "x", { task: "t", children: 1 });
    expect(answer).toMatchObject({ ok: true, result: { success: true } });
  } else expect(runtime.channels.map(({ component }) => component)).toContain(id);
  expect(log.lines.filter((line) => line.startsWith("error"))).toEqual([]);
});

const HOOKING = SCRIPTS.filter((path) => read(path).includes("orcs.hook("));

test.runIf(isThere)("there are scripts with hooks", () => {
  expect(HOOKING).toEqual(["crates/orcs-app/builtins/agent_mgr.lua"]);
});

test.runIf(isThere).each(HOOKING)("the hooks of %s decide", async (path) => {
  const before = (await rig({ config: false })).orcs.registry.size;
  const { runtime, orcs, log, id } = await started(path, { llm_provider: "ollama", agents: {} });
  const hooks = orcs.registry.list().slice(before);
  expect(hooks.map(({ point }) => point.name)).toEqual(["request.post_dispatch"]);
  // What the script was started with has reached its init.
  expect(log.lines.join("\n")).toContain("llm=ollama/");
  const ran: string[] = [];
  orcs.events.on("executed", ({ hook }) => void ran.push(hook));
  const answer = await runtime.request(id ?? "", "process", { message: "" });
  expect(answer).toMatchObject({ success: false, error: "empty message" });
  expect(ran).toEqual([hooks[0]?.id]);
  // It passes on what it sees, here of a result at the place where it looks for one.
  const request = { id: "r", category: "Request", operation: "o", source: "a::b", target: id };
  const outcome = await orcs.dispatch(
    "request.post_dispatch",
    { ...request, payload: {}, timeout_ms: 1, response: { success: true }, elapsed_ms: 1 },
    { component: id, trace: true },
  );
  expect(outcome).toMatchObject({ action: "continue", trace: [{ status: "ran" }] });
  // Of another component it hears nothing.
  await runtime.request("lua::nobody", "x").catch(() => undefined);
  expect(ran).toHaveLength(2);
});

/** The Lua in ORCS' own tests of `orcs.hook`, and what it is to come to. */
const SNIPPETS = isThere
  ? [...read("crates/orcs-lua/src/hook_helpers.rs").matchAll(/r#"([^]*?)"#/g)]
      .map(([, code = ""]) => code.trim())
      .filter((code) => code.startsWith("orcs.hook(") && /function/.test(code))
  : [];

test.runIf(isThere)("ORCS' tests have hooks", () => expect(SNIPPETS.length).toBeGreaterThan(6));

test.runIf(isThere).each(SNIPPETS)("a hook of ORCS' tests: %s", async (code) => {
  const logger = new Lines();
  const cwd = folder({ "hooks/h.lua": `require "orcs.compat"\n${code}\n` });
  const doing = open({ cwd, logger, config: { hooks: [{ script: "h.lua" }] } });
  if (code.includes("invalid")) return expect(doing).rejects.toThrow("invalid_no_point");
  const orcs = await doing;
  const request = { id: "r", category: "Request", operation: "o", source: "a::b" };
  const payload = { ...request, target: "builtin::llm", payload: {}, timeout_ms: 1 };
  const options = { component: "builtin::llm", trace: true } as const;
  const outcome = await orcs.dispatch("request.pre_dispatch", payload, options);
  expect(outcome.trace).toEqual(
    code.includes("request.pre_dispatch")
      ? expect.arrayContaining([expect.objectContaining({ status: "ran" })])
      : [],
  );
  if (code.includes("abort")) {
    expect(outcome).toMatchObject({ action: "abort", reason: "denied by lua" });
  } else expect(outcome.action).toBe("continue");
  expect("hook_ran" in outcome.ctx.payload).toBe(code.includes("hook_ran"));
  expect(logger.lines).toEqual([]);
  return undefined;
});
