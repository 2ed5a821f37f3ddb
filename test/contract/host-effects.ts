import { readFileSync } from "node:fs";
import type { HookEvent } from "@anthropic-ai/claude-agent-sdk";
import type { Ability } from "../../src/core/abilities.ts";
import type { HookContext } from "../../src/core/context.ts";
import type { HostName } from "../../src/core/hosts.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Outcome, OutcomeAction } from "../../src/core/outcome.ts";
import { pointSet } from "../../src/core/points.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import type { Effect } from "../../src/formats/host-limits.ts";
import { codexEventOf } from "../unit/formats/codex-events.ts";
import { copilotHost } from "../../src/formats/copilot/host.ts";
import { codexReads } from "../unit/formats/codex-reads.ts";
import { refuses as claudeRefuses } from "./claude-code-answers.ts";
import { SYNTHETIC } from "./claude-code-events.ts";
import { refuses as copilotRefuses, warns as copilotWarns } from "./copilot-answers.ts";
import { refuses as cursorRefuses } from "./cursor-answers.ts";
import { refuses as geminiRefuses } from "./gemini-answers.ts";
import { sent as geminiEvent } from "./gemini-events.ts";
import { refuses as qwenRefuses } from "./qwen-answers.ts";
import { SENT as QWEN_SENT } from "./qwen-events.ts";

/** What hooks write, to be found again in an answer. */
export const MARK = "orcs-mark";

/** What an agent would do with an answer; a text is where the mark was found. */
interface Reading {
  readonly refused: boolean;
  /** The decision that it makes, or leaves to its user. */
  readonly decision?: string | undefined;
  /** The parts of the answer, as JSON. */
  readonly input?: unknown;
  readonly result?: unknown;
  /** For the model. */
  readonly context?: unknown;
  /** Sent, and perhaps not read. */
  readonly unsure?: unknown;
  /** For the user. */
  readonly shown?: unknown;
}

/** How to speak for an agent: events as it sends them, and what its answers mean. */
interface HostReader {
  /** Events of this name; with several, hooks may get their way at some. */
  samples(event: string): readonly JsonObject[];
  read(event: string, answer: HostAnswer): Reading;
  /** A result in place of the operation, where the event takes only a certain kind. */
  readonly skipResults?: Readonly<Record<string, Json>>;
}

const CURSOR_SENT = recorded("cursor");
const COPILOT_SENT = recorded("copilot");

/** Every value of the settings that decide what happens where an agent lacks something. */
export const SETTINGS: readonly HostOptions[] = [
  { ask: "deny", rewrite: "refuse" },
  { ask: "pass", rewrite: "approve" },
  { ask: "deny", rewrite: "approve" },
  { ask: "pass", rewrite: "refuse" },
];

