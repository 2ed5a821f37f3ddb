import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Gateway } from "../../../src/daemon/agent-gateway.ts";
import { folder, Lines } from "../engine/orcs/engine.ts";
import { home, hook, says, trustIt } from "../config/trust/rig.ts";
import { preToolUse } from "./service-rig.ts";

// Entries that are strict deny tool calls where nobody has trusted the configuration that is discovered.

function gatewayAt(cwd: string): Gateway {
  const made = new Gateway({ cwd, untrusted: "ignore" }, new Lines());
  onTestFinished(() => made.close());
  return made;
}

async function answered(cwd: string, strict: boolean, event: object = preToolUse("ls")) {
  const answer = await gatewayAt(cwd).answer("claude-code", JSON.stringify(event), undefined, {
    strict,
  });
  return JSON.stringify(answer.output ?? null);
}

const PROJECT = { "orcs.toml": hook("h", says("x")) };

describe("an untrusted project", () => {
  test("denies tool calls with the orcs trust command if the entry is strict", async () => {
    home();
    const dir = folder(PROJECT);
    expect(await answered(dir, true)).toMatch(/"permissionDecision":"deny".*orcs trust /);
    expect(await answered(dir, false)).not.toContain("deny");
  });

  test("does not deny other events", async () => {
    home();
    const dir = folder(PROJECT);
    const event = { ...preToolUse("ls"), hook_event_name: "Stop", stop_hook_active: false };
    expect(await answered(dir, true, event)).not.toContain("block");
  });
});

test("an agent that shows no notice for sure is denied tool calls while guards are inactive", async () => {
  home();
  const gateway = gatewayAt(folder(PROJECT));
  const asked = async (hook_event_name: string) => {
    const event = {
      conversation_id: "c",
      hook_event_name,
      command: "ls",
      prompt: "x",
      cwd: "/tmp",
    };
    return JSON.stringify((await gateway.answer("cursor", JSON.stringify(event))).output);
  };
  expect(await asked("beforeShellExecution")).toMatch(
    /"permission":"deny".*not trusted.*orcs trust /,
  );
  expect(await asked("beforeSubmitPrompt")).not.toContain('"continue":false');
});

test("a strict entry denies nothing if the project is trusted or has no configuration", async () => {
  const { userDir } = home();
  const dir = folder(PROJECT);
  await trustIt(dir);
  writeFileSync(join(dir, "orcs.toml"), "");
  expect(await answered(dir, true)).not.toContain("deny");
  mkdirSync(userDir, { recursive: true });
  writeFileSync(join(userDir, "orcs.toml"), "");
  expect(await answered(folder(), true)).not.toContain("deny");
});

test("the model gets the notice with the first event that can carry it, once per session", async () => {
  home();
  const gateway = gatewayAt(folder(PROJECT));
  const told: boolean[] = [];
  for (const event of ["SessionStart", "PreToolUse", "PreToolUse"]) {
    const sent = { ...preToolUse("ls"), hook_event_name: event, source: "startup" };
    const { output } = await gateway.answer("claude-code", JSON.stringify(sent));
    told.push(/"additionalContext":"[^"]*not trusted/.test(JSON.stringify(output ?? null)));
  }
  expect(told).toEqual([true, false, false]);
});
