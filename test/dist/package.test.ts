import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import * as source from "../../src/index.ts";
import { folder, PATIENT, ROOT, start, writeFiles } from "./orcs.ts";

const { files, dependencies, bin } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
) as { files: string[]; dependencies: Record<string, string>; bin: { orcs: string } };

/** A project that has the package installed: only the files it ships, only the dependencies it names. */
function installed(project: Record<string, string>): string {
  const dir = folder(project);
  const home = join(dir, "node_modules/orcs");
  const shipped = files.filter((name) => !name.startsWith("!"));
  for (const name of ["package.json", ...shipped]) {
    // What the sample agent writes there comes and goes while other tests run.
    const filter = (path: string): boolean => path !== join(ROOT, "dist/notes");
    cpSync(join(ROOT, name), join(home, name), { recursive: true, filter });
  }
  for (const name of Object.keys(dependencies)) {
    const link = join(dir, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
  return dir;
}

function run(cwd: string, program: string) {
  writeFiles(cwd, { "program.mjs": program });
  return start(process.execPath, ["program.mjs"], { cwd });
}

describe("the package as it is installed", { concurrent: true }, () => {
  test("exports what src/index.ts exports", async () => {
    const program = 'console.log(JSON.stringify(Object.keys(await import("orcs")).sort()))';
    const { stdout } = await run(installed({}), program);
    expect(JSON.parse(stdout)).toEqual(Object.keys(source).sort());
  });

  test("finds the hooks that ship; the program ends by itself once its work is done", async () => {
    const cwd = installed({
      "orcs.toml": ["audit", "narrow-caps", "rate-limit"]
        .map((name) => `[[hooks]]\nscript = "orcs:${name}"\n`)
        .join("")
        .concat(PATIENT),
    });
    const program = `
      import { createOrcs } from "orcs";
      const orcs = await createOrcs();
      const outcome = await orcs.dispatch("child.pre_spawn", { capabilities: 127 }, { component: "builtin::llm" });
      console.log(orcs.registry.size, outcome.ctx.payload.capabilities);
    `;
    // It is not even closed.
    expect(await run(cwd, program)).toEqual({ code: 0, stdout: "4 119\n", stderr: "" });
  });

  test("its worker thread starts from there, and ends with the program", async () => {
    const program = `
      import { createOrcs } from "orcs";
      const hooks = [{ point: "tool.pre_execute", handler_inline: "orcs.deny(ctx.payload.tool_name)" }];
      const orcs = await createOrcs({ config: { lua: { isolation: "worker" }, hooks } });
      console.log((await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} })).reason);
    `;
    expect(await run(installed({}), program)).toEqual({ code: 0, stdout: "x\n", stderr: "" });
  });

  test("a configuration with mistakes keeps nothing running", async () => {
    const cwd = installed({
      "orcs.toml": `[[hooks]]\nscript = "good.lua"\n[[hooks]]\nscript = "bad.lua"\n${PATIENT}`,
      "hooks/good.lua": 'return { point = "PreToolUse", handler = function() end }',
      "hooks/bad.lua": "return nil .. 1",
    });
    const program = `
      import { createOrcs, OrcsError } from "orcs";
      await createOrcs().catch((error) => {
        console.log(error instanceof OrcsError, error.code, error.diagnostics.map(({ code }) => code));
      });
    `;
    const { code, stdout } = await run(cwd, program);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "true ORCS1015 [ 'ORCS3002' ]\n" });
  });

  test("its command", async () => {
    const cwd = installed({});
    const command = join(cwd, "node_modules/orcs", bin.orcs);
    expect(readFileSync(command, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(await start(process.execPath, [command, "list"], { cwd })).toMatchObject({
      code: 0,
      stdout: "no hooks\n",
    });
  });
});
