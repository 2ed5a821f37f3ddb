import { POINT_TABLE } from "../../src/core/point-table.ts";
import type { Json } from "../../src/core/json.ts";

/**
 * A naive model of design.md §4: whole copies instead of drafts and journals, filter and sort instead of
 * snapshots, one plain loop. It shares no code with the registry; of the table of points it reads the data.
 */

type Any = any;

/** One write to the context; undefined removes. */
export interface Write {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What a hook does and answers, as data that both the model and a real handler can carry out. */
export interface Plan {
  readonly id: string;
  readonly point: string;
  readonly fql: string;
  /** Tool names separated by `|`. */
  readonly tool: string | undefined;
  readonly rank: 0 | 1;
  readonly priority: number;
  readonly enabled: boolean;
  readonly once: boolean;
  readonly onError: "open" | "closed" | undefined;
  readonly onTimeout: "open" | "closed" | undefined;
  readonly writes: readonly Write[];
  /** Throws after its writes, or never answers. */
  readonly ends: "answers" | "throws" | "hangs";
  readonly answer: unknown;
  /** What the answer means by the design; undefined when it makes no sense. */
  readonly means: Meaning | undefined;
}

export interface Meaning {
  readonly action: "continue" | "skip" | "abort" | "replace" | "retry";
  readonly decision?: "allow" | "ask" | "defer" | undefined;
  readonly reason?: string | undefined;
  readonly inject?: readonly string[] | undefined;
  readonly stop?: boolean | undefined;
  readonly result?: Json | undefined;
  readonly delay_ms?: number | undefined;
}

export interface Call {
  readonly point: string;
  readonly payload: Record<string, Json>;
  readonly metadata: Record<string, Json>;
  readonly component: string;
  readonly child: string | undefined;
  readonly instance: string | undefined;
  readonly depth: number;
}

export interface Engine {
  readonly maxDepth: number;
  readonly onError: "open" | "closed" | undefined;
}

/** An outcome as the tests compare it. */
export interface Expected {
  action: string;
  decision?: string | undefined;
  reason?: string | undefined;
  hook?: string | undefined;
  result?: Json | undefined;
  delay_ms?: number | undefined;
  inject: string[];
  payload: unknown;
  metadata: unknown;
  /** `id status`, and the failing condition or the action. */
  trace: string[];
  /** Hooks that warned. */
  warned: string[];
  /** Hooks with `once` that have run. */
  gone: string[];
}

export const PHASES: Record<string, "pre" | "post" | "on" | "question"> = {
  "test.pre_run": "pre",
  "test.post_run": "post",
  "test.on_fact": "on",
  "test.on_ask": "question",
  "tool.pre_execute": "pre",
  "tool.post_execute": "post",
  "tool.on_failure": "on",
  "tool.on_list": "question",
  "llm.post_generate": "post",
  "prompt.pre_submit": "pre",
};

export function expectedOutcome(plans: readonly Plan[], call: Call, engine: Engine): Expected {
  const kind = PHASES[call.point];
  const hooks = plans
    .map((plan, order) => ({ plan, order }))
    .filter(({ plan }) => plan.point === call.point)
    .sort(
      (a, b) => a.plan.rank - b.plan.rank || a.plan.priority - b.plan.priority || a.order - b.order,
    )
    .map(({ plan }) => plan);
  let ctx: Any = contextOf(call, engine);
  const trace: string[] = [];
  const warned: string[] = [];
  const gone: string[] = [];
  const inject: string[] = [];
  let decided: { decision: string; reason: string | undefined; hook: string } | undefined;
  const ending = (end: Partial<Expected> & { action: string }, at: number): Expected => ({
    ...end,
    inject,
    payload: ctx.payload,
    metadata: ctx.metadata,
    trace: [...trace, ...hooks.slice(at).map(({ id }) => `${id} not_reached`)],
    warned,
    gone,
  });

  if (call.depth >= engine.maxDepth) {
    return kind === "pre"
      ? ending(
          {
            action: "abort",
            hook: "orcs:max_depth",
            reason: `hooks are nested ${call.depth} levels deep; the limit is ${engine.maxDepth}`,
          },
          0,
        )
      : ending({ action: "continue" }, 0);
  }
  let again: number | undefined;
  for (let i = 0; i < hooks.length; i++) {
    const plan = hooks[i] as Plan;
    if (!plan.enabled || gone.includes(plan.id)) {
      trace.push(`${plan.id} disabled`);
      continue;
    }
    if (!fqlMatches(plan.fql, call)) {
      trace.push(`${plan.id} not_matched fql`);
      continue;
    }
    if (plan.tool !== undefined && !plan.tool.split("|").includes(String(ctx.payload.tool_name))) {
      trace.push(`${plan.id} not_matched tool`);
      continue;
    }
    if (plan.once) gone.push(plan.id);
    const after = run(plan, ctx, kind);
    if (after.failed) {
      trace.push(`${plan.id} ${after.failed}`);
      // Who meant to deny and misspelt it does not let pass, whatever the engine says.
      const otherwise = after.denies ? "closed" : engine.onError;
      const own = plan.onError ?? otherwise ?? (kind === "pre" ? "closed" : "open");
      const mode = after.failed === "timed_out" ? (plan.onTimeout ?? own) : own;
      if (mode === "open") continue;
      return ending({ action: "abort", hook: plan.id, reason: `hook ${plan.id} failed: …` }, i + 1);
    }
    const isRewritten = JSON.stringify(after.ctx.payload) !== JSON.stringify(ctx.payload);
    if (isRewritten && plan.rank === 1 && kind === "pre" && again === undefined) {
      // A project's hook has rewritten what the user's have passed: they look again.
      again = hooks.length;
      hooks.push(...hooks.filter(({ rank }) => rank === 0));
    }
    ctx = after.ctx;
    const { action, decision, reason, stop, result, delay_ms } = after.means;
    trace.push(`${plan.id} ran ${action}`);
    if (action === "skip") return ending({ action, result, hook: plan.id }, i + 1);
    if (action === "abort") return ending({ action, reason, hook: plan.id }, i + 1);
    if (action === "retry") return ending({ action, delay_ms, hook: plan.id }, i + 1);
    if (action === "replace" && (kind === "pre" || kind === "on")) warned.push(plan.id);
    inject.push(...(after.means.inject ?? []));
    const order = [undefined, "allow", "ask", "defer"];
    if (decision && order.indexOf(decision) > order.indexOf(decided?.decision))
      decided = { decision, reason, hook: plan.id };
    if (stop && again !== undefined && i < again) {
      trace.push(...hooks.slice(i + 1, again).map(({ id }) => `${id} not_reached`));
      i = again - 1;
    } else if (stop) return ending({ action: "continue", ...decided }, i + 1);
  }
  return ending({ action: "continue", ...decided }, hooks.length);
}

/** The context a hook starts with. */
function contextOf(call: Call, engine: Engine): Any {
  const payload: Any = structuredClone(call.payload);
  if (payload.tool_name !== undefined && payload.tool === undefined)
    payload.tool = payload.tool_name;
  pairPrompt(call.point, payload);
  return {
    hook_point: call.point,
    component_id: call.component,
    channel_id: "main",
    principal: { type: "Host", id: "main" },
    timestamp_ms: 0,
    payload,
    metadata: structuredClone(call.metadata),
    depth: call.depth,
    max_depth: engine.maxDepth,
  };
}

/** At the point of prompts, the prompt has two keys. No hook here writes the other one. */
function pairPrompt(point: string, payload: Any): void {
  if (point !== "prompt.pre_submit" || !isObject(payload)) return;
  if (payload.prompt === undefined) delete payload.user_prompt;
  else payload.user_prompt = payload.prompt;
}

/** Run one hook on a whole copy of the context. */
function run(
  plan: Plan,
  before: Any,
  kind: string | undefined,
):
  | { failed: "failed" | "timed_out"; denies?: boolean }
  | { failed?: never; ctx: Any; means: Meaning } {
  const ctx = structuredClone(before);
  try {
    write(ctx, plan.writes);
    pairPrompt(ctx.hook_point, ctx.payload);
  } catch {
    return { failed: "failed" };
  }
  if (plan.ends === "throws") return { failed: "failed" };
  if (plan.ends === "hangs") return { failed: "timed_out" };
  const { means } = plan;
  if (!means) {
    // What it wrote is read before its answer is.
    const canDeny = (kind === "pre" || kind === "post") && isJson(ctx);
    return { failed: "failed", denies: canDeny && meansDenial(plan.answer) };
  }
  const illegal: Record<string, string[]> = {
    pre: [],
    post: ["skip"],
    on: ["skip", "abort", "retry"],
    question: ["skip", "abort", "retry"],
  };
  if (illegal[kind ?? ""]?.includes(means.action)) return { failed: "failed" };
  if (means.decision && kind !== "pre") return { failed: "failed" };
  if (means.action === "replace" && (kind === "post" || kind === "question")) {
    // What the hook wrote must fit by itself: the result is written by the chain, after it.
    if (!fits(before, ctx)) return { failed: "failed" };
    ctx.payload[resultKey(ctx.hook_point)] = structuredClone(means.result);
  }
  return fits(before, ctx) ? { ctx, means } : { failed: "failed" };
}

/** Write as a handler would; a path through what is no container throws. */
export function write(ctx: Any, writes: readonly Write[]): void {
  for (const { path, value } of writes) {
    let at = ctx;
    for (const part of path.slice(0, -1)) at = at[part];
    const last = path.at(-1) as string;
    // A string would swallow the write, and a list has no such keys; lists have a property test of their own.
    if (!isObject(at)) throw new TypeError("not an object");
    if (value === undefined) delete at[last];
    else at[last] = copyOf(value);
  }
}

/** A copy of lists and plain objects, whatever they hold: no two writes may share one. */
export function copyOf(value: Any): Any {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).map((key) => [key, copyOf(value[key])]));
}