/** One for each agent; none may be missing. */
export const READERS: Readonly<Record<HostName, HostReader>> = {
  "claude-code": {
    samples: (event) => [structuredClone(SYNTHETIC[event as HookEvent]) as unknown as JsonObject],
    skipResults: { Elicitation: { note: MARK }, ElicitationResult: { note: MARK } },
    read(event, answer) {
      const own = ownWords(answer);
      const request = objectIn(own["decision"]);
      const { systemMessage: shown } = answer.output ?? {};
      const refused = claudeRefuses(event as HookEvent, answer);
      const isAsked = event === "PermissionRequest" && request["behavior"] === undefined;
      const result = [own["updatedToolOutput"], own["content"], own["worktreePath"]];
      return {
        refused,
        decision: isAsked ? "ask" : word(own["permissionDecision"] ?? request["behavior"]),
        input: own["updatedInput"] ?? request["updatedInput"],
        // A subagent that continues repeats nothing, but goes on as a retry wants it.
        result: [
          ...result,
          own["displayContent"],
          (own["retry"] === true || (event === "SubagentStop" && refused)) && MARK,
        ],
        context:
          own["additionalContext"] ?? (event === "SubagentStop" && answer.output?.["reason"]),
        shown,
      };
    },
  },
  codex: {
    samples: (event) => [codexEventOf(event as "Stop")],
    read(event, answer) {
      const read = codexReads(event, answer);
      if (read.rejected !== undefined) throw new Error(`Codex rejects it: ${read.rejected}`);
      const isAsked = event === "PermissionRequest" && !read.allowed && read.blocked === undefined;
      const isTold = event === "SubagentStop" || event === "PostToolUse";
      return {
        refused: read.blocked !== undefined,
        decision: isAsked ? "ask" : read.allowed ? "allow" : undefined,
        input: read.input,
        result: event === "PostToolUse" && read.blocked,
        context: read.context ?? (isTold && read.blocked),
        shown: read.shown,
      };
    },
  },
  gemini: {
    samples: (event) => [geminiEvent(event)],
    read(event, answer) {
      const own = ownWords(answer);
      const { decision, reason, systemMessage: shown } = answer.output ?? {};
      return {
        refused: geminiRefuses(event, answer),
        decision: word(decision),
        input: own["tool_input"] ?? own["llm_request"],
        result: [own["llm_response"], own["toolConfig"], event === "AfterTool" && reason],
        context: own["additionalContext"],
        shown,
      };
    },
  },
  copilot: {
    samples: (event) =>
      COPILOT_SENT.filter((sent) => copilotHost.decode(sent).event === event).map((sent) =>
        structuredClone(sent),
      ),
    read(event, answer) {
      const output = answer.output ?? {};
      const isRequest = event === "PermissionRequest" && output["behavior"] === undefined;
      const isResult = event === "PostToolUse" || event === "SubagentStop";
      return {
        refused: copilotRefuses(event, answer),
        decision: isRequest ? "ask" : word(output["permissionDecision"] ?? output["behavior"]),
        input: output["modifiedArgs"] ?? output["modifiedPrompt"],
        result: [
          output["modifiedResult"],
          output["modifiedResponse"],
          output["responseContent"],
          isResult && output["reason"],
        ],
        context: [output["additionalContext"], event === "SubagentStop" && output["reason"]],
        shown: copilotWarns(event) && answer.code === 2 ? answer.message : undefined,
      };
    },
  },
  cursor: {
    samples: (event) =>
      CURSOR_SENT.filter(({ hook_event_name: name }) => name === event).map((sent) =>
        structuredClone(sent),
      ),
    read(event, answer) {
      const output = answer.output ?? {};
      const { permission, followup_message: followup } = output;
      return {
        refused: cursorRefuses(event, answer),
        decision: word(permission),
        input: output["updated_input"],
        result: output["updated_mcp_tool_output"],
        context: [output["additional_context"], event === "subagentStop" && followup],
        unsure: output["agent_message"],
        shown: output["user_message"],
      };
    },
  },
  qwen: {
    samples: (event) =>
      QWEN_SENT.filter(({ hook_event_name: name }) => name === event).map((sent) =>
        structuredClone(sent),
      ),
    read(event, answer) {
      const { stopReason, reason, systemMessage } = answer.output ?? {};
      const own = ownWords(answer);
      const request = objectIn(own["decision"]);
      const isAsked = event === "PermissionRequest" && request["behavior"] === undefined;
      return {
        refused: qwenRefuses(event, answer),
        decision: isAsked ? "ask" : word(own["permissionDecision"] ?? request["behavior"]),
        input: request["updatedInput"],
        result: [event === "PostToolUse" && stopReason, event === "SubagentStop" && reason],
        context: [own["additionalContext"], event === "SubagentStop" && reason],
        // Elsewhere a message is only in its debug log.
        shown: event === "Stop" ? systemMessage : undefined,
      };
    },
  },
};

/** What was seen: as meant (`works`), in other words (`told`, `unsure`), or one of the effects. */
export type SeenEffect = "works" | "told" | "unsure" | Exclude<Effect, "otherwise" | "sometimes">;

