import { changed, hasUser as hasUserAt, HOSTS, noticeLine } from "../formats/index.ts";
import type { DecodedEvent, HostAnswer, HostOptions, HostProtocol } from "../formats/index.ts";
import {
  type Caller,
  type Environment,
  GATING_POINTS,
  getOwn,
  type HostName,
  isKnown,
  type JsonObject,
  type Lineage,
  type Logger,
  messageOf,
  OrcsError,
  type Outcome,
  type PointName,
  readJsonObject,
  type RunningChain,
  stated,
  strongerDecision,
} from "../core/index.ts";
import type { ChangeGuard } from "../agents/index.ts";
import type { EngineOptions, Orcs } from "../engine/index.ts";
import { maskedText } from "../guards/index.ts";
import { ancestors, endSessionMarks } from "../machine/index.ts";
import { EngineLease } from "./engine-lease.ts";
import { eventFields } from "./hook/event-io.ts";

/** Share of the agent's time limit for the hooks; the rest is for transport. */
const HOOKS_SHARE = 0.9;

/** What is left of the time after a question was not answered, in milliseconds: the denial has to arrive. */
const ANSWER_MARGIN_MS = 500;

/** Longest timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Callbacks of a gateway. */
export interface GatewayListener {
  /** What compares the files that decide whether hooks run. */
  readonly changes?: ChangeGuard | undefined;
  /** Called with each engine before its first call. */
  opened?(orcs: Orcs): void;
  /** Called after each event of an agent. */
  answered?(host: HostName, answer: HostAnswer, ms: number): void;
}

/** What is known of the entry that an event comes through. */
export interface EntryFacts extends Omit<Lineage, "links"> {
  readonly strict?: boolean | undefined;
  /** The process that started the hook's. */
  readonly parent?: number | undefined;
  /**
   * Whether the process that asks can run the hooks itself: then it does, if hooks read a variable that it did not
   * send.
   */
  readonly canRun?: boolean | undefined;
}

/** No hook has run: the event does not carry a variable that hooks read. */
export class NotCarried extends Error {
  override readonly name = "NotCarried";
}

type EventLineage = Lineage & Pick<Caller, "follows">;

/** What is known of an event besides itself. */
interface Asking extends Pick<EntryFacts, "parent"> {
  /** Until when the agent waits, in milliseconds since 1970. */
  readonly until: number;
  /** Whether nobody waits for the answer any more. */
  readonly isOver: () => boolean;
  readonly lineage: EventLineage;
}

/** Answers the events of coding agents with one engine. */
export class Gateway {
  readonly #lease: EngineLease;
  readonly #logger: Logger;
  readonly #listener: GatewayListener;
  /** Ends the waiting of each pending call. */
  readonly #waiting = new Set<(why: string) => void>();
  /** The protocols that were used: importing one again costs more than most hooks. */
  readonly #protocols = new Map<HostName, HostProtocol>();

  /** @param options of the engine, which is created for the first event */
  constructor(options: EngineOptions, logger: Logger, listener: GatewayListener = {}) {
    const { changes } = listener;
    const guarded = changes && {
      beforeRead: () => changes.check(),
      notices: () => changes.notices,
    };
    const opened = (orcs: Orcs): void => listener.opened?.(orcs);
    this.#lease = new EngineLease({ ...options, ...guarded }, logger, opened);
    this.#logger = logger;
    this.#listener = listener;
  }

  /** The engine, once its configuration loads. @throws OrcsError ORCS1015 and others of `createOrcs` */
  engine(): Promise<Orcs> {
    return this.#lease.engine();
  }

  /**
   * The response to an event. When no hook can be run, events that can be denied are denied.
   * @param event as sent by the agent
   * @param withinMs time limit, if shorter than the agent's own for the event
   * @param entry `strict`: whether tool calls are denied in an untrusted project; `parent`: the process that started
   *   the
   * hook, if known
   * @throws NotCarried only with `canRun`
   */
  async answer(
    host: HostName,
    event: string | JsonObject,
    withinMs = Infinity,
    entry: EntryFacts = {},
  ): Promise<HostAnswer> {
    const began = performance.now();
    const answer = await this.#answer(host, event, withinMs, entry);
    this.#listener.answered?.(host, answer, performance.now() - began);
    return answer;
  }

