import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { beforeAll, describe, expect } from "vitest";
import { AGENT_TOOLS } from "../../src/core/agent-tools.ts";
import type { AgentTools } from "../../src/core/agent-tools.ts";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { HostName } from "../../src/core/hosts.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { POINT_TABLE } from "../../src/core/point-table.ts";
import { HANDLER_PROTOCOLS } from "../../src/formats/handler-protocols.ts";
import type { AgentEvent, AgentFormat } from "../../src/formats/agent-format.ts";
import { eventOf } from "../../src/formats/agent-format.ts";
import { agentTool, ourTool, swapKeys } from "../../src/formats/agent-tools.ts";
import { CLAUDE } from "../../src/formats/claude-code/events.ts";
import { CODEX } from "../../src/formats/codex/events.ts";
import { COPILOT } from "../../src/formats/copilot/events.ts";
import { CURSOR } from "../../src/formats/cursor/events.ts";
import { GEMINI } from "../../src/formats/gemini/events.ts";
import type { DecodedEvent, HostAnswer, HostProtocol } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { QWEN } from "../../src/formats/qwen/events.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";
import { callAt } from "../unit/formats/calls.ts";
import { contextOf, READERS, recorded, SETTINGS } from "./host-effects.ts";
import { NOTICE, noticed } from "./noticed.ts";
import { ORACLES } from "./oracles.ts";

/**
 * What must hold of each agent, whatever hooks want at any of its events: of what it really sent, and of an event of each
 * kind. What the matrix says of a row is tested in host-limits.test.ts.
 */

const FORMATS: Readonly<Record<HostName, AgentFormat>> = {
  "claude-code": CLAUDE as AgentFormat,
  codex: CODEX,
  gemini: GEMINI,
  cursor: CURSOR,
  copilot: COPILOT,
  qwen: QWEN as AgentFormat,
};

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", " ", "\u0085", "\u2028\n", "\ud800", "a\udfff", "\\ud800", "\ufeff", "\0"),
);
const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text) as fc.Arbitrary<Json>;
const action = fc.oneof(
  fc.record({
    action: fc.constant("continue"),
    hook: fc.constant("h"),
    decision: fc.constantFrom("allow", "ask", "defer", undefined),
    reason: fc.option(text, { nil: undefined }),
  }),
  text.map((reason) => ({ action: "abort", reason, hook: "h" })),
  // An empty text is a result that no agent takes.
  json.filter((result) => result !== "").map((result) => ({ action: "skip", result, hook: "h" })),
  fc.constant({ action: "retry", delay_ms: 5, max_retries: 3, hook: "h" }),
);
const KEYS =
  "args command prompt result message messages child_result child_config response_text available_tools host event";
const edits = fc.dictionary(
  fc.constantFrom(...KEYS.split(" ")),
  fc.oneof(json, fc.dictionary(fc.constantFrom("command", "patch", "path", "q"), json)),
);
const injected = fc.array(
  fc.oneof(
    text,
    text.map((content) => ({ content, strategy: "user_message" })),
  ),
  { maxLength: 2 },
);

