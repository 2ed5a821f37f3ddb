import {
  type AgentRule,
  compileFql,
  DEFAULT_MAX_RETRIES,
  DEFAULT_PRIORITY,
  DEFAULT_TIMEOUT_MS,
  formatFql,
  type CallReader,
  type Hook,
  type HookLimit,
  type HookMode,
  type HookOptions,
  type HookRunner,
  isRolledOut,
  type MatchSpec,
  OrcsError,
  parseFql,
  type PayloadMatcher,
  type PointSet,
  type PointSpec,
  type Rank,
  shownUnder,
  type SourcePlace,
  weakestMode,
} from "../../core/index.ts";
import { compileMatcher, type MatchDeps } from "../../matching/index.ts";

/** Where a hook comes from. */
export interface HookOrigin {
  readonly origin: string;
  readonly rank?: Rank;
  readonly source?: SourcePlace | undefined;
  /** SHA-256 of what it runs. */
  readonly digest?: string | undefined;
  readonly table?: SourcePlace | undefined;
  readonly limit?: HookLimit | undefined;
  readonly agents?: AgentRule | undefined;
  /** Its mode cannot be stronger than this. */
  readonly modeLimit?: HookMode | undefined;
  /** Its place among the hooks of its configuration, from 0 to 1, if they are not registered together. */
  readonly order?: number | undefined;
}

/** What compiling a hook needs to know of its context. */
export interface DefineContext extends MatchDeps {
  readonly effects: CallReader;
  readonly points: PointSet;
  /** The engine's own agent, for payloads that name none. Without it, hooks run for every agent. */
  readonly agent?: { readonly name: string | undefined };
}

/**
 * A hook with everything parsed and compiled.
 * @throws OrcsError ORCS1011 (FQL), ORCS1012 (pattern), ORCS1004 (a number out of range).
 */
export function compileHook(
  id: string,
  point: PointSpec,
  options: HookOptions,
  runner: HookRunner,
  from: HookOrigin,
  context: DefineContext,
): Hook {
  const { fql, appliesTo } = options.fql === undefined ? EVERYWHERE : compiled(options.fql);
  const { agents } = from;
  const written = point.event === undefined ? options.match : ofEvent(id, point, options.match);
  const mode = weakestMode(options.mode, from.modeLimit);
  const { rollout } = options;
  if (rollout !== undefined && !(rollout >= 0 && rollout <= 100)) {
    throw outOfRange(id, "rollout", rollout);
  }
  const match = written && Object.keys(written).length > 0 ? written : undefined;
  return {
    id,
    point: point.event === undefined ? point : (context.points.get(point.name) ?? point),
    fql,
    appliesTo,
    match,
    matcher: forSessions(
      rollout,
      forAgents(agents, match && compileMatcher(match, context), context),
    ),
    ...(agents && { agents }),
    rank: from.rank ?? 0,
    priority: checked(id, "priority", options.priority ?? DEFAULT_PRIORITY, -Infinity),
    enabled: options.enabled ?? true,
    timeoutMs: checked(id, "timeoutMs", options.timeoutMs ?? DEFAULT_TIMEOUT_MS, 1),
    maxRetries: checked(id, "maxRetries", options.maxRetries ?? DEFAULT_MAX_RETRIES, 0),
    onError: options.onError,
    onTimeout: options.onTimeout,
    ...(options.onStoreError !== undefined && { onStoreError: options.onStoreError }),
    once: options.once ?? false,
    async: options.async ?? false,
    observe: options.observe ?? false,
    stream: options.stream ?? false,
    source: from.source,
    origin: from.origin,
    ...(from.digest !== undefined && { digest: from.digest }),
    ...(from.table !== undefined && { table: from.table }),
    ...(from.limit && { limit: from.limit }),
    ...(mode !== "enforce" && { mode }),
    ...(options.shadowEffects && { shadowEffects: true }),
    ...(rollout !== undefined && { rollout }),
    ...(from.order !== undefined && { order: from.order }),
    runner,
  };
}

/** The conditions of a hook at a point that is restricted to one event. */
function ofEvent(id: string, { event, name }: PointSpec, match: MatchSpec = {}): MatchSpec {
  if (match.event === undefined) return { ...match, ...(event !== undefined && { event }) };
  const why = `hook ${id}: match.event is set, but the point ${event} already is one event; write point = "${name}"`;
  throw new OrcsError("ORCS1017", why, { id, key: "event" });
}

/** The matcher of a hook that does not run for all agents. */
function forAgents(
  rule: AgentRule | undefined,
  inner: PayloadMatcher | undefined,
  { agent }: DefineContext,
): PayloadMatcher | undefined {
  if (!rule || !agent) return inner;
  const { only, except = [], known } = rule;
  const applies = (payload: Payload): boolean => {
    const id = shownUnder(payload, "agent_id");
    const who = typeof id === "string" && known.includes(id) ? id : agent.name;
    return only === undefined ? who === undefined || !except.includes(who) : who === only;
  };
  return { ...inner, failing: (of) => (applies(of) ? inner?.failing(of) : "agent") };
}

type Payload = Readonly<Record<string, unknown>>;

/** The matcher of a hook that does not run in all sessions. */
function forSessions(
  percent: number | undefined,
  inner: PayloadMatcher | undefined,
): PayloadMatcher | undefined {
  if (percent === undefined || percent >= 100) return inner;
  const applies = (of: Payload): boolean => isRolledOut(percent, shownUnder(of, "session_id"));
  return { ...inner, failing: (of) => (applies(of) ? inner?.failing(of) : "rollout") };
}

/** What a hook applies to, read once for all that do not say. */
const EVERYWHERE = compiled("*::*");

function compiled(fql: string): Pick<Hook, "fql" | "appliesTo"> {
  const pattern = parseFql(fql);
  return { fql: formatFql(pattern), appliesTo: compileFql(pattern) };
}

function checked(id: string, key: string, value: number, least: number): number {
  // Node's timers hold 31 bits; a longer one would fire at once.
  if (Number.isFinite(value) && value >= least && value <= 2 ** 31 - 1) return value;
  throw outOfRange(id, key, value);
}

function outOfRange(id: string, key: string, value: number): OrcsError {
  return new OrcsError("ORCS1004", `hook ${id}: ${key} is ${value}, out of range`, { id, key });
}