  /**
   * The denial of an event that cannot be read. Never rejects.
   * @param event the agent's name for it, if known
   */
  async refuse(host: HostName, reason: string, event?: string): Promise<HostAnswer> {
    // Errors of a configuration quote its lines, and agents pass them to their models.
    const why = maskedText(reason);
    this.#logger.error(why);
    // A later result of its hooks is ignored.
    await this.#lease.refused({ host, event, reason: why });
    try {
      return (await HOSTS[host].load()).refuse(event, why);
    } catch (thrown) {
      this.#logger.error(`${host}: ${messageOf(thrown)}`);
      // Exit code 2 denies in every agent.
      return { output: undefined, message: why, code: 2, downgrades: [] };
    }
  }

  /**
   * Use the engine for a result that somebody waits for.
   * @throws OrcsError as `createOrcs`; ORCS7002 after the time limit, or when the gateway gives up
   */
  withEngine<T>(run: (orcs: Orcs) => Promise<T>, withinMs?: number): Promise<T> {
    return this.within(() => this.use(run), withinMs);
  }

  /** Use the engine; it is not closed before `run` has settled. @throws OrcsError as `createOrcs` */
  use<T>(run: (orcs: Orcs) => Promise<T>): Promise<T> {
    return this.#lease.use(run);
  }

  /** Answer all pending calls: those that can be denied are. Running hooks are not stopped. */
  giveUp(why: string): void {
    for (const end of this.#waiting) end(why);
  }

  async close(): Promise<void> {
    await this.#lease.close();
  }

  async #answer(
    host: HostName,
    event: string | JsonObject,
    withinMs: number,
    { strict = false, parent, canRun = false, traceparent, tracestate, environment }: EntryFacts,
  ): Promise<HostAnswer> {
    let named: string | undefined;
    try {
      const protocol = this.#protocols.get(host) ?? (await HOSTS[host].load());
      this.#protocols.set(host, protocol);
      const read =
        typeof event === "string" ? readJsonObject(event) : { ok: true as const, value: event };
      if (!read.ok) throw new OrcsError("ORCS7001", `the event of ${host} ${read.why}`, { host });
      const { hook_event_name: name } = read.value;
      named = typeof name === "string" ? name : undefined;
      const decoded = protocol.decode(read.value);
      const session = sessionOf(decoded.payload);
      if (decoded.point === "session.on_end" && session !== undefined) endSessionMarks(session);
      const { longestMs = Infinity } = getOwn(protocol.events, decoded.event) ?? {};
      // What the entry states; without it, the agent's default.
      const stated = Math.min(withinMs === Infinity ? decoded.timeoutMs : withinMs, longestMs);
      const limit = stated * HOOKS_SHARE;
      const until = Date.now() + Math.min(limit, MAX_TIMER_MS) - ANSWER_MARGIN_MS;
      const chains: RunningChain[] = [];
      const late = (): string => lateText(chains, limit, HOSTS[host].label, stated === longestMs);
      return await this.within(
        (isOver) =>
          this.#lease.use(async (orcs) => {
            const megabytes = orcs.settings.engine.max_payload_mb;
            if (typeof event === "string" && event.length > megabytes * 2 ** 20) {
              const why = `an event of ${event.length} characters is more than engine.max_payload_mb allows`;
              throw new OrcsError("ORCS2003", why, {});
            }
            if (GATING_POINTS.has(decoded.point)) {
              const inactive = HOSTS[host].noticeDenies ? orcs.inactive : undefined;
              const why = (strict ? orcs.untrusted : undefined) ?? inactive;
              if (why !== undefined) throw new OrcsError("ORCS8001", why);
            }
            if (canRun && environment) expectCarried(environment, orcs);
            const follows = (chain: RunningChain): void => void chains.push(chain);
            const lineage = { traceparent, tracestate, environment, follows };
            return this.#ask(protocol, decoded, orcs, { isOver, parent, lineage, until });
          }),
        limit,
        late,
      );
    } catch (thrown) {
      if (thrown instanceof NotCarried) throw thrown;
      const why =
        thrown instanceof OrcsError ? thrown.message : `orcs failed: ${messageOf(thrown)}`;
      // The rest may be what cannot be read, for example because it is nested too deeply.
      const name = typeof event === "string" ? eventFields(event).name : undefined;
      return this.refuse(host, why, named ?? name);
    }
  }

  async #ask(
    protocol: HostProtocol,
    decoded: DecodedEvent,
    orcs: Orcs,
    { isOver, parent, lineage, until }: Asking,
  ): Promise<HostAnswer> {
    const { changes } = this.#listener;
    changes?.arrived(protocol.name, decoded, parent);
    const hasUser = (): boolean =>
      parent !== undefined && hasUserAt(protocol.name, ancestors(parent));
    const dispatched = await dispatchEvent(orcs, protocol, decoded, lineage);
    const own = await this.#answered(protocol, decoded, dispatched, orcs, { until, hasUser });
    const isAnswered = own !== dispatched;
    const outcome = changes ? changes.decided(protocol.name, decoded, own, isAnswered) : own;
    for (const line of changes?.takeLines() ?? []) await orcs.noted(line);
    // A late response reaches nobody.
    const notice = isOver() ? undefined : noticeOf(protocol, decoded, outcome, orcs);
    const options: HostOptions = { ...orcs.settings.hosts, hasUser, notice };
    const withNotices = isOver()
      ? outcome
      : withModelNotice(protocol, decoded, outcome, orcs, options);
    const answer = protocol.encode(decoded, withNotices, options);
    for (const line of answer.downgrades) this.#logger.warn(`${decoded.event}: ${line}`);
    return answer;
  }

  /** The outcome, after a person has answered it where the settings name somebody besides the agent's own user. */
  async #answered(
    protocol: HostProtocol,
    decoded: DecodedEvent,
    outcome: Outcome,
    orcs: Orcs,
    { until, hasUser }: { readonly until: number; readonly hasUser: () => boolean },
  ): Promise<Outcome> {
    if (outcome.action !== "continue" || outcome.decision !== "ask") return outcome;
    const { answeredOutcome, waitsForSomebody } = await import("../agents/index.ts");
    if (!waitsForSomebody(outcome, decoded.point, orcs)) return outcome;
    const canAsk = getOwn(protocol.events, decoded.event)?.limits?.ask === undefined;
    if (orcs.settings.hil.answer.includes("agent") && canAsk && hasUser()) return outcome;
    return answeredOutcome(protocol.name, outcome, orcs, until, this.#logger);
  }

  /**
   * Await what somebody waits for.
   * @param begin can ask whether anybody still waits
   * @throws OrcsError ORCS7002 when it takes longer than `ms`, or when the gateway gives up
   */
  within<T>(
    begin: (isOver: () => boolean) => Promise<T>,
    ms = MAX_TIMER_MS,
    lateText = () => `its hooks took longer than the ${Math.round(ms)} ms that were left`,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (why: string): void => {
        isOver = true;
        settled();
        reject(new OrcsError("ORCS7002", why));
      };
      const late = (): void => end(lateText());
      // Most requests over the wire have no limit: a timer would cost more than their validation.
      const timer = ms < MAX_TIMER_MS ? setTimeout(late, ms) : undefined;
      const settled = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(end);
      };
      this.#waiting.add(end);
      // Async, so that whatever it throws settles the request as well.
      const begun = async (): Promise<T> => begin(() => isOver);
      void begun().finally(settled).then(resolve, reject);
    });
  }
}

