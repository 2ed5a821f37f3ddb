import { messageOf } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { equalJson, getOwn } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { toJson } from "../../core/visible-value.ts";
import type { AgentVerdict, DecodedEvent, HostAnswer, HostOptions } from "../host-protocol.ts";
import { agentVerdict, asText } from "../host-protocol.ts";
import { isJsonObject } from "../read-json.ts";
import type { CodexEvent } from "./events.ts";
import { codexEvent } from "./events.ts";
import { toCodexInput } from "./tools.ts";

const NO_REASON = "denied by orcs, no reason given";

/** Exit code that blocks wherever Codex lets a hook block, with what stands on stderr. */
const BLOCKS = 2;

/**
 * The answer that refuses an event, as far as Codex lets one.
 * @param downgrades what to log besides
 */
function refusal(event: string, reason: string, downgrades: readonly string[] = []): HostAnswer {
  const text = said(reason, NO_REASON);
  const row = codexEvent(event);
  // What a newer Codex asks cannot be answered in its words; the exit code is all that there is.
  if (row === undefined) return { output: undefined, message: text, code: BLOCKS, downgrades };
  if (row.refusal === undefined) {
    const lost = `denial at ${event}, which Codex ignores: ${text}`;
    return notice(row, text, [...downgrades, lost]);
  }
  return { output: REFUSALS[row.refusal](event, text), message: text, code: 0, downgrades };
}

/**
 * The answer where no hook could be asked. Pre points are refused; what is over, or only told, goes on, and the
 * user is shown why no hook saw it. An event that could not be read may have been any of them.
 */
export function refuseCodex(event: string | undefined, reason: string): HostAnswer {
  const row = event === undefined ? undefined : codexEvent(event);
  const stops = event === "Stop" || event === "SubagentStop";
  return row === undefined || (row.refusable && !stops)
    ? refusal(event ?? "", reason)
    : notice(row, said(reason, NO_REASON), []);
}

/** Words for the user, at an event that goes on. */
function notice(row: CodexEvent, text: string, downgrades: readonly string[]): HostAnswer {
  const output = row.deaf ? undefined : { systemMessage: text };
  return { output, message: text, code: 0, downgrades };
}

const REFUSALS: Readonly<
  Record<NonNullable<CodexEvent["refusal"]>, (event: string, text: string) => JsonObject>
> = {
  deny: (hookEventName, permissionDecisionReason) => ({
    hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason },
  }),
  permission: (hookEventName, message) => ({
    hookSpecificOutput: { hookEventName, decision: { behavior: "deny", message } },
  }),
  block: (_event, reason) => ({ decision: "block", reason }),
  halt: (_event, stopReason) => ({ continue: false, stopReason }),
};

/** Text that Codex takes for none: it trims what Unicode calls white space, U+0085 included. */
const BLANK = /^[\s\u0085]*$/;
/** Half a character. JSON can write one, and Codex's reader then rejects the whole answer. */
const HALF = /\p{Surrogate}/gu;

/**
 * A text as Codex reads it, never blank: a refusal without a reason is none to it.
 * @param otherwise what stands in the place of a blank one
 */
function said(text: string, otherwise: string): string {
  const whole = text.replace(HALF, "\ufffd");
  return BLANK.test(whole) ? otherwise : whole;
}

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Whether Codex's reader can read a value, its keys included. */
function isReadable(value: Json): boolean {
  if (typeof value === "string") return value.search(HALF) < 0;
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => isReadable(key) && isReadable(item));
}

/** Codex's answer for what the hooks came to. */
export function encodeCodex(
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  let wish: CodexIntent;
  try {
    wish = intentOf(decoded, outcome, options);
  } catch (thrown) {
    return unreadable(event, outcome, `the result of the hooks is not JSON: ${messageOf(thrown)}`);
  }
  const { downgrades, context } = wish;
  if (wish.refusal === undefined) return { output: goingOn(event, wish), code: 0, downgrades };
  const reason = context === undefined ? wish.refusal : `${wish.refusal}\n\n${context}`;
  return refusal(event, reason, downgrades);
}

/** Half of what the hooks meant may be the half that let it pass; an agent may stop all the same. */
function unreadable(event: string, outcome: Outcome, why: string): HostAnswer {
  const stops = codexEvent(event)?.speaks && outcome.action === "continue";
  return stops ? refuseCodex(event, why) : refusal(event, why);
}

/** The answer of hooks that refuse nothing; undefined where there is nothing to say. */
function goingOn(event: string, wish: CodexIntent): JsonObject | undefined {
  const row = codexEvent(event);
  const specific: JsonObject = {
    ...(wish.allowed && { decision: { behavior: "allow" } }),
    ...(wish.input && { permissionDecision: "allow", updatedInput: wish.input }),
    ...(wish.context !== undefined && { additionalContext: wish.context }),
  };
  const output: JsonObject = {
    ...(wish.shown !== undefined && row && !row.deaf && { systemMessage: wish.shown }),
    ...(wish.result !== undefined && { decision: "block", reason: wish.result }),
    ...(Object.keys(specific).length > 0 && {
      hookSpecificOutput: { hookEventName: event, ...specific },
    }),
  };
  return row?.speaks || Object.keys(output).length > 0 ? output : undefined;
}

/** What the hooks want, in what Codex can do. */
interface CodexIntent {
  refusal: string | undefined;
  /** A permission that a hook gave. */
  allowed: boolean;
  /** The tool's input in Codex's words, rewritten. */
  input: JsonObject | undefined;
  /** What the model is to read in the place of a tool's result, or what a subagent is to go on with. */
  result: string | undefined;
  /** Text for the model, where the event hands one on or is refused. */
  context: string | undefined;
  /** For the user: what the model cannot be told. */
  shown: string | undefined;
  readonly downgrades: string[];
}

