import { messageOf, pointSet } from "../core/index.ts";
import type { Ability, Decision, HookContext, Json, JsonObject, Outcome } from "../core/index.ts";
import { eventOf, type AgentEvent, type AgentFormat } from "./agent-format.ts";
import { isBlank, nonBlank, wholeText } from "./agent-text.ts";
import { decodeEvent } from "./decode-event.ts";
import { handlerInput } from "./handler-input.ts";
import { withFields, type HostFields } from "./host-fields.ts";
import type { EventLimits } from "./host-limits.ts";
import { CANNOT_ASK_THERE, DEFER_DENIES, limitUnder, NO_TEXT } from "./host-limits.ts";
import type {
  AgentVerdict,
  DecodedEvent,
  HostAnswer,
  HostOptions,
  HostProtocol,
  NoticeWay,
  Sample,
} from "./host-protocol.ts";
import { agentVerdict, changed, withNotice } from "./host-protocol.ts";

/** What hooks want at an event, as far as the agent accepts it. */
export interface Wish {
  /** Why the operation is denied. */
  refusal?: string | undefined;
  /** A decision that the agent follows, and its reason. */
  decision?: Decision | undefined;
  reason?: string | undefined;
  /** A changed input, in the agent's form. */
  input?: Json | undefined;
  /** A changed result, in the agent's form. */
  result?: Json | undefined;
  /** Text for the model. */
  context?: string | undefined;
  /** Texts for the user. */
  readonly notes: string[];
  /** Further keys of the response. */
  readonly output: Record<string, Json | undefined>;
  readonly downgrades: string[];
}

/** An event that is encoded. */
export interface EncodeCall<Row extends AgentEvent = AgentEvent> {
  readonly event: string;
  readonly row: Row;
  readonly decoded: DecodedEvent;
  readonly outcome: Outcome;
  readonly options: HostOptions;
  readonly verdict: AgentVerdict;
  readonly limits: EventLimits;
}

type Apply<Row extends AgentEvent, Value> = (
  wish: Wish,
  value: Value,
  call: EncodeCall<Row>,
) => void;

/** How an agent is answered. What it does not accept is in its limits; the rest is in its own keys. */
export interface AgentEncoder<Row extends AgentEvent> extends Pick<HostProtocol, "callsWithin"> {
  readonly format: AgentFormat<Row>;
  /** Of events of a newer version, where they are not as for all agents. */
  readonly newer?: EventLimits;
  readonly fields: HostFields;
  /** Whether it cannot ask its user now, although the event has the decision. */
  cannotAsk?(call: EncodeCall<Row>): boolean;
  /** Why a question cannot be asked, if not because the agent has none: a clause. */
  readonly nobody?: Readonly<Record<string, string>>;
  /** How events take a changed input. Elsewhere its limit says what happens. */
  readonly rewrites: Readonly<Record<string, Apply<Row, Json>>>;
  /** How events take a changed result. */
  readonly results: Readonly<Record<string, Apply<Row, Json>>>;
  /** How events take text for the model, if not as the usual context. */
  readonly texts?: Readonly<Record<string, Apply<Row, string>>>;
  /** An outcome that is a response of its own. */
  special?(decoded: DecodedEvent, outcome: Outcome): HostAnswer | undefined;
  /** The last touch, also to a denial. */
  finish?(wish: Wish, call: EncodeCall<Row>): void;
  /**
   * The response that denies an event, as far as the agent supports it.
   * @param event undefined when it could not be read
   */
  deny(event: string | undefined, refusal: string, wish: Wish): HostAnswer;
  /** The response when nothing denies. */
  goOn(event: string, wish: Wish, call?: EncodeCall<Row>): HostAnswer;
}

/** Limits of an event of a newer version. */
const UNKNOWN_LIMITS: EventLimits = {
  ask: CANNOT_ASK_THERE,
  defer: DEFER_DENIES,
  inject: NO_TEXT,
};

/** The protocol of an agent. */
export function hostProtocol<Row extends AgentEvent>(agent: AgentEncoder<Row>): HostProtocol {
  const { format, fields, callsWithin } = agent;
  const noticeAt = (event: string): NoticeWay => eventOf(format, event).notice ?? "stderr";
  return {
    name: format.name,
    events: format.events,
    decode: (event) => decodeEvent(format, event),
    ...(callsWithin && { callsWithin }),
    fields,
    encode(decoded, outcome, options) {
      const { event } = decoded;
      const { notice } = options;
      const answer = encodeEvent(agent, decoded, outcome, options);
      const told = notice === undefined ? answer : withNotice(answer, noticeAt(event), notice);
      return withFields(told, { event, outcome, fields, agent: format.label });
    },
    noticeAt,
    sample: (event, about) => sampleEvent(format, event, about),
    refuse: (event, reason) => refuseEvent(agent, event, nonBlank(reason, NO_REASON)),
  };
}