describe.each(HOST_NAMES)("%s", (host) => {
  const { faults, refuses, isRefusable, shown } = ORACLES[host];
  const format = FORMATS[host];
  let protocol: HostProtocol;
  let sent: readonly JsonObject[];
  beforeAll(async () => {
    protocol = await HOSTS[host].load();
    const made = Object.keys(protocol.events).flatMap((event) => READERS[host].samples(event));
    const unknown = { ...recorded(host)[0], hook_event_name: "BeforeLunch", menu: ["soup"] };
    sent = [...recorded(host), ...made, unknown];
  });

  const rowOf = (event: string): AgentEvent => eventOf(format, event);
  const outcomeOf = (decoded: DecodedEvent, wanted: object, changed: object = {}, inject = []) =>
    ({
      ...wanted,
      inject,
      ctx: contextOf(decoded, { ...decoded.payload, ...changed }),
    }) as unknown as Outcome;
  /** Whether an answer denies, as its agent reads it. */
  const denies = (event: string, answer: HostAnswer): boolean => refuses(event, answer);

  it("takes what it is told when no hook minds: nothing", () => {
    for (const event of sent) {
      const decoded = protocol.decode(event);
      expect(decoded.payload["host"]).toMatchObject(event);
      expect(decoded.component).toBe(`agent::${host}`);
      for (const [key, spec] of Object.entries<object>(POINT_TABLE[decoded.point].keys)) {
        if ("required" in spec) expect(decoded.payload, decoded.event).toHaveProperty(key);
      }
      const answer = protocol.encode(
        decoded,
        outcomeOf(decoded, { action: "continue" }),
        SETTINGS[0] as (typeof SETTINGS)[number],
      );
      expect(Object.keys(answer.output ?? {})).toEqual([]);
      expect(answer.code).toBe(0);
      // Claude Code waits for a path.
      if (decoded.event !== "WorktreeCreate") expect(answer.downgrades).toEqual([]);
    }
  });

  repeatedTest("takes every answer, and none lets through what hooks denied", () => {
    const of = fc.record({ event: fc.nat(), action, edits, injected, settings: fc.nat() });
    fc.assert(
      fc.property(
        of,
        ({ event: at, action: wanted, edits: changed, injected: inject, settings }) => {
          const decoded = protocol.decode(sent[at % sent.length] ?? {});
          const { event } = decoded;
          const options = {
            ...(SETTINGS[settings % SETTINGS.length] as (typeof SETTINGS)[number]),
            hasUser: () => settings % 3 === 0,
          };
          const outcome = outcomeOf(decoded, wanted, changed, inject as never);
          const answer = protocol.encode(decoded, outcome, options);
          expect(faults(event, answer)).toEqual([]);
          for (const line of answer.downgrades) expect(line).not.toBe("");
          const isGranted =
            ("decision" in wanted && wanted.decision === "allow") || options.rewrite === "approve";
          const said = JSON.stringify(answer.output ?? {});
          if (!isGranted)
            expect(said).not.toMatch(/"(?:permissionDecision|behavior|permission)":"allow"/);
          const isPre = POINT_TABLE[decoded.point].phase === "pre";
          if (wanted.action === "abort" && isPre && rowOf(event).refusable)
            expect(denies(event, answer)).toBe(true);
          const isKnown = Object.hasOwn(protocol.events, event);
          if (wanted.action === "abort" && isRefusable && isKnown)
            expect([event, denies(event, answer)]).toEqual([event, isRefusable(event)]);
          // What was wanted is in the answer, or in the log.
          if (wanted.action === "abort" && !denies(event, answer))
            expect([...answer.downgrades, ...Object.keys(answer.output ?? {})]).not.toEqual([]);
          if (shown(event).way !== "code")
            noticed(protocol, decoded, outcome, options, shown(event));
          const told = protocol.encode(decoded, outcome, { ...options, notice: NOTICE });
          expect(faults(event, told)).toEqual([]);
          expect(denies(event, told)).toBe(denies(event, answer));
          expect(JSON.stringify(told).includes("are not active")).toBe(
            shown(event).way !== "nowhere",
          );
        },
      ),
      { numRuns: runCount(2_000) },
    );
  });

  it("denies when no hook can be run, but may stop", () => {
    for (const event of [...Object.keys(protocol.events), "BeforeLunch", "__proto__", undefined]) {
      const answer = protocol.refuse(event, "ORCS1015: mistakes");
      if (event !== undefined && event !== "__proto__") expect(faults(event, answer)).toEqual([]);
      expect(JSON.stringify(answer)).toContain("ORCS1015: mistakes");
      const row = rowOf(event ?? "");
      if (event === undefined)
        expect(answer.code === 2 || answer.output?.["continue"] === false).toBe(true);
      else
        expect([event, denies(event, answer)]).toEqual([
          event,
          row.refusable && row.passes !== true,
        ]);
      expect(JSON.stringify(protocol.refuse(event, " "))).toMatch(/no reason given|"code":0/);
    }
  });

  it("a result that is not JSON denies, where that keeps no agent from stopping", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(60)}1${"}".repeat(60)}`) as JsonObject;
    for (const event of sent) {
      const decoded = protocol.decode(event);
      const row = rowOf(decoded.event);
      for (const bad of [deep, { f: () => 1 }, { n: Number.NaN }, { at: new Date() }]) {
        const changed = Object.fromEntries(KEYS.split(" ").map((key) => [key, bad]));
        const outcome = outcomeOf(decoded, { action: "continue" }, changed);
        const answer = protocol.encode(decoded, outcome, SETTINGS[1] as (typeof SETTINGS)[number]);
        expect(faults(decoded.event, answer)).toEqual([]);
        const isGuarded = ["tool.pre_execute", "prompt.pre_submit"].includes(decoded.point);
        if (isGuarded && row.refusable) expect(denies(decoded.event, answer)).toBe(true);
        if (row.passes) expect(denies(decoded.event, answer)).toBe(false);
      }
    }
  });

  repeatedTest("any JSON is decoded to a valid payload, or rejected as no event", () => {
    const words = [...new Set(sent.flatMap((event) => Object.keys(event))), "__proto__"];
    const names = [...Object.keys(protocol.events), "constructor", "__proto__", "x"];
    const event = fc.dictionary(fc.constantFrom(...words), json);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), event, (name, at, fields) => {
        const base = sent[at % sent.length] ?? {};
        const given = { ...(at % 2 === 0 && base), ...fields, hook_event_name: name } as JsonObject;
        let decoded: DecodedEvent;
        try {
          decoded = protocol.decode(given);
        } catch (thrown) {
          expect(thrown).toHaveProperty("code", "ORCS7001");
          return;
        }
        for (const [key, spec] of Object.entries<object>(POINT_TABLE[decoded.point].keys)) {
          if ("required" in spec) expect(decoded.payload).toHaveProperty(key);
        }
        const outcome = outcomeOf(decoded, { action: "continue" });
        const options = SETTINGS[0] as (typeof SETTINGS)[number];
        expect(faults(decoded.event, protocol.encode(decoded, outcome, options))).toEqual([]);
      }),
      { numRuns: runCount(1_000) },
    );
  });

  it("its own hooks get a recorded event as it was sent", () => {
    for (const event of recorded(host)) {
      const { point, payload, component } = protocol.decode(event);
      const call = callAt(point, payload);
      const { body } = HANDLER_PROTOCOLS[host].encode({
        ...call,
        ctx: { ...call.ctx, component_id: component },
      });
      expect(plain(body as JsonObject)).toMatchObject(plain(event));
    }
  });

  it("each field of the table is in an event, and its value under our key", () => {
    const unseen: string[] = [];
    for (const [event, row] of Object.entries(format.events)) {
      const known = [...Object.keys(POINT_TABLE[row.point].keys), ...COMMON_KEYS];
      for (const { key, only } of Object.values({ ...format.common, ...row.fields })) {
        if (key !== undefined && only !== "write" && !known.includes(key))
          unseen.push(`${event}: no key ${key}`);
      }
      for (const [field, { key, only, read }] of Object.entries(row.fields ?? {})) {
        if (key === undefined || only === "write" || NEVER_SEEN.has(`${host} ${event} ${field}`))
          continue;
        const events = sent.filter((each) => protocol.decode(each).event === event);
        const found = events.map((each) => (format.current?.(each) ?? each)[field]);
        const payloads = events.map((each) => protocol.decode(each).payload[key]);
        const at = found.findIndex((value, i) => value !== undefined && payloads[i] !== undefined);
        if (at < 0) unseen.push(`${event}: no ${field}`);
        else if (read === undefined) expect(payloads[at]).toEqual(found[at]);
      }
    }
    expect(unseen).toEqual([]);
  });

  it("arguments of any keys round-trip, and a stray key hides none that the tool reads", () => {
    const tools: AgentTools = AGENT_TOOLS[host];
    const known = Object.values(tools).flatMap(({ keys }) => Object.entries(keys).flat(2));
    const key = fc.oneof(fc.constantFrom("path", "command", "__proto__", ...known), fc.string());
    const given = fc.uniqueArray(fc.tuple(key, fc.jsonValue()), { selector: ([each]) => each });
    const names = [...Object.keys(tools), "task", "mcp__a__b", "constructor", "__proto__", ""];
    fc.assert(
      fc.property(fc.constantFrom(...names), given, (name, entries) => {
        const input = JSON.parse(JSON.stringify(Object.fromEntries(entries))) as JsonObject;
        const tool = ourTool(tools, name);
        const args = swapKeys(tools, tool, input, name, input);
        expect(Object.keys(args)).toHaveLength(Object.keys(input).length);
        expect(swapKeys(tools, tool, args, name, input)).toEqual(input);
        expect(agentTool(tools, tool, name)).toBe(name);
      }),
    );
    for (const [name, { tool, keys }] of Object.entries(tools)) {
      for (const [ours, [theirs = ours]] of Object.entries(keys)) {
        if (theirs === ours) continue;
        const args = swapKeys(tools, tool, { [theirs]: "read", [ours]: "stray" }, name);
        expect([name, args]).toEqual([name, { [ours]: "read", [theirs]: "stray" }]);
      }
    }
  });

  it("its page has each event, tool, and limit", () => {
    const path = `../../docs/reference/hosts/${host}.md`;
    const page = readFileSync(new URL(path, import.meta.url), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("|"));
    const has = (name: string, cell: string): boolean =>
      rows.some((line) => line.split("|")[1]?.includes(`\`${name}\``) && line.includes(cell));
    const missing = [
      ...Object.entries(protocol.events).map(([name, { point }]) => [name, `\`${point}\``]),
      ...Object.entries(AGENT_TOOLS[host]).map(([name, { tool }]) => [name, `\`${tool}\``]),
    ].filter(([name = "", cell = ""]) => !has(name, cell));
    expect(missing).toEqual([]);
    for (const [event, { limits = {} }] of Object.entries(protocol.events)) {
      for (const [ability, { what, effect, unless }] of Object.entries(limits)) {
        // Of a denial, the page has the effect in a word.
        if (ability === "deny" && (effect === "shown" || effect === "ignored")) continue;
        for (const each of [what, unless?.what.replace(/, as configured$/, "") ?? what]) {
          const row = rows.find((line) => line.includes(`\`${event}\``) && line.includes(each));
          expect(row, `${event}: ${each}`).toBeDefined();
        }
      }
    }
  });
});

/** Keys that every point may have. */
const COMMON_KEYS =
  "session_id cwd transcript_path permission_mode agent_id agent_type model_name child_id elapsed_ms source prompt stop_hook_active tool_use_id".split(
    " ",
  );
/** Fields of documentation that no recorded event has. */
const NEVER_SEEN: ReadonlySet<string> = new Set([
  "claude-code PreCompact custom_instructions",
  "codex PermissionRequest tool_use_id",
]);

/** Without what orcs writes in another form with the same meaning: JSON as text, parts of a millisecond. */
function plain(event: JsonObject): JsonObject {
  const entries = Object.entries(event).map(([key, value]) => {
    if (typeof value === "string" && /^tool_(?:input|output)$/.test(key) && /^[{[]/.test(value))
      return [key, JSON.parse(value) as Json];
    return [key, key === "duration" && typeof value === "number" ? Math.round(value) : value];
  });
  return Object.fromEntries(entries) as JsonObject;
}
