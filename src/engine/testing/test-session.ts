import type { TestEvent } from "../../config/index.ts";
import { OrcsError, resolvePoint, stated, verdictFor } from "../../core/index.ts";
import type {
  ActionName,
  Decision,
  Injection,
  JsonObject,
  Outcome,
  PointSet,
  PointSpec,
  TraceEntry,
} from "../../core/index.ts";
import type { DispatchOptions, HookRegistry } from "../registry/index.ts";
import type { FakeEnvironment } from "./fake-environment.ts";

/** The result of an event. */
export interface Observed {
  /** The action of the chain; `replace` when a hook replaced the result and the chain went on. */
  readonly action: ActionName;
  /** The hook that acted or decided. */
  readonly hook?: string;
  readonly reason?: string;
  /** `deny` when the operation was denied. */
  readonly decision?: Decision | "deny";
  /** A hook's result in place of the operation; at other than pre points, the result as the hooks left it. */
  readonly result?: unknown;
  readonly delay_ms?: number;
  /** As the hooks left it. */
  readonly payload: JsonObject;
  readonly metadata: JsonObject;
  readonly inject: readonly Injection[];
  /** Why hooks failed, one line each. */
  readonly error?: string;
  /** Lines logged during the event, as `level: message`; output of scripts is `output: text`. */
  readonly logs: readonly string[];
}

/** A result, and the trace of each hook. */
export interface Watched {
  readonly observed: Observed;
  readonly trace: readonly TraceEntry[];
}

/** Hooks under test. */
export class TestSession {
  readonly registry: HookRegistry;
  readonly #points: PointSet;
  readonly #world: () => FakeEnvironment;
  readonly #unload: () => void;

  /** @param world returns the environment of the current test */
  constructor(
    registry: HookRegistry,
    points: PointSet,
    world: () => FakeEnvironment,
    unload: () => void,
  ) {
    this.registry = registry;
    this.#points = points;
    this.#world = world;
    this.#unload = unload;
  }

  /** The only point of the hooks. */
  get point(): PointSpec | undefined {
    const [first, ...rest] = this.registry.list().map(({ point }) => point);
    return rest.every((point) => point === first) ? first : undefined;
  }

  /**
   * Dispatch an event in the environment of the current test.
   * @param own the point of an event that names none; default: the only point of the hooks
   * @throws OrcsError ORCS1013 (no point), ORCS1010 and ORCS2003 for an invalid event
   */
  async dispatch(event: TestEvent, own?: PointSpec): Promise<Watched> {
    const point = event.point ?? own ?? this.point;
    if (!point) {
      const why = "the event has no point, but the hooks are at several points";
      throw new OrcsError("ORCS1013", why);
    }
    const { component, child, instance, metadata, nowMs } = event;
    if (nowMs !== undefined) this.#world().clock.set(nowMs);
    const options = { component, child, instance, metadata };
    return this.dispatchAt(point.event ?? point.name, payloadAt(point, event.payload), options);
  }

  /**
   * As `dispatch`, with the arguments of a program.
   * @throws OrcsError ORCS1005 (unknown point), ORCS1010, ORCS2003
   */
  async dispatchAt(
    name: string,
    payload: JsonObject,
    options: Pick<DispatchOptions, "component" | "child" | "instance" | "metadata">,
  ): Promise<Watched> {
    const point = resolvePoint(name, this.#points);
    const world = this.#world();
    const begun = world.logs.length;
    // Hooks can write to the metadata, so they get a copy.
    const given = { ...options, metadata: structuredClone(options.metadata) };
    const outcome = await this.registry.dispatch(name, payload, given);
    return { observed: observedOf(outcome, point, world, begun), trace: outcome.trace ?? [] };
  }

  /** Wait for asynchronous hooks; none runs after that. */
  async settle(): Promise<void> {
    await this.registry.drain(1000);
  }

  close(): void {
    this.#unload();
  }
}

/** As on the command line: `tool` names the tool, and arguments can be left out. */
function payloadAt(point: PointSpec, written: JsonObject): JsonObject {
  const payload = structuredClone(written);
  if (!point.known.has("tool_name")) return payload;
  const { tool, ...rest } = payload;
  const named = rest["tool_name"] === undefined && tool !== undefined;
  return { ...(named ? { tool_name: tool } : {}), args: {}, ...(named ? rest : payload) };
}

function observedOf(
  outcome: Outcome,
  point: PointSpec,
  world: FakeEnvironment,
  begun: number,
): Observed {
  const { ctx, trace = [], inject } = outcome;
  const payload = ctx.payload as JsonObject;
  const failures = trace.filter(({ status }) => status === "failed" || status === "timed_out");
  const isLegal = verdictFor(point, "replace") === "legal";
  const replaced = isLegal ? trace.findLast(({ action }) => action === "replace")?.id : undefined;
  const has = replaced !== undefined || (point.phase !== "pre" && point.resultKey in payload);
  return {
    action: outcome.action === "continue" && replaced !== undefined ? "replace" : outcome.action,
    ...(replaced !== undefined && { hook: replaced }),
    ...(has && { result: payload[point.resultKey] }),
    ...observedDecision(outcome),
    payload,
    metadata: ctx.metadata as JsonObject,
    inject,
    ...(failures.length > 0 && {
      error: failures.map(({ id, reason }) => `${id}: ${reason ?? ""}`).join("\n"),
    }),
    get logs() {
      // Asynchronous hooks add their lines later.
      return world.logs.slice(begun);
    },
  };
}

function observedDecision(outcome: Outcome): Partial<Observed> {
  switch (outcome.action) {
    case "abort":
      return { hook: outcome.hook, reason: outcome.reason, decision: "deny" };
    case "skip":
      return { hook: outcome.hook, result: outcome.result };
    case "retry": {
      const { hook, delay_ms, reason } = outcome;
      return stated<string | number>({ hook, delay_ms, reason });
    }
    case "continue": {
      const { hook, reason, decision } = outcome;
      return stated({ hook, reason, decision });
    }
  }
}
