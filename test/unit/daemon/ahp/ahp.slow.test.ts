import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { ahpProtocol } from "../../../../src/formats/ahp/ahp-client.ts";
import { runAhp } from "../../../../src/daemon/ahp/run-ahp.ts";
import { AHP_EVENTS, AHP_VERSION } from "../../../../src/formats/ahp/ahp-tables.ts";
import { folder, Lines } from "../../engine/orcs/engine.ts";
import { callAt } from "../../formats/calls.ts";

/** `orcs serve --ahp`, over its streams: what an A3S agent sends, and what it reads. */

type Json = Record<string, unknown>;

const hook = (point: string, lua: string, more = ""): string =>
  `[[hooks]]\nid = "h-${point}"\npoint = "${point}"\n${more}handler_inline = '''${lua}'''\n`;

/** A harness of a folder with this configuration, and an agent that speaks to it. */
function started(toml: string, { isExplicit = true } = {}) {
  const dir = folder({ "orcs.toml": toml });
  // The self-guard is no part of these tests.
  vi.stubEnv("XDG_CONFIG_HOME", folder({ "orcs/orcs.toml": "self_guard = false\n" }));
  vi.stubEnv("XDG_STATE_HOME", folder());
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(dir);
  onTestFinished(() => cwd.mockRestore());
  const [input, output, log] = [new PassThrough(), new PassThrough(), new Lines()];
  const lines: Json[] = [];
  const waiting = new Map<unknown, (message: Json) => void>();
  createInterface({ input: output }).on("line", (line) => {
    const message = JSON.parse(line) as Json;
    lines.push(message);
    waiting.get(message["id"])?.(message);
  });
  const config = isExplicit ? "orcs.toml" : undefined;
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const ended = runAhp({ config, version: "9.9.9", input, output, log, stopped });
  onTestFinished(async () => {
    stop();
    await ended;
  });
  let next = 0;
  const write = (text: string): void => void input.write(`${text}\n`);
  const request = (method: string, params: Json): Promise<Json> => {
    const id = `r${++next}`;
    write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const decide = async (event_type: string, payload: Json, more: Json = {}): Promise<unknown> => {
    const { result } = await request("ahp/event", eventOf(event_type, payload, more));
    return result;
  };
  return { request, decide, write, lines, log, input, ended };
}

function eventOf(event_type: string, payload: Json, more: Json = {}): Json {
  const timestamp = "2026-01-01T00:00:00Z";
  return { event_type, session_id: "s", agent_id: "a", timestamp, depth: 0, payload, ...more };
}

const bash = (command: string): Json => ({
  action_type: "tool_call",
  tool_name: "bash",
  arguments: { command },
});

describe("the handshake", () => {
  const params = (protocol_version?: string): Json => ({
    ...(protocol_version !== undefined && { protocol_version }),
    agent_info: { framework: "a3s-ahp", version: "2.4.0", capabilities: [] },
    session_id: "s",
    agent_id: "a",
  });

  test("tells the version and what orcs can do", async () => {
    const { request } = started("");
    const { result } = await request("ahp/handshake", params("2.0"));
    expect(result).toEqual({
      protocol_version: AHP_VERSION,
      harness_info: {
        name: "orcs",
        version: "9.9.9",
        capabilities: [...Object.keys(AHP_EVENTS), "query", "batch"],
      },
    });
  });

  test.each([["3.0"], ["1.9"], [undefined], ["two"]])("with version %s is an error", async (v) => {
    const { request } = started("");
    expect(await request("ahp/handshake", params(v))).toMatchObject({ error: { code: -32602 } });
  });
});

/** What a hook returns at `tool.pre_execute`, and the decision that the agent reads. */
const DECISIONS: readonly [lua: string, decision: Json][] = [
  ["return nil", { decision: "allow" }],
  ['return orcs.deny("no")', { decision: "block", reason: "no" }],
  ['return { decision = "ask", reason = "sure?" }', { decision: "escalate", reason: "sure?" }],
  [
    'return { decision = "defer", reason = "who?" }',
    { decision: "block", reason: "deferred: who?" },
  ],
  [
    'return { action = "retry", delay_ms = 5, reason = "busy" }',
    { decision: "defer", retry_after_ms: 5, reason: "busy" },
  ],
  [
    'ctx.payload.args.command = "ls"',
    { decision: "modify", modified_payload: { ...bash("ls"), extra: 1 } },
  ],
  [
    'return { action = "skip", result = 7 }',
    {
      decision: "block",
      reason: "hook h-tool.pre_execute skipped the operation and returned 7 in its place",
    },
  ],
  [
    'return { action = "continue", inject = "mind the gap" }',
    { decision: "allow", metadata: { inject: ["mind the gap"] } },
  ],
  ['error("broken")', { decision: "block" }],
];

test.each(DECISIONS)("an action: %s", async (lua, decision) => {
  const { decide } = started(hook("tool.pre_execute", lua));
  const answer = await decide("pre_action", { ...bash("rm"), extra: 1 });
  expect(answer).toMatchObject(decision);
  if (decision["decision"] !== "block") expect(answer).toEqual(decision);
});

test("a hook sees depth, context and metadata of an event, and who sends it", async () => {
  const lua = `local m = ctx.metadata.ahp
    local p = ctx.payload
    return orcs.deny(table.concat({ m.depth, m.context.current_task, m.metadata.k, p.session_id, p.agent_id, p.args.command, p.cwd }, "|"))`;
  const { decide } = started(hook("tool.pre_execute", lua));
  const payload = { tool: "bash", arguments: { command: "ls" }, working_directory: "/w" };
  const more = { depth: 2, context: { current_task: "t" }, metadata: { k: "v" } };
  expect(await decide("pre_action", payload, more)).toEqual({
    decision: "block",
    reason: "2|t|v|s|a|ls|/w",
  });
});

test("each event that an agent waits for is allowed without hooks, with what its answer must have", async () => {
  const { decide } = started("");
  for (const [name, row] of Object.entries(AHP_EVENTS)) {
    if (!row.isBlocking) continue;
    const payload = name === "pre_action" ? bash("ls") : { prompt: "hi", message: "sure?" };
    const allows = "allows" in row ? row.allows : {};
    const decision = name === "confirmation" ? "approve" : "allow";
    expect(await decide(name, payload), name).toEqual({ decision, ...allows });
  }
});

test("events without a point of their own, queries and those of later versions", async () => {
  const lua = `local e = ctx.payload.event
    if e == "planning" then return { action = "skip", result = { selected_strategy = "fast" } } end
    if e == "teleport" then return orcs.deny("unknown") end
    if e == "rate_limit" then return orcs.deny("too much") end
    if e == "query" and ctx.payload.query_type == "q" then
      if ctx.payload.question == "delete?" then return orcs.deny("never") end
      return { action = "skip", result = { answer = "maybe", alternatives = { "move it" } } }
    end`;
  const { decide, request } = started(hook("host.pre_event", lua));
  expect(await decide("planning", {})).toEqual({ decision: "allow", selected_strategy: "fast" });
  expect(await decide("teleport", {})).toEqual({ decision: "block", reason: "unknown" });
  expect(await decide("rate_limit", {})).toEqual({ decision: "skip", reason: "too much" });
  const query = async (query_type: string, payload: Json): Promise<unknown> =>
    (await request("ahp/query", { session_id: "s", agent_id: "a", query_type, payload }))["result"];
  expect(await query("q", { question: "delete?" })).toEqual({ answer: "no", reason: "never" });
  expect(await query("q", { question: "?" })).toEqual({
    answer: "maybe",
    alternatives: ["move it"],
  });
  expect(await query("other", {})).toEqual({ answer: "yes" });
});

test("a batch is decided in order, one after the other, and an invalid event in it is denied", async () => {
  const lua = `local n = (orcs.state.get("n") or 0) + 1
    orcs.state.set("n", n)
    if ctx.payload.args.command == "rm" then return orcs.deny("number " .. n) end`;
  const { request } = started(hook("tool.pre_execute", lua));
  const events = [eventOf("pre_action", bash("ls")), eventOf("pre_action", bash("rm")), { x: 1 }];
  const { result } = await request("ahp/batch", { events });
  expect(result).toEqual({
    decisions: [
      { decision: "allow" },
      { decision: "block", reason: "number 2" },
      { decision: "block", reason: "orcs: the event is invalid: event_type is missing" },
    ],
  });
  for (const bad of [{}, { events: 1 }, { events: Array.from({ length: 1001 }, () => ({})) }]) {
    expect(await request("ahp/batch", bad)).toMatchObject({ error: { code: -32602 } });
  }
});

test("a fraction of a millisecond is rounded up: its type has integers", async () => {
  const { decide } = started(
    hook("tool.pre_execute", 'return { action = "retry", delay_ms = 2.5 }'),
  );
  expect(await decide("pre_action", bash("ls"))).toEqual({ decision: "defer", retry_after_ms: 3 });
});

/** The rules of the handler of the published Rust examples. */
const PUBLISHED = `
local function dangerous(text)
  return text and (text:find("rm -rf", 1, true) or text:find("dd if=", 1, true))
end`;

describe("the published Rust examples", () => {
  const rules =
    hook(
      "tool.pre_execute",
      `${PUBLISHED}
      local command = ctx.payload.args.command
      if dangerous(command) then return orcs.deny("Dangerous command detected: " .. command) end`,
    ) +
    hook(
      "host.pre_event",
      `local question = ctx.payload.question or ""
      if ctx.payload.event == "query" and question:lower():find("delete", 1, true) then
        return { action = "skip", result = { answer = "no",
          reason = "Deletion requires explicit confirmation",
          alternatives = { "Move to trash", "Create backup first" } } }
      end
      if ctx.payload.event == "query" then
        return { action = "skip", result = { answer = "yes", reason = "No concerns detected" } }
      end`,
    );
  const text = readFileSync(join(import.meta.dirname, "../../../fixtures/ahp-rust.jsonl"), "utf8");
  const exchanges = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { says: Json; harness?: { result: JsonObject } });

  test("orcs answers their client as their server does", async () => {
    const { request, write } = started(rules);
    for (const { says, harness } of exchanges) {
      if (!harness) write(JSON.stringify(says));
      else if (says["method"] === "ahp/handshake") {
        const { result } = await request("ahp/handshake", says["params"] as Json);
        expect(result).toMatchObject({ protocol_version: harness.result["protocol_version"] });
      } else {
        const answer = await request(String(says["method"]), says["params"] as Json);
        expect(answer["result"]).toEqual(harness.result);
      }
    }
  });

  test("their server is understood as a handler", () => {
    for (const { says, harness } of exchanges) {
      if (!harness || says["method"] !== "ahp/event") continue;
      const { payload } = says["params"] as { payload: { arguments: { command: string } } };
      const call = callAt("tool.pre_execute", { tool_name: "bash", args: payload.arguments });
      const isDenied = payload.arguments.command.startsWith("rm");
      expect(ahpProtocol.read(harness.result, call)).toMatchObject(
        isDenied
          ? { answer: { action: "abort", reason: harness.result["reason"] } }
          : { edits: [] },
      );
    }
    const welcome = ahpProtocol.readWelcome(exchanges[0]?.harness?.result ?? null);
    expect(welcome).toMatchObject({ name: "ahp-server" });
  });
});

