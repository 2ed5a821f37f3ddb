import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sessionMarks } from "../../../src/machine/files/session-marks.ts";
import { Gateway } from "../../../src/daemon/agent-gateway.ts";
import { folder, Lines } from "../engine/orcs/engine.ts";
import { home } from "../config/trust/rig.ts";
import { preToolUse } from "./service-rig.ts";

/** What an event may take: the entry's time, the agent's, and a hook's own. */

const slow = (point: string): string => `[[hooks]]
id = "slow"
point = "${point}"
timeout_ms = 300000
shell = { command = "sleep 60", protocol = "claude-code" }
`;

function gatewayOf(toml: string): { gateway: Gateway; log: Lines } {
  home();
  const log = new Lines();
  const cwd = folder({ "orcs.toml": toml });
  const gateway = new Gateway({ cwd, config: join(cwd, "orcs.toml"), untrusted: "ignore" }, log);
  onTestFinished(() => gateway.close());
  return { gateway, log };
}

test("a denial for the time of the entry names the hook, its limit and what raises it", async () => {
  const { gateway } = gatewayOf(slow("PreToolUse"));
  await gateway.engine();
  const { output } = await gateway.answer("claude-code", preToolUse("ls"), 1000);
  expect(JSON.stringify(output)).toMatch(
    /"deny".*ORCS7002: hook slow took longer than the 900 ms .*; its own timeout_ms is 300000; run orcs install again, .*--timeout/,
  );
});

test("a limit of the agent itself holds whatever the entry states", async () => {
  const { gateway, log } = gatewayOf(slow("SessionEnd"));
  await gateway.engine();
  const event = { ...preToolUse("ls"), hook_event_name: "SessionEnd", reason: "other" };
  const began = performance.now();
  await gateway.answer("claude-code", event, 60_000);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(log.lines.join("\n")).toMatch(
    /hook slow took longer than the 1350 ms .*Claude Code waits no longer at this event/,
  );
});

test("the end of a session ends what its hooks have left in the background", async () => {
  const { gateway } = gatewayOf("");
  const { session_id: session } = preToolUse("ls") as unknown as { session_id: string };
  mkdirSync(sessionMarks(session), { recursive: true });
  const event = { ...preToolUse("ls"), hook_event_name: "SessionEnd", reason: "other" };
  await gateway.answer("claude-code", event);
  expect(existsSync(sessionMarks(session))).toBe(false);
});
