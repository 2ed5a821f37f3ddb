import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { PATIENT } from "../testing/rig.ts";
import { folder, open } from "./engine.ts";

const PACKAGE = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");

async function becomes(
  cwd: string,
  command: string,
  selfGuard: true | Record<string, string[]> = true,
): Promise<string> {
  const orcs = await open({ config: {}, selfGuard, cwd, overrides: PATIENT });
  const payload = { tool_name: "exec", args: { command }, cwd };
  const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
  return outcome.action;
}

it("orcs:self-guard denies writes to the running package, unless the project is that package", async () => {
  const write = `echo > ${PACKAGE}/dist/x.js`;
  expect(await becomes(folder(), write)).toBe("abort");
  expect(await becomes(PACKAGE, write)).toBe("continue");
  // An entry of the user's names it.
  expect(await becomes(PACKAGE, write, { program: [PACKAGE] })).toBe("abort");
});

it("orcs:self-guard recognizes the orcs program by its full path", async () => {
  const trust = `node ${PACKAGE}/dist/cli/main.js trust --yes`;
  expect(await becomes(PACKAGE, trust)).toBe("abort");
  expect(await becomes(folder(), trust)).toBe("abort");
});
