import { beforeEach, describe, expect, onTestFinished, vi } from "vitest";
import type { HostName } from "../../../src/core/hosts.ts";
import { Orcs } from "../../../src/engine/orcs/orcs.ts";
import type { Notice } from "../../../src/config/trust/notice.ts";
import { Gateway } from "../../../src/daemon/agent-gateway.ts";
import { folder, Lines } from "../engine/orcs/engine.ts";
import { GUARD, http, preToolUse, serviceRig } from "./service-rig.ts";
import { quickTest as test, slowTest } from "../../slow-test.ts";

const NOTICE = { text: "the hooks of /w are not active", key: "k1" };
const LINE = `orcs: ${NOTICE.text}`;
let notice: Notice | undefined;

beforeEach(() => {
  notice = NOTICE;
  vi.spyOn(Orcs.prototype, "notices", "get").mockImplementation(() => (notice ? [notice] : []));
  onTestFinished(() => void vi.restoreAllMocks());
});

function gateway(stateDir?: string): Gateway {
  const dir = folder({ "orcs.toml": GUARD });
  const options = { cwd: dir, config: "orcs.toml", ...(stateDir !== undefined && { stateDir }) };
  const made = new Gateway(options, new Lines());
  onTestFinished(() => made.close());
  return made;
}

const claude = (session_id = "", command = "ls", more = {}) => ({
  ...preToolUse(command, more),
  session_id,
});
const gemini = (hook_event_name: string) => ({
  session_id: "g",
  cwd: "/tmp",
  hook_event_name,
  ...(hook_event_name === "BeforeTool"
    ? { tool_name: "run_shell_command", tool_input: { command: "ls" } }
    : { llm_request: { model: "m", messages: [] } }),
});
const cursor = (hook_event_name: string) => ({
  conversation_id: "c",
  workspace_roots: ["/tmp"],
  hook_event_name,
  ...(hook_event_name === "sessionStart" ? { session_id: "c" } : { command: "ls", cwd: "/tmp" }),
});

/** How often a notice is in what a host is answered. */
async function shown(
  asked: Gateway,
  host: HostName,
  ...events: readonly Record<string, unknown>[]
): Promise<string> {
  const found: string[] = [];
  for (const event of events) {
    const { output, notice: stderr } = await asked.answer(host, JSON.stringify(event));
    const isShown = JSON.stringify(output ?? {}).includes(LINE);
    const ways = [isShown ? "shown" : "", stderr === LINE ? "stderr" : ""];
    found.push(ways.filter(Boolean).join("+") || "-");
  }
  return found.join(" ");
}

describe("a gateway shows a notice once per session", () => {
  test("and again in the next session", async () => {
    const asked = gateway();
    const events = ["a", "a", "b", "a", "b"].map((session) => claude(session));
    expect(await shown(asked, "claude-code", ...events)).toBe("shown - shown - -");
  });

  test("together with a denial, which stays", async () => {
    const asked = gateway();
    const answer = await asked.answer("claude-code", JSON.stringify(claude("a", "x --force")));
    expect(answer.output).toEqual({
      systemMessage: LINE,
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "denied by hook guard: no force",
        // The model reads it, too.
        additionalContext: LINE,
      },
    });
    expect(await shown(asked, "claude-code", claude("a", "x --force"))).toBe("-");
  });

  test("events without a session id share one session", async () => {
    const state = folder();
    const { session_id: _, ...none } = claude();
    for (const events of [
      [none, none, claude()],
      [claude(), claude(), none],
    ]) {
      expect(await shown(gateway(state), "codex", ...events)).toBe("shown - -");
    }
  });

  test("a changed notice is shown again, and nothing when there is none", async () => {
    const asked = gateway();
    expect(await shown(asked, "claude-code", claude("a"))).toBe("shown");
    notice = { ...NOTICE, key: "k2" };
    expect(await shown(asked, "claude-code", claude("a"), claude("a"))).toBe("shown -");
    notice = undefined;
    expect(await shown(asked, "claude-code", claude("a"), claude("b"))).toBe("- -");
    notice = NOTICE;
    expect(await shown(asked, "claude-code", claude("a"), claude("b"))).toBe("- shown");
  });

  test("across all processes that share a state file, also concurrently", async () => {
    const state = folder();
    const found = await Promise.all(
      Array.from({ length: 20 }, () => shown(gateway(state), "claude-code", claude("a"))),
    );
    expect(found.toSorted().join(" ")).toBe(`${"- ".repeat(19)}shown`);
  });
});

describe("a notice at an event whose output cannot show it", () => {
  test("Gemini CLI: is not counted as shown, since stderr is read as the result", async () => {
    const asked = gateway();
    const events = ["BeforeToolSelection", "BeforeTool", "BeforeToolSelection", "BeforeTool"];
    expect(await shown(asked, "gemini", ...events.map(gemini))).toBe("- shown - -");
  });

  test("Cursor: goes to stderr and to the model, and is shown at the first event that can", async () => {
    const asked = gateway();
    const events = ["sessionStart", "sessionStart", "beforeShellExecution", "sessionStart"];
    expect(await shown(asked, "cursor", ...events.map(cursor))).toBe(
      "shown+stderr - shown+stderr -",
    );
  });
});

describe("a notice with an event that is rejected", () => {
  test("is not shown for an unreadable event", async () => {
    const asked = gateway();
    const answer = await asked.answer("claude-code", '{"hook_event_name":"PreToolUse"}');
    expect(JSON.stringify(answer)).not.toContain(LINE);
    expect(await shown(asked, "claude-code", claude())).toBe("shown");
  });

  slowTest("is shown again after a response that was too late", async () => {
    const asked = gateway();
    await asked.engine();
    const slow = JSON.stringify(claude("a", "ls", { tool_input: { command: "ls", wait: 900 } }));
    const late = await asked.answer("claude-code", slow, 300);
    expect(JSON.stringify(late)).toContain("ORCS7002");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await shown(asked, "claude-code", claude("a"))).toBe("shown");
  });
});

test("a gateway without a notice does not access the state file", async () => {
  const asked = gateway(folder());
  const take = vi.spyOn(Orcs.prototype, "takeNotice");
  notice = undefined;
  await shown(asked, "claude-code", claude("a"), claude("b"));
  expect(take).not.toHaveBeenCalled();
});

test("a service includes the notice in HTTP responses and in its metrics", async () => {
  const rig = await serviceRig({}, { port: 0 });
  const metrics = async () => (await http(rig, "/metrics", { method: "GET" })).body;
  const posted = await http(rig, "/hooks/claude-code", { body: JSON.stringify(claude("a")) });
  expect(JSON.parse(posted.body)).toEqual({
    systemMessage: LINE,
    hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: LINE },
  });
  expect(await metrics()).toContain("\norcs_untrusted 1\n");
  // Anybody on this machine may ask for it.
  const health = await http(rig, "/healthz", { method: "GET", token: undefined });
  expect(health.body).toBe('{"ok":true}');
  notice = undefined;
  expect(await metrics()).toContain("\norcs_untrusted 0\n");
});