function fits(before: Any, after: Any): boolean {
  const rest = (ctx: Any): Any =>
    Object.fromEntries(
      Object.entries(ctx).filter(([key]) => !["payload", "metadata"].includes(key)),
    );
  if (!isJson(rest(after))) return false;
  if (JSON.stringify(rest(before)) !== JSON.stringify(rest(after))) return false;
  if (!isObject(after.payload) || !isObject(after.metadata)) return false;
  if (!isJson(after.payload) || !isJson(after.metadata)) return false;
  const rows: Record<string, { keys: Record<string, Any> } | undefined> = POINT_TABLE;
  for (const [key, spec] of Object.entries(rows[after.hook_point]?.keys ?? {})) {
    const value = after.payload[key];
    if (spec.fixed && value !== before.payload[key]) return false;
    if (value === undefined || value === null) {
      if (spec.required) return false;
    } else if (!isOfKind(value, spec.kind)) {
      return false;
    }
  }
  return true;
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === "any") return true;
  if (kind === "object") return isObject(value);
  if (kind === "list") return Array.isArray(value);
  if (kind === "strings") return Array.isArray(value) && value.every((v) => typeof v === "string");
  if (kind === "integer") return Number.isInteger(value);
  return typeof value === kind;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isJson(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isJson);
  return value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
}

