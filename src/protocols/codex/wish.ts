import { getOwn } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { toJson } from "../../core/to-json.ts";
import { sameJson } from "../../core/same-json.ts";
import type { DecodedEvent, HostOptions } from "../host.ts";
import { asText, hostVerdict } from "../host-verdict.ts";
import type { HostVerdict } from "../host-verdict.ts";
import { isJsonObject } from "../read-json.ts";
import { codexEvent } from "./events.ts";
import { isBlank, isReadable, said } from "./text.ts";
import { toCodexInput } from "./tools.ts";

/** What the hooks want, in what Codex can do. */
export interface Wish {
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
export function wishOf(decoded: DecodedEvent, outcome: Outcome, options: HostOptions): Wish {
  const verdict = hostVerdict(decoded, outcome);
  const { refusal, context, downgrades } = verdict;
  const wish: Wish = {
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

const WANTED = { ask: "a hook wants the user asked", defer: "a hook wants it deferred" } as const;

function decide(wish: Wish, event: string, verdict: HostVerdict, options: HostOptions): void {
  const { decision, reason = "no reason given" } = verdict;
  if (decision === undefined) return;
  if (decision === "allow") {
    wish.allowed = event === "PermissionRequest";
    if (event === "PreToolUse" && verdict.input === undefined) {
      wish.downgrades.push("allow at PreToolUse: whether Codex asks its user is not changed by it");
    }
    return;
  }
  // Codex goes on to ask when no hook decides: that is what was wanted.
  if (decision === "ask" && event === "PermissionRequest") return;
  const lacking = `${decision} at ${event}, for which Codex has no word`;
  const isQuestion = codexEvent(event)?.refusable !== false && event !== "Stop";
  if (isQuestion && options.ask === "deny") {
    wish.refusal = `${WANTED[decision]}, which hooks cannot have in Codex: ${reason}`;
    wish.downgrades.push(`${lacking}: refused`);
  } else {
    wish.downgrades.push(`${lacking}: passed over`);
  }
}

function rewrite(
  wish: Wish,
  decoded: DecodedEvent,
  outcome: Outcome,
  verdict: HostVerdict,
  options: HostOptions,
): void {
  const { event } = decoded;
  if (event === "PermissionRequest") {
    if (verdict.input === undefined && !hasOtherArgs(decoded, outcome)) return;
    refuseRewrite(wish, "a permission is given or refused for the call as it is");
  } else if (verdict.input === undefined) {
    return;
  } else if (event === "PreToolUse") {
    rewriteTool(wish, decoded, verdict, options);
  } else if (event === "UserPromptSubmit") {
    // The prompt itself stands; what hooks made of it is all that can be added.
    const text = said(`The user's prompt is to be read as:\n${asText(verdict.input)}`, "");
    wish.context = wish.context === undefined ? text : `${text}\n\n${wish.context}`;
    wish.downgrades.push("rewrite of a prompt, which Codex does not take: added as context");
  } else {
    wish.downgrades.push(`rewrite at ${event}, which Codex does not take: passed over`);
  }
}

function rewriteTool(
  wish: Wish,
  { payload }: DecodedEvent,
  { input, decision }: HostVerdict,
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
  if (!isReadable(read.input)) return refuseRewrite(wish, "it holds half a character");
  if (decision !== "allow") {
    const lacking =
      "rewrite that no hook allows, which Codex takes together with an approval alone";
    if (options.rewrite === "refuse") {
      wish.refusal ??= "the hooks rewrote the input, and none of them allows it";
      wish.downgrades.push(`${lacking}: refused`);
      return;
    }
    wish.downgrades.push(`${lacking}: approved`);
  }
  wish.input = read.input;
}

function refuseRewrite(wish: Wish, why: string): void {
  wish.refusal ??= `the hooks rewrote what Codex cannot have rewritten: ${why}`;
  wish.downgrades.push(`rewrite that Codex cannot take, ${why}: refused`);
}

/** What a permission is asked for stands in two places, and the verdict looks at one. */
function hasOtherArgs({ payload }: DecodedEvent, { ctx }: Outcome): boolean {
  const before = getOwn(payload, "args");
  const after: unknown = getOwn(ctx.payload, "args");
  if (after === before) return false;
  return after === undefined || !sameJson(before, toJson(after, undefined, ["payload", "args"]));
}

function replace(wish: Wish, event: string, { result }: HostVerdict): void {
  if (result === undefined) return;
  if (event === "PostToolUse") wish.result = said(asText(result), "(no result)");
  else wish.downgrades.push(`result at ${event}, which Codex does not take: passed over`);
}

function keepContext(wish: Wish, { event, payload }: DecodedEvent): void {
  if (codexEvent(event)?.context) return;
  const { context } = wish;
  wish.context = undefined;
  if (event === "SubagentStop" && payload["stop_hook_active"] !== true) {
    // The one way to tell it something. Told each time, it would never stop.
    wish.result = context;
    return;
  }
  wish.shown = context;
  wish.downgrades.push(`text for the model at ${event}, which Codex does not hand on`);
}

function objectAt(from: JsonObject, key: string): JsonObject {
  const value = getOwn(from, key);
  return isJsonObject(value) ? value : {};
}
