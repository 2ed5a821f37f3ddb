import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import * as source from "../../src/index.ts";
import { install, packed } from "./installed.ts";
import { folder, PATIENT, ROOT, start, writeFiles } from "./orcs.ts";

let archive: string;
beforeAll(() => {
  archive = packed(folder());
});

/** What somebody has beside orcs who uses all of it. */
const BESIDE = [
  "@anthropic-ai/claude-agent-sdk",
  "@openai/agents-core",
  "@opentelemetry",
  "@types/node",
  "ai",
  "langchain",
  "zod",
];

function installedBeside(project: Record<string, string>): string {
  const dir = installed(project);
  for (const name of BESIDE) {
    const at = join(dir, "node_modules", name);
    if (statSync(at, { throwIfNoEntry: false })) continue;
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), at);
  }
  return dir;
}

/** What can be imported. */
function exportsOf(dir: string): string[] {
  const manifest = readFileSync(join(dir, "node_modules/orcs/package.json"), "utf8");
  const { exports } = JSON.parse(manifest) as { exports: Record<string, unknown> };
  return Object.keys(exports)
    .filter((name) => name !== "./package.json")
    .map((name) => name.replace(".", "orcs"));
}

const CALL = {
  session_id: "s",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "git push --force" },
  tool_use_id: "t",
};

/** A project that has the package installed. */
function installed(project: Record<string, string>): string {
  const dir = folder(project);
  install(archive, dir);
  return dir;
}

function run(cwd: string, program: string) {
  writeFiles(cwd, { "program.mjs": program });
  return start(process.execPath, ["program.mjs"], { cwd });
}