/** The reason of a denial that has none. */
const NO_REASON = "denied by orcs, no reason given";

/** Nothing that hooks want. */
function newWish(): Wish {
  return { notes: [], output: {}, downgrades: [] };
}

function encodeEvent<Row extends AgentEvent>(
  agent: AgentEncoder<Row>,
  decoded: DecodedEvent,
  outcome: Outcome,
  options: HostOptions,
): HostAnswer {
  const { event } = decoded;
  const row = eventOf(agent.format, event);
  try {
    const special = agent.special?.(decoded, outcome);
    if (special !== undefined) return special;
    const newer = { ...UNKNOWN_LIMITS, ...agent.newer };
    const limits = row === agent.format.unknown ? newer : (row.limits ?? {});
    const verdict = agentVerdict(decoded, outcome);
    const call = { event, row, decoded, outcome, options, verdict, limits };
    const wish = wishOf(agent, call);
    return wish.refusal === undefined
      ? agent.goOn(event, wish, call)
      : agent.deny(event, nonBlank(wish.refusal, NO_REASON), wish);
  } catch (thrown) {
    const why = `the result of the hooks is not JSON: ${messageOf(thrown)}`;
    // Half of a hook's result may be the half that allows it; an agent may stop anyway.
    return row.passes && outcome.action === "continue"
      ? refuseEvent(agent, event, why)
      : agent.deny(event, why, newWish());
  }
}

/** The response when no hook could be run. An unreadable event may have been any. */
function refuseEvent<Row extends AgentEvent>(
  agent: AgentEncoder<Row>,
  event: string | undefined,
  reason: string,
): HostAnswer {
  const row = eventOf(agent.format, event ?? "");
  const wish = newWish();
  if (event === undefined || (row.refusable && !row.passes)) {
    return agent.deny(event, reason, wish);
  }
  wish.notes.push(reason);
  return agent.goOn(event, wish);
}

/** @throws NotJson for a payload that is not JSON */
function wishOf<Row extends AgentEvent>(agent: AgentEncoder<Row>, call: EncodeCall<Row>): Wish {
  const { refusal, context, downgrades } = call.verdict;
  const text = context === undefined || isBlank(context) ? undefined : nonBlank(context, "");
  const wish: Wish = { ...newWish(), refusal, context: text, downgrades: [...downgrades] };
  if (refusal === undefined) {
    for (const step of [decide, rewrite, replace, passOn]) step(agent, wish, call);
  }
  agent.finish?.(wish, call);
  return wish;
}

/** Applies a part of what hooks want. */
type Step = <Row extends AgentEvent>(
  agent: AgentEncoder<Row>,
  wish: Wish,
  call: EncodeCall<Row>,
) => void;

const WANTED = {
  ask: "a hook requests that the user is asked",
  defer: "a hook defers the decision",
} as const;

/** Apply the decision. One that the event cannot express becomes what its limit says. */
const decide: Step = (agent, wish, call) => {
  const { event, row, verdict, limits } = call;
  const { decision } = verdict;
  if (decision === undefined) return;
  const isAsked = decision !== "ask" || agent.cannotAsk?.(call) !== true;
  if (isAsked && row.decisions?.includes(decision)) {
    wish.decision = decision;
    const reason = wholeText(verdict.reason ?? "");
    wish.reason = isBlank(reason) ? undefined : reason;
  }
  if (decision === "allow") {
    const isForInput = verdict.input !== undefined && limits.rewrite?.worksWithAllow === true;
    if (limits.allow && !isForInput)
      wish.downgrades.push(`allow at ${event}: ${limits.allow.what}`);
    return;
  }
  // The agent asks by itself when no hook decides, as intended.
  if (wish.decision !== undefined || (decision === "ask" && row.point === "auth.pre_check")) return;
  const reason = isBlank(verdict.reason ?? "") ? "no reason given" : verdict.reason;
  const lacking = `which ${agent.format.label} does not support`;
  const effect = effectOf(call, decision);
  if (effect === "denied") {
    const why = agent.nobody?.[event] ?? lacking;
    wish.refusal = `${WANTED[decision]}, ${why}: ${reason}`;
  } else if (effect === "shown") {
    wish.notes.push(`a hook returned ${decision} at ${event}: ${reason}`);
  }
  wish.downgrades.push(`${decision} at ${event}, ${lacking}: ${effect}`);
};