function resultKey(point: string): string {
  const rows: Record<string, object | undefined> = POINT_TABLE;
  const { result = "result" } = (rows[point] ?? {}) as { result?: string };
  return result;
}

function fqlMatches(fql: string, call: Call): boolean {
  const [, scope, target, child, instance] =
    /^(.+?)::([^/#]+)(?:\/([^#]+))?(?:#(.+))?$/.exec(fql) ?? [];
  const [namespace, name] = call.component.split("::");
  if (scope !== "*" && scope !== namespace) return false;
  if (target !== "*" && target !== name) return false;
  if (
    instance !== undefined &&
    (call.instance === undefined || !(instance === "*" || instance === call.instance))
  ) {
    return false;
  }
  if (child === undefined) return true;
  if (call.child === undefined) return false;
  // `*` is one level, a last `*` one level or more.
  const regex = child
    .split("/")
    .map((part, i, all) => (part === "*" ? (i === all.length - 1 ? ".+" : "[^/]+") : part))
    .join("/");
  return new RegExp(`^${regex}$`).test(call.child);
}

/** Whether an answer names a denial. */
function meansDenial(answer: unknown): boolean {
  const { action, decision } = (answer ?? {}) as { action?: unknown; decision?: unknown };
  const words = ["abort", "deny", "denied", "block", "reject", "refuse"];
  return [action, decision].some((word) => words.includes(String(word).toLowerCase()));
}