describe("the installed package", { concurrent: true }, () => {
  test("exports what src/index.ts exports", async () => {
    const program = 'console.log(JSON.stringify(Object.keys(await import("orcs")).sort()))';
    const { stdout } = await run(installed({}), program);
    expect(JSON.parse(stdout)).toEqual(Object.keys(source).sort());
  });

  test("is small, and has the code once", () => {
    const home = join(installed({}), "node_modules/orcs");
    const files = readdirSync(home, { recursive: true, encoding: "utf8" })
      .map((name) => statSync(join(home, name)))
      .filter((found) => found.isFile());
    expect(files.length).toBeLessThanOrEqual(400);
    expect(statSync(archive).size).toBeLessThanOrEqual(2.2e6);
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(8e6);
  });

  test("every export can be imported, and all are of one copy", async () => {
    const cwd = installedBeside({});
    const names = exportsOf(cwd);
    const program = `
      for (const name of ${JSON.stringify(names)}) {
        console.log(name, Object.keys(await import(name)).length > 0);
      }
      const { OrcsError } = await import("orcs");
      const { createRequire } = await import("node:module");
      const again = createRequire(import.meta.url)("orcs");
      console.log(again.OrcsError === OrcsError);
    `;
    const { stdout, stderr } = await run(cwd, program);
    expect(stderr).toBe("");
    expect(stdout).toBe(`${names.map((name) => `${name} true\n`).join("")}true\n`);
  });

  test("the types of every export compile, down to their last line", () => {
    const cwd = installedBeside({});
    const names = exportsOf(cwd);
    const text = names.map((name, at) => `import * as it${at} from "${name}";\n`).join("");
    writeFiles(cwd, {
      "package.json": '{ "type": "module" }',
      "all.ts": `${text}import { OrcsError, createOrcs, type Orcs } from "orcs";
export const all = [${names.map((_, at) => `it${at}`).join(", ")}];
export const made: Promise<Orcs> = createOrcs({ config: false });
export const code: string = new OrcsError("ORCS5001", "").code;
// @ts-expect-error types are not any
createOrcs({ config: 1 });
`,
    });
    const program = ts.createProgram([join(cwd, "all.ts")], {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      types: ["node"],
      typeRoots: [join(cwd, "node_modules/@types")],
    });
    const own = join(cwd, "node_modules/orcs");
    const found = program
      .getSourceFiles()
      // Others' declarations need what they need.
      .filter(({ fileName }) => !fileName.includes("node_modules") || fileName.startsWith(own))
      .flatMap((file) => program.getSemanticDiagnostics(file))
      .map(({ file, messageText }) => `${file?.fileName} ${JSON.stringify(messageText)}`);
    expect(found).toEqual([]);
  });

  test("answers an event by a module, and keeps what was compiled", async () => {
    const cwd = installed({
      "orcs.toml": `serve = { auto = false }
[[hooks]]
point = "tool.pre_execute"
module = "./deny.mjs#deny"
`,
      "deny.mjs": `import { OrcsError } from "orcs";
export const deny = () => ({ action: "abort", reason: "not by " + typeof OrcsError });
`,
    });
    const command = join(cwd, "node_modules/.bin/orcs");
    const args = ["hook", "--host", "claude-code", "--config", "orcs.toml"];
    const env = { XDG_STATE_HOME: folder(), XDG_RUNTIME_DIR: folder() };
    const answered = await start(command, args, {
      cwd,
      stdin: JSON.stringify({ ...CALL, cwd }),
      env,
    });
    expect(answered).toMatchObject({ code: 0, stderr: "" });
    expect(answered.stdout).toContain("not by function");
    const evaluate = `umask 0; exec "${command}" eval tool.pre_execute --config orcs.toml`;
    await start("sh", ["-c", evaluate], { cwd, env });
    await run(
      cwd,
      'import { createOrcs } from "orcs"; (await createOrcs({ config: false })).close();',
    );
    const bundle = join(cwd, "node_modules/orcs/dist/bundle");
    const kept = readdirSync(bundle).filter((name) => name.endsWith(".v8"));
    expect(new Set(kept.map((name) => name.split(".").at(-2)))).toEqual(
      new Set(["eval", "hook", "library"]),
    );
    // It is run: others never write it, whatever the mask of the process is.
    for (const name of kept) expect(statSync(join(bundle, name)).mode & 0o022, name).toBe(0);
  });

  test("reports to a collector", async () => {
    const paths = new Set<string>();
    const collector = createServer((request, response) => {
      paths.add(request.url ?? "");
      response.end("{}");
    });
    await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
    const { port } = collector.address() as AddressInfo;
    const cwd = installedBeside({});
    const program = `
      import { createOrcs } from "orcs";
      const { openExporters } = await import("./node_modules/orcs/dist/daemon/otel/exporting.js");
      const orcs = await createOrcs({ config: false });
      const exporting = openExporters({ endpoint: "http://127.0.0.1:${port}", content: false });
      exporting.attach(orcs);
      orcs.hook({ point: "tool.pre_execute", handler: async () => undefined });
      await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
      await exporting.shutdown(5000);
      await orcs.close();
    `;
    const ended = await run(cwd, program);
    collector.close();
    expect(ended).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(paths).toEqual(new Set(["/v1/metrics", "/v1/traces"]));
  });

  test("finds the shipped hooks; the program ends by itself", async () => {
    const cwd = installed({
      "orcs.toml": ["audit", "narrow-caps", "rate-limit"]
        .map((name) => `[[hooks]]\nscript = "orcs:${name}"\n`)
        .join("")
        .concat(PATIENT),
    });
    const program = `
      import { createOrcs } from "orcs";
      const orcs = await createOrcs({ config: "orcs.toml" });
      const outcome = await orcs.dispatch("child.pre_spawn", { capabilities: 127 }, { component: "builtin::llm" });
      console.log(orcs.registry.size, outcome.ctx.payload.capabilities);
    `;
    // It is not even closed.
    expect(await run(cwd, program)).toEqual({ code: 0, stdout: "4 119\n", stderr: "" });
  });

  test("starts its worker thread, which ends with the program", async () => {
    const program = `
      import { createOrcs } from "orcs";
      const hooks = [{ point: "tool.pre_execute", handler_inline: "orcs.deny(ctx.payload.tool_name)" }];
      const orcs = await createOrcs({ config: { lua: { isolation: "worker" }, hooks } });
      console.log((await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} })).reason);
    `;
    expect(await run(installed({}), program)).toEqual({ code: 0, stdout: "x\n", stderr: "" });
  });

  test("leaves nothing running after configuration errors", async () => {
    const cwd = installed({
      "orcs.toml": `[[hooks]]\nscript = "good.lua"\n[[hooks]]\nscript = "bad.lua"\n${PATIENT}`,
      "hooks/good.lua": 'return { point = "PreToolUse", handler = function() end }',
      "hooks/bad.lua": "return nil .. 1",
    });
    const program = `
      import { createOrcs, OrcsError } from "orcs";
      await createOrcs({ config: "orcs.toml" }).catch((error) => {
        console.log(error instanceof OrcsError, error.code, error.diagnostics.map(({ code }) => code));
      });
    `;
    const { code, stdout } = await run(cwd, program);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "true ORCS1015 [ 'ORCS3002' ]\n" });
  });

  test("has a working orcs command", async () => {
    const cwd = installed({});
    const command = join(cwd, "node_modules/.bin/orcs");
    expect(readFileSync(command, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(await start(command, ["list"], { cwd })).toMatchObject({
      code: 0,
      stdout: "no hooks\n",
    });
    expect(await start(command, ["--version"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  });
});