/** What becomes of something that an event does not accept. */
function effectOf({ limits, options }: EncodeCall, ability: Ability): string {
  const limit = limits[ability];
  return limit === undefined ? "ignored" : limitUnder(limit, options).effect;
}

const rewrite: Step = (agent, wish, call) => {
  const { event, row, decoded, outcome, verdict } = call;
  // A permission request has the arguments in two places.
  const isRequest = row.point === "auth.pre_check";
  const now = isRequest ? changed(decoded.payload, outcome.ctx.payload, "args") : undefined;
  const isChanged = verdict.input !== undefined || now !== undefined;
  if (!isChanged || wish.refusal !== undefined) return;
  const { label } = agent.format;
  const apply = agent.rewrites[event];
  if (apply) apply(wish, verdict.input ?? null, call);
  else {
    const effect = effectOf(call, "rewrite");
    const why = isRequest
      ? "a permission is granted or denied for the unchanged call"
      : `at ${event}`;
    if (effect === "denied") wish.refusal = rewriteRefusal(label, why);
    wish.downgrades.push(`rewrite at ${event}, which ${label} does not support: ${effect}`);
  }
};

/** Deny a call whose changed input the agent would ignore. @param why a clause */
export function refuseRewrite(wish: Wish, label: string, why: string): void {
  wish.refusal = rewriteRefusal(label, why);
  wish.downgrades.push(`rewrite that ${label} does not support, ${why}: denied`);
}

function rewriteRefusal(label: string, why: string): string {
  return `the hooks made a rewrite that ${label} does not support: ${why}`;
}

const replace: Step = ({ format, results }, wish, call) => {
  const { event, verdict } = call;
  if (verdict.result === undefined || wish.refusal !== undefined) return;
  const apply = results[event];
  if (apply) apply(wish, verdict.result, call);
  else wish.downgrades.push(`result at ${event}, which ${format.label} does not support: ignored`);
};

/** Pass on the text for the model, or show it to the user. */
const passOn: Step = (agent, wish, call) => {
  const { event, limits } = call;
  const { context } = wish;
  if (context === undefined || wish.refusal !== undefined) return;
  const apply = agent.texts?.[event];
  if (apply) apply(wish, context, call);
  else if (limits.inject) showText(wish, agent.format.label, call);
};

/** The text for the model, where the agent passes on none. @param effect what becomes of it */
export function showText(
  wish: Wish,
  label: string,
  call: EncodeCall,
  effect = effectOf(call, "inject"),
): void {
  if (effect === "shown" && wish.context !== undefined) wish.notes.push(wish.context);
  wish.context = undefined;
  const lost = `text for the model at ${call.event}, which ${label} does not pass on: ${effect}`;
  wish.downgrades.push(lost);
}

/** The reason of a denial with the text for the model below it. */
export function withContext(refusal: string, { context }: Wish): string {
  return context === undefined ? refusal : `${refusal}\n\n${context}`;
}

/** What an event is about, by the keys of payloads. */
const ABOUT: JsonObject = {
  prompt: "orcs doctor",
  message: "orcs doctor",
  error: "orcs doctor",
  result: "",
};

/** An event as its agent sends it, as far as its table says, for a test. */
function sampleEvent(
  format: AgentFormat,
  event: string,
  { session, project, line = "true" }: Sample,
): JsonObject {
  const { point, tools } = eventOf(format, event);
  const reads = tools?.includes("read") && { tool_name: "read", args: { path: "orcs-doctor.txt" } };
  const ids = { session_id: session, tool_use_id: session, child_id: session, agent_type: session };
  const payload = {
    ...ABOUT,
    tool_name: "exec",
    args: { command: line },
    ...ids,
    ...reads,
    event,
    cwd: project,
    host: { hook_event_name: event },
  };
  const ctx: HookContext = {
    hook_point: point,
    component_id: `agent::${format.name}`,
    channel_id: "",
    principal: { type: "system", id: "orcs" },
    timestamp_ms: 0,
    payload,
    metadata: {},
    depth: 0,
    max_depth: 1,
  };
  const spec = pointSet().get(point);
  return spec ? handlerInput(format, { point: spec, ctx, cwd: project, projectDir: project }) : {};
}