test("lines that are no requests, and a notification, do not disturb the next one", async () => {
  const { write, decide, lines, request } = started(
    hook("tool.pre_execute", 'return orcs.deny("no")'),
  );
  for (const line of ["{", "[]", "7", "", "   ", '{"id":"x"}']) write(line);
  write(JSON.stringify({ jsonrpc: "2.0", method: "ahp/event", params: eventOf("idle", {}) }));
  expect(await decide("pre_action", bash("ls"))).toMatchObject({ decision: "block" });
  expect(await request("ahp/unknown", {})).toMatchObject({ error: { code: -32601 } });
  expect(lines.filter(({ id }) => id === null)).toHaveLength(4);
});

test("a configuration with errors denies every event, until it is mended", async () => {
  const { decide, log } = started('[[hooks]]\nid = "x"\npoint = "no.such_point"\n');
  expect(await decide("pre_action", bash("ls"))).toMatchObject({
    decision: "block",
    reason: expect.stringContaining("ORCS") as string,
  });
  expect(await decide("confirmation", { message: "?" })).toMatchObject({ decision: "reject" });
  expect(log.lines.join("\n")).toContain("no.such_point");
});

test("the hooks of a project that is not trusted do not run, and the log says so", async () => {
  const toml = hook("tool.pre_execute", 'return orcs.deny("no")');
  const { decide, log } = started(toml, { isExplicit: false });
  expect(await decide("pre_action", bash("ls"))).toEqual({ decision: "allow" });
  expect(log.lines.join("\n")).toMatch(/ORCS8001|not trusted/);
});

test("requests that wait when the agent closes its side are answered", async () => {
  const { request, input, ended } = started(hook("tool.pre_execute", 'return orcs.deny("no")'));
  const answers = Array.from({ length: 20 }, () =>
    request("ahp/event", eventOf("pre_action", bash("x"))),
  );
  input.end();
  for (const { result } of await Promise.all(answers))
    expect(result).toMatchObject({ reason: "no" });
  await ended;
});