/** Which hook is late, by which limit, and what raises it. */
function lateText(
  chains: readonly RunningChain[],
  ms: number,
  agent: string,
  isAgents: boolean,
): string {
  const spent = `the ${Math.round(ms)} ms that the agent's time limit leaves to hooks`;
  const hook = chains.findLast(({ running }) => running)?.running;
  if (hook === undefined) return `its hooks took longer than ${spent}`;
  const fix = isAgents
    ? `${agent} waits no longer at this event, whatever its settings state: shorten the hook`
    : "run orcs install again, which raises the timeout of the entry (--timeout), or shorten the hook";
  return `hook ${hook.id} took longer than ${spent}; its own timeout_ms is ${hook.timeoutMs}; ${fix}`;
}

/** A configuration may have been loaded since its variables were listed for those who ask. @throws NotCarried */
function expectCarried(environment: Environment, { variables }: Orcs): void {
  const missing = variables.find((name) => !isKnown(environment, name));
  if (missing !== undefined) throw new NotCarried(`${missing} is missing`);
}

/** What the user is told with the response to an event: the notice that is due, and what hooks warn of. */
function noticeOf(
  protocol: HostProtocol,
  decoded: DecodedEvent,
  { warnings = [], ctx }: Outcome,
  orcs: Orcs,
): string | undefined {
  const way = protocol.noticeAt(decoded.event);
  // It counts as shown then. Most engines have no notices.
  const due =
    orcs.notices.length === 0 || way === "none"
      ? undefined
      : orcs.takeNotice(sessionOf(decoded.payload), way === "stderr" ? "stderr" : "shown");
  const { undo_points: count } = ctx.metadata;
  if (warnings.length === 0 && count === undefined) return due;
  const told = warnings.map(({ text }) => text);
  if (typeof count === "number")
    told.push(`${count} undo point${count === 1 ? "" : "s"}: orcs undo --list`);
  return [...(due === undefined ? [] : [due]), ...told].join("; ");
}

