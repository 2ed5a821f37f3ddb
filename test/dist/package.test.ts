import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import * as source from "../../src/index.ts";
import { install, packed } from "./installed.ts";
import { folder, PATIENT, start, writeFiles } from "./orcs.ts";

let archive: string;
beforeAll(() => {
  archive = packed(folder());
});

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
  });
});