/** @throws NotJson for a payload that JSON has no word for */
function intentOf(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): CodexIntent {
  const verdict = agentVerdict(decoded, outcome);
  const { refusal, context, downgrades } = verdict;
  const wish: CodexIntent = {
    refusal,
    allowed: false,
    input: undefined,
    result: undefined,
    context: context === undefined || isBlank(context) ? undefined : said(context, ""),
    shown: undefined,
    downgrades: [...downgrades],
  };
  if (refusal !== undefined) return wish;
  decide(wish, decoded.event, verdict, options);
  rewrite(wish, decoded, outcome, verdict, options);
  replace(wish, decoded.event, verdict);
  if (wish.context !== undefined && wish.refusal === undefined) keepContext(wish, decoded);
  return wish;
}

const WANTED = {
  ask: "a hook requests that the user is asked",
  defer: "a hook defers the decision",
} as const;

function decide(
  wish: CodexIntent,
  event: string,
  verdict: AgentVerdict,
  options: HostOptions,
): void {
  const { decision, reason = "no reason given" } = verdict;
  if (decision === undefined) return;
  if (decision === "allow") {
    wish.allowed = event === "PermissionRequest";
    if (event === "PreToolUse" && verdict.input === undefined) {
      wish.downgrades.push("allow at PreToolUse: has no effect on whether Codex asks its user");
    }
    return;
  }
  // Codex goes on to ask when no hook decides: that is what was wanted.
  if (decision === "ask" && event === "PermissionRequest") return;
  const lacking = `${decision} at ${event}, which Codex does not support`;
  const isQuestion = codexEvent(event)?.refusable !== false && event !== "Stop";
  if (isQuestion && options.ask === "deny") {
    wish.refusal = `${WANTED[decision]}, which Codex does not support: ${reason}`;
    wish.downgrades.push(`${lacking}: denied`);
  } else {
    wish.downgrades.push(`${lacking}: ignored`);
  }
}

function rewrite(
  wish: CodexIntent,
  decoded: DecodedEvent,
  outcome: Outcome,
  verdict: AgentVerdict,
  options: HostOptions,
): void {
  const { event } = decoded;
  if (event === "PermissionRequest") {
    if (verdict.input === undefined && !hasOtherArgs(decoded, outcome)) return;
    refuseRewrite(wish, "a permission is granted or denied for the unchanged call");
  } else if (verdict.input === undefined) {
    return;
  } else if (event === "PreToolUse") {
    rewriteTool(wish, decoded, verdict, options);
  } else if (event === "UserPromptSubmit") {
    // The prompt itself stands; what hooks made of it is all that can be added.
    const text = said(`Read the user's prompt as:\n${asText(verdict.input)}`, "");
    wish.context = wish.context === undefined ? text : `${text}\n\n${wish.context}`;
    wish.downgrades.push("rewrite of a prompt, which Codex does not support: added as context");
  } else {
    wish.downgrades.push(`rewrite at ${event}, which Codex does not support: ignored`);
  }
}

function rewriteTool(
  wish: CodexIntent,
  { payload }: DecodedEvent,
  { input, decision }: AgentVerdict,
  options: HostOptions,
): void {
  const host = objectAt(payload, "host");
  const tool = getOwn(host, "tool_name");
  const after = isJsonObject(input) ? input : {};
  const sent = objectAt(host, "tool_input");
  const read = toCodexInput(
    typeof tool === "string" ? tool : "",
    sent,
    objectAt(payload, "args"),
    after,
  );
  if (!read.ok) return refuseRewrite(wish, `the hooks changed ${read.why}`);
  if (!isReadable(read.input)) return refuseRewrite(wish, "it contains an unpaired surrogate");
  if (decision !== "allow") {
    const lacking = "rewrite without an allow, which Codex accepts only together with an approval";
    if (options.rewrite === "refuse") {
      wish.refusal ??= "the hooks rewrote the input, but none of them allows the call";
      wish.downgrades.push(`${lacking}: denied`);
      return;
    }
    wish.downgrades.push(`${lacking}: approved`);
  }
  wish.input = read.input;
}

function refuseRewrite(wish: CodexIntent, why: string): void {
  wish.refusal ??= `the hooks made a rewrite that Codex does not support: ${why}`;
  wish.downgrades.push(`rewrite that Codex does not support, ${why}: denied`);
}

/** What a permission is asked for stands in two places, and the verdict looks at one. */
function hasOtherArgs({ payload }: DecodedEvent, { ctx }: Outcome): boolean {
  const before = getOwn(payload, "args");
  const after: unknown = getOwn(ctx.payload, "args");
  if (after === before) return false;
  return after === undefined || !equalJson(before, toJson(after, undefined, ["payload", "args"]));
}

function replace(wish: CodexIntent, event: string, { result }: AgentVerdict): void {
  if (result === undefined) return;
  if (event === "PostToolUse") wish.result = said(asText(result), "(no result)");
  else wish.downgrades.push(`result at ${event}, which Codex does not support: ignored`);
}

function keepContext(wish: CodexIntent, { event, payload }: DecodedEvent): void {
  if (codexEvent(event)?.context) return;
  const { context } = wish;
  wish.context = undefined;
  if (event === "SubagentStop" && payload["stop_hook_active"] !== true) {
    // The one way to tell it something. Told each time, it would never stop.
    wish.result = context;
    return;
  }
  wish.shown = context;
  wish.downgrades.push(`text for the model at ${event}, which Codex does not pass on`);
}

function objectAt(from: JsonObject, key: string): JsonObject {
  const value = getOwn(from, key);
  return isJsonObject(value) ? value : {};
}