/** Points at which context for the model does not decide anything. */
const CONTEXT_POINTS: ReadonlySet<PointName> = new Set<PointName>([
  "session.on_start",
  "prompt.pre_submit",
  "tool.pre_execute",
  "tool.post_execute",
  "tool.on_failure",
]);

/**
 * The outcome with a notice for the model, if one is due and the agent passes on context at this event; it counts as
 * shown then.
 */
function withModelNotice(
  protocol: HostProtocol,
  decoded: DecodedEvent,
  outcome: Outcome,
  orcs: Orcs,
  options: HostOptions,
): Outcome {
  if (orcs.notices.length === 0 || !CONTEXT_POINTS.has(decoded.point)) return outcome;
  const injecting = (text: string): Outcome => ({ ...outcome, inject: [...outcome.inject, text] });
  const { output } = protocol.encode(decoded, injecting(CONTEXT_PROBE), options);
  if (!JSON.stringify(output ?? null).includes(CONTEXT_PROBE)) return outcome;
  const text = orcs.takeNotice(sessionOf(decoded.payload), "model");
  return text === undefined ? outcome : injecting(noticeLine(text));
}

/** Sent to find out whether a response carries context. */
const CONTEXT_PROBE = "orcs-context-probe";

function sessionOf({ session_id: session }: DecodedEvent["payload"]): string | undefined {
  return typeof session === "string" && session !== "" ? session : undefined;
}

/**
 * Run the hooks of an event, and those of each call that its command line makes: all of them can deny the event.
 * @throws OrcsError as `dispatch`
 */
async function dispatchEvent(
  orcs: Orcs,
  protocol: HostProtocol,
  decoded: DecodedEvent,
  lineage: EventLineage,
): Promise<Outcome> {
  let outcome = await dispatched(orcs, decoded, lineage);
  const read: Orcs["shell"] = (line, cwd, options) => orcs.shell(line, cwd, options);
  for (const call of protocol.callsWithin?.(decoded, outcome.ctx.payload, read) ?? []) {
    if (outcome.action !== "continue") break;
    // The result of the event, as its hooks left it.
    const own = getOwn(decoded.payload, "result");
    const result = changed(decoded.payload, outcome.ctx.payload, "result") ?? own;
    const event = { ...call, payload: { ...call.payload, ...stated({ result }) } };
    outcome = joined(outcome, event, await dispatched(orcs, event, lineage));
  }
  return outcome;
}

function dispatched(
  orcs: Orcs,
  { point, payload, component, child }: DecodedEvent,
  lineage: EventLineage,
): Promise<Outcome> {
  return orcs.dispatch(point, payload, { component, child, ...lineage });
}

/** The outcome of an event, with that of a call within it. */
function joined(
  outcome: Outcome & { action: "continue" },
  { payload }: DecodedEvent,
  within: Outcome,
): Outcome {
  const inject = [...outcome.inject, ...within.inject];
  const all = [...(outcome.warnings ?? []), ...(within.warnings ?? [])];
  const warnings = all.length > 0 ? { warnings: all } : {};
  if (within.action !== "continue") return { ...within, ctx: outcome.ctx, inject, ...warnings };
  if (changed(payload, within.ctx.payload, "args") !== undefined) {
    return { ...outcome, inject, ...warnings, action: "abort", ...REWRITTEN };
  }
  const result = changed(payload, within.ctx.payload, "result");
  const ctx =
    result === undefined
      ? outcome.ctx
      : { ...outcome.ctx, payload: { ...outcome.ctx.payload, result } };
  // Who allows a part has not allowed the line.
  const decision = within.decision === "allow" ? undefined : within.decision;
  const isStronger = strongerDecision(outcome.decision, decision) !== outcome.decision;
  const { action: _, ctx: __, inject: ___, trace: ____, warnings: _____, ...decided } = within;
  return { ...outcome, ctx, inject, ...warnings, ...(isStronger && decided) };
}

const REWRITTEN = {
  hook: "orcs:within",
  reason:
    "a hook has changed a patch that stands in a command line, where it cannot be replaced; use apply_patch as a tool",
};
