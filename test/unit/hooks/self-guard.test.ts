import { symlinkSync } from "node:fs";
import { describe, expect } from "vitest";
import { quickTest as it, repeatedTest, shareOf } from "../../slow-test.ts";
import { folder } from "../engine/orcs/engine.ts";
import { projectIn } from "./file-guard-calls.ts";
import { guard } from "./guard-rig.ts";
import { ASKED, CALLS, DENIED, linked, OPTIONS, PASSED, written } from "./self-guard-calls.ts";
import { OWN_MODULES, PROJECT } from "./self-guard-lines.ts";
import { EVERYDAY } from "./shell-guard/everyday.ts";

const rig = () => guard("self-guard", PROJECT, OPTIONS);

describe("orcs:self-guard: commands", () => {
  it.each(Object.entries(DENIED))("denies: %s", async (_what, commands) => {
    await (await rig()).expectCommands("refuse", commands);
  });

  it("asks about settings, the user's configuration and dev-trusted hooks", async () => {
    await (await rig()).expectCommands("ask", ASKED);
  });

  it("allows reading and everyday work", async () => {
    await (await rig()).expectCommands("pass", PASSED);
  });

  it("does not allow what nobody may run unasked, however it is spelt", async () => {
    const tried = await rig();
    const passed: string[] = [];
    for (const command of written("stopped")) {
      const { verdict, reason } = await tried.call("exec", { command });
      const isJudged = reason.startsWith("self-guard: ") && !reason.includes("failed");
      if (verdict === "pass" || !isJudged) passed.push(command);
    }
    expect(passed).toEqual([]);
  });

  it("allows commands that only look similar, and everyday work", async () => {
    await (await rig()).expectCommands("pass", written("passed"));
  });

  repeatedTest("allows everyday lines of all trades", async () => {
    await (await rig()).expectCommands("pass", shareOf(EVERYDAY, 3));
  });

  it("allows a project to change its own node_modules", async () => {
    const own = `${PROJECT}/node_modules/orcs`;
    await (await rig()).expectCommands("pass", OWN_MODULES);
    // It runs from there, and an entry of the user's names it.
    for (const more of [{ program: [], package: [own] }, { program: [own] }]) {
      const tried = await guard("self-guard", PROJECT, { ...OPTIONS, ...more });
      await tried.expectCommands("pass", OWN_MODULES);
      await tried.expectCommands("refuse", [
        "node node_modules/orcs/dist/cli/main.js trust",
        "cd node_modules/orcs/dist/cli && node main.js trust",
      ]);
    }
    const named = await guard("self-guard", PROJECT, { ...OPTIONS, program: [own] });
    await named.expectCommands("refuse", ["echo > node_modules/orcs/bin/orcs.cjs"]);
  });
});

describe("orcs:self-guard: tools", () => {
  it.each(CALLS)("%s", async (_what, tool, args, verdict) => {
    expect((await (await rig()).call(tool, args)).verdict).toBe(verdict);
  });

  it("follows the links of a project", async () => {
    const dir = projectIn(folder({}));
    const tried = await guard("self-guard", dir, { state: [`${dir}/deep`] });
    await tried.expectCommands("refuse", linked(dir).refuse);
    await tried.expectCommands("pass", linked(dir).pass);
  });

  it("follows symlinks", async () => {
    const kept = folder({ "state/orcs/trust.json": "{}", "link/x": "" });
    symlinkSync(`${kept}/state`, `${kept}/link/to`);
    const linked = await guard("self-guard", kept, { state: [`${kept}/state/orcs`] });
    const verdicts = [
      await linked.call("write", { path: "link/to/orcs/trust.json", content: "{}" }),
      await linked.call("exec", { command: "rm -rf link/to/orcs" }),
      await linked.call("exec", { command: "rm -rf link/to/" }),
      await linked.call("exec", { command: "rm link/to" }),
    ].map(({ verdict }) => verdict);
    expect(verdicts).toEqual(["refuse", "refuse", "refuse", "pass"]);
  });
});
