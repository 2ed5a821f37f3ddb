import { readFileSync } from "node:fs";
import type { HookEvent } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HookContext } from "../../src/core/context.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { AGENT_TOOLS } from "../../src/core/agent-tools.ts";
import { POINT_TABLE } from "../../src/core/point-table.ts";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import { claudeCodeHost } from "../../src/formats/claude-code/host.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import { faults, refuses, takesContext } from "./claude-code-answers.ts";
import { SYNTHETIC } from "./claude-code-events.ts";
import { eachRow } from "./each-row.ts";
import { noticed } from "./noticed.ts";

const EVENTS = Object.keys(SYNTHETIC) as HookEvent[];
const RECORDED = readFileSync(new URL("../fixtures/claude-code.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as JsonObject & { hook_event_name: HookEvent });
const SENT: readonly (readonly [string, HookEvent, JsonObject])[] = [
  ...EVENTS.map((event) => [`${event}, made up`, event, asSent(SYNTHETIC[event])] as const),
  ...RECORDED.map(
    (event, i) =>
      [`${event.hook_event_name}, recorded ${i + 1}`, event.hook_event_name, event] as const,
  ),
];

/** What a hook does at each event. */
const WISHES: Readonly<Record<string, (ctx: HookContext) => unknown>> = {
  nothing: () => undefined,
  abort: () => ({ action: "abort", reason: "no" }),
  allow: () => ({ action: "continue", decision: "allow", reason: "fine" }),
  ask: () => ({ action: "continue", decision: "ask", reason: "sure?" }),
  defer: () => ({ action: "continue", decision: "defer", reason: "later" }),
  skip: () => ({ action: "skip", result: "done already" }),
  retry: () => ({ action: "retry", delay_ms: 5 }),
  rewrite: (ctx) => {
    const row: { input?: string } = POINT_TABLE[ctx.hook_point as "tool.pre_execute"];
    const key = row.input ?? "note";
    if (key !== "event") ctx.payload[key] = key === "args" ? { command: "true" } : "rewritten";
    return undefined;
  },
  replace: () => ({ action: "replace", result: "other" }),
  inject: () => ({ action: "continue", inject: ["one", "two"] }),
};

const DENY: HostOptions = { ask: "deny", rewrite: "refuse" };
const PASS: HostOptions = { ask: "pass", rewrite: "approve" };

describe.each(Object.keys(WISHES))("Claude Code: a hook that returns %s", (wish) => {
  test("at every event", async () => {
    await eachRow(SENT, async (_title, event, sent) => {
      const decoded = claudeCodeHost.decode(sent);
      const outcome = await dispatched(decoded, wish);
      for (const options of [DENY, PASS]) {
        const answer = claudeCodeHost.encode(decoded, outcome, options);
        expect(faults(event, answer)).toEqual([]);
        const isGranted = wish === "allow" || (options === PASS && wish === "rewrite");
        if (!isGranted) expect(JSON.stringify(answer.output ?? {})).not.toContain('"allow"');
        if (wish === "nothing") expectNothing(event, answer);
        if (wish === "inject") expectTold(event, answer);
        if (outcome.action === "abort") expectRefused(event, answer, "no");
        const shown = { keys: ["systemMessage"], way: "output" } as const;
        const told = noticed(claudeCodeHost, decoded, outcome, options, shown);
        expect(faults(event, told)).toEqual([]);
        expect(refuses(event, told)).toBe(refuses(event, answer));
        // A host is never silent about what its hooks wanted.
        if (outcome.action !== "continue" && answer.output === undefined) {
          expect(answer.downgrades).not.toEqual([]);
        }
      }
    });
  });
});

test.each(SENT)("Claude Code: an engine without hooks accepts %s", async (_title, event, sent) => {
  const decoded = claudeCodeHost.decode(sent);
  expect(decoded.payload["host"]).toBe(sent);
  expect(decoded.payload["cwd"]).toBe(sent["cwd"]);
  const outcome = await dispatched(decoded, undefined);
  expectNothing(event, claudeCodeHost.encode(decoded, outcome, DENY));
});

describe("Claude Code: an internal failure denies", () => {
  test.each(EVENTS)("%s", (event) => {
    const answer = claudeCodeHost.refuse(event, "ORCS1015: mistakes");
    expect(faults(event, answer)).toEqual([]);
    expect(JSON.stringify(answer)).toContain("ORCS1015: mistakes");
    const keepsGoing = ["Stop", "SubagentStop", "TeammateIdle", "TaskCompleted", "PostToolBatch"];
    const refusable = claudeCodeHost.events[event]?.refusable ?? false;
    expect(refuses(event, answer)).toBe(refusable && !keepsGoing.includes(event));
  });

  test.each([undefined, "BrandNew", "__proto__", "toString"])("%s by exit code", (name) => {
    expect(claudeCodeHost.refuse(name, "why")).toMatchObject({ code: 2, message: "why" });
  });
});

test("Claude Code: the list of events that can be denied is as documented", () => {
  const refusable = EVENTS.filter((event) => claudeCodeHost.events[event]?.refusable);
  // protocols.md §1: what exit code 2 blocks, and the two that are refused by an answer alone.
  const blocked =
    "ConfigChange Elicitation ElicitationResult PermissionRequest PostToolBatch PreCompact PreModelSwitch " +
    "PreToolUse Stop SubagentStop TaskCompleted TaskCreated TeammateIdle UserPromptExpansion " +
    "UserPromptSubmit WorktreeCreate";
  expect(refusable.toSorted().join(" ")).toBe(blocked);
});

describe("docs/reference/hosts/claude-code.md", () => {
  const page = readFileSync(
    new URL("../../docs/reference/hosts/claude-code.md", import.meta.url),
    "utf8",
  );
  const rows = page.split("\n").filter((line) => line.startsWith("|"));

  test.each(EVENTS)("has the point of %s", (event) => {
    const row = rows.find((line) => line.split("|")[1]?.includes(`\`${event}\``));
    expect(row).toContain(`\`${claudeCodeHost.events[event]?.point ?? ""}\``);
  });

  test.each(Object.entries(AGENT_TOOLS["claude-code"]))("has the tool %s", (name, { tool }) => {
    const row = rows.find((line) => line.split("|")[1]?.includes(`\`${name}\``));
    expect(row).toContain(`\`${tool}\``);
  });
});

/** Nothing is printed. Where that means that there will be no worktree, it is logged. */
function expectNothing(event: HookEvent, answer: HostAnswer): void {
  const downgrades = event === "WorktreeCreate" ? [expect.stringContaining("skip")] : [];
  expect(answer).toEqual({ code: 0, downgrades });
}

/** Where text for the model is taken, it is that; the user is shown it elsewhere. */
function expectTold(event: HookEvent, { output, downgrades }: HostAnswer): void {
  const told = "one\n\ntwo";
  if (event === "SubagentStop") {
    expect(output).toEqual({ decision: "block", reason: told });
  } else if (takesContext(event)) {
    expect(output).toEqual({
      hookSpecificOutput: { hookEventName: event, additionalContext: told },
    });
  } else {
    expect(output).toEqual({ systemMessage: told });
    expect(downgrades).not.toEqual([]);
  }
}

function expectRefused(event: HookEvent, answer: HostAnswer, reason: string): void {
  const refusable = claudeCodeHost.events[event]?.refusable ?? false;
  expect(refuses(event, answer)).toBe(refusable);
  expect(JSON.stringify(answer.output)).toContain(reason);
  if (refusable) return;
  expect(answer.output).toHaveProperty("systemMessage");
  expect(answer.downgrades).not.toEqual([]);
}

/** What a real chain comes to. */
async function dispatched(decoded: DecodedEvent, wish: string | undefined): Promise<Outcome> {
  const handler = wish === undefined ? undefined : WISHES[wish];
  const hooks = handler
    ? [
        {
          point: decoded.point,
          id: "wish",
          handler: (ctx: HookContext) => handler(ctx) as undefined,
        },
      ]
    : [];
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const orcs = await createOrcs({ config: false, logger: silent, hooks });
  onTestFinished(() => orcs.close());
  const { point, payload, component, child } = decoded;
  return (await orcs.dispatch(point, payload, { component, child })) as Outcome;
}

function asSent(event: unknown): JsonObject {
  return JSON.parse(JSON.stringify(event)) as Record<string, Json>;
}