/** Events that an agent really sent, or its documentation has. */
export function recorded(name: HostName): JsonObject[] {
  return readFileSync(new URL(`../fixtures/${name}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
}

/** What an answer makes of what the hooks wanted. */
export function effectOf(ability: Ability, reading: Reading): SeenEffect {
  if (HAS_WORKED[ability](reading)) return "works";
  if (ability !== "replace" && ability !== "inject" && reading.refused) return "denied";
  if (ability === "rewrite" && has(reading.context)) return "told";
  if (ability === "inject" && has(reading.unsure)) return "unsure";
  return has(reading.shown) ? "shown" : "ignored";
}

const HAS_WORKED: Readonly<Record<Ability, (reading: Reading) => boolean>> = {
  deny: ({ refused, result }) => refused || has(result),
  ask: ({ decision }) => decision === "ask",
  defer: ({ decision }) => decision === "defer",
  allow: ({ decision }) => decision === "allow",
  rewrite: ({ refused, input }) => !refused && has(input),
  skip: ({ refused, result }) => (!refused && has(result)) || has(result),
  retry: ({ result }) => has(result),
  replace: ({ result }) => has(result),
  inject: ({ context }) => has(context),
};

/** How hooks may pass on a text. */
export const INJECTIONS: readonly Outcome["inject"][] = [
  [MARK],
  [{ content: MARK, strategy: "user_message" }],
];

/** What hooks came to: one ability used, with or without an approval. */
export function outcomeOf(
  decoded: DecodedEvent,
  ability: Ability,
  { skipResults = {} }: Pick<HostReader, "skipResults">,
  { withAllow = false, injection = [MARK] as Outcome["inject"] } = {},
): Outcome {
  const point = pointSet().get(decoded.point);
  if (!point) throw new Error(`no point ${decoded.point}`);
  const payload: Record<string, unknown> = structuredClone(decoded.payload);
  const { inputKey, resultKey } = point;
  if (ability === "rewrite") {
    for (const key of new Set([inputKey, "args"])) {
      if (payload[key] !== undefined || key === inputKey) payload[key] = rewritten(payload[key]);
    }
  }
  if (ability === "replace") payload[resultKey] = point.question ? [MARK] : MARK;
  const decision = withAllow ? "allow" : ability;
  const actions: Partial<Record<Ability, OutcomeAction>> = {
    deny: { action: "abort", reason: MARK, hook: "h" },
    skip: { action: "skip", result: skipResults[decoded.event] ?? MARK, hook: "h" },
    retry: { action: "retry", delay_ms: 5, max_retries: 3, hook: MARK },
  };
  const goesOn: OutcomeAction =
    decision === "ask" || decision === "defer" || decision === "allow"
      ? { action: "continue", decision, reason: MARK, hook: "h" }
      : { action: "continue" };
  const ctx = contextOf(decoded, payload);
  const inject = ability === "inject" ? injection : [];
  return { ...(actions[ability] ?? goesOn), ctx, inject } as Outcome;
}

/** A text becomes the mark; of an object, its first text does. */
function rewritten(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return MARK;
  const [key = "note"] = Object.entries(value).find(([, item]) => typeof item === "string") ?? [];
  return { ...value, [key]: MARK };
}

function has(part: unknown): boolean {
  return part !== undefined && JSON.stringify(part).includes(MARK);
}

function ownWords({ output }: HostAnswer): JsonObject {
  return objectIn(output?.["hookSpecificOutput"]);
}

function objectIn(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function word(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The context in which an event of an agent is dispatched. */
export function contextOf(
  { point, component }: DecodedEvent,
  payload: Record<string, unknown>,
): HookContext {
  return {
    hook_point: point,
    component_id: component,
    channel_id: "main",
    principal: { type: "Host", id: "main" },
    timestamp_ms: 1,
    payload,
    metadata: {},
    depth: 0,
    max_depth: 4,
  };
}
