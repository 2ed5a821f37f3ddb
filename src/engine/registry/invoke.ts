import {
  type Clock,
  type Decision,
  denialError,
  type DispatchIds,
  type HookContext,
  type Injection,
  isPlainObject,
  messageOf,
  operationPoints,
  type Outcome,
  type PointSet,
  type PointSpec,
  resolvePoint,
  setOwn,
  withToJson,
} from "../../core/index.ts";
import type { DispatchOptions, HookRegistry } from "./registry.ts";
import type { Streamed } from "./streams.ts";
import {
  chunksOf,
  collect,
  contentOf,
  lastOf,
  passPieces,
  passSnapshots,
  streamOf,
} from "./streams.ts";

/** The operation between the pre and the post point, called with the payload as the pre hooks left it. */
export type Operation = (payload: Record<string, unknown>, ctx: HookContext) => unknown;

interface Chains {
  readonly inject: readonly Injection[];
  /** One outcome per chain that ran, in order. */
  readonly outcomes: readonly Outcome[];
}

/** Result of an operation. */
export type InvokeOutcome = Chains & { readonly ctx: HookContext } & (
    | { readonly action: "continue"; readonly result: unknown; readonly decision?: Decision }
    | { readonly action: "skip"; readonly result: unknown; readonly hook: string }
    | { readonly action: "abort"; readonly reason: string; readonly hook: string }
  );

/** Decides, after the pre hooks, whether the operation may run; a string denies it with that reason. */
export type Gate = (pre: Outcome) => string | undefined | Promise<string | undefined>;

/** How the result of an operation is passed to its post point, if not as the pre payload with a result. */
export interface InvokeShape {
  /** The payload of the post point, without `elapsed_ms`. After the hooks, its result key is the result. */
  after?(payload: Record<string, unknown>, result: unknown): Record<string, unknown>;
  /** Its post point is only dispatched after success, not when the operation throws. */
  readonly successOnly?: boolean | undefined;
  /** The result of a `skip` or `abort` by a pre hook, if it is to be passed to the post point like any other. */
  settled?(pre: Outcome): { readonly result: unknown } | undefined;
  /**
   * Whether the result is only intermediate, for example a question to the caller; it is passed on without post hooks.
   */
  isInterim?(result: unknown): boolean;
}

/** An operation that ran while nobody looked at it. */
export interface BegunOperation {
  /** When it began, on the engine's clock. */
  readonly started: number;
  /** Its result. @throws what it threw */
  readonly end: () => unknown;
}

type Continued = Extract<Outcome, { action: "continue" }>;

/** What an invocation needs from the engine. */
export interface InvokeHost {
  readonly registry: HookRegistry;
  readonly points: PointSet;
  readonly clock: Clock;
  /** Maximum size of a stream buffered for its post hooks; default 16 MB. */
  readonly maxStreamBytes?: number | undefined;
  /** Aborts the delay before a retry. */
  readonly closing?: AbortSignal | undefined;
}

const DEFAULT_STREAM_BYTES = 16 * 2 ** 20;

interface Points {
  readonly pre: PointSpec;
  readonly post: PointSpec;
  /** Point dispatched when the operation failed, if the family has one. */
  readonly failure: PointSpec | undefined;
}

/**
 * Dispatch pre → the operation → dispatch post, with shared metadata. After a `retry`, wait and start over, up to
 * the limit of the hook. What the operation throws is passed to the failure point (or to the post point, as `error`,
 * which may request a retry) and rethrown.
 *
 * @param name operation, such as `tool.execute`
 * @param begun has run already, when there were no hooks; it takes the place of the first run, from the post point on
 * @throws OrcsError ORCS1005 when the points do not exist; what the operation throws
 */
export async function invoke(
  host: InvokeHost,
  name: string,
  payload: Record<string, unknown>,
  operation: Operation,
  options: DispatchOptions = {},
  gate?: Gate,
  shape: InvokeShape = {},
  begun?: BegunOperation,
): Promise<InvokeOutcome> {
  const points = pointsOf(name, host.points);
  const ids = host.registry.newOperation(payload, options.links);
  const retrying = (): Promise<InvokeOutcome> =>
    withRetries(host, options, ids, (of, outcomes, isFirst) => {
      const round = new Round(host, points, of, outcomes, shape);
      return begun && isFirst ? round.rest(payload, begun) : round.run(payload, operation, gate);
    });
  return ids ? observed(host, name, ids, retrying) : retrying();
}

/** Emit the end of an operation. */
async function observed(
  { registry: { events }, clock }: InvokeHost,
  operation: string,
  ids: DispatchIds,
  run: () => Promise<InvokeOutcome>,
): Promise<InvokeOutcome> {
  const started = clock.now();
  const ended = (end: { outcome: InvokeOutcome } | { error: unknown }): void => {
    const duration_ms = clock.now() - started;
    events.emit("operation_ended", { ...ids, operation, ...end, duration_ms });
  };
  try {
    const outcome = await run();
    ended({ outcome });
    return outcome;
  } catch (error) {
    ended({ error });
    throw error;
  }
}

/** Run rounds until one does not ask for another. */
async function withRetries(
  host: InvokeHost,
  options: DispatchOptions,
  ids: DispatchIds | undefined,
  round: (of: DispatchOptions, outcomes: Outcome[], isFirst: boolean) => Promise<RoundEnd>,
): Promise<InvokeOutcome> {
  const retries = new Map<string, number>();
  const outcomes: Outcome[] = [];
  for (let isFirst = true; ; isFirst = false) {
    const ended = await round(linked(options, ids, isFirst), outcomes, isFirst);
    if (ended.action !== "retry") return ended;
    const refused = await waitForRetry(host, ended, retries, options.signal);
    if (refused !== undefined) {
      const { ctx, inject, hook } = ended;
      return { action: "abort", reason: refused, hook, ctx, inject, outcomes };
    }
  }
}

/** The options of the dispatches of one operation. @param isFirst whether the next dispatch is the first of them */
function linked(
  options: DispatchOptions,
  ids: DispatchIds | undefined,
  isFirst: boolean,
): DispatchOptions {
  if (!ids) return options;
  const { call_id, dispatch_id } = ids;
  const links = { ...options.links, call_id, dispatch_id: isFirst ? dispatch_id : undefined };
  return { ...options, links };
}

type RoundEnd = InvokeOutcome | (Outcome & { action: "retry" });

/** One pass over pre, operation and post. */
class Round {
  readonly #host: InvokeHost;
  readonly #points: Points;
  readonly #options: DispatchOptions;
  readonly #outcomes: Outcome[];
  readonly #shape: InvokeShape;
  #inject: readonly Injection[] = [];
  /** When the operation began. */
  #started = 0;

  constructor(
    host: InvokeHost,
    points: Points,
    options: DispatchOptions,
    outcomes: Outcome[],
    shape: InvokeShape,
  ) {
    this.#host = host;
    this.#points = points;
    this.#options = options;
    this.#outcomes = outcomes;
    this.#shape = shape;
  }

  async run(
    payload: Record<string, unknown>,
    operation: Operation,
    gate: Gate | undefined,
  ): Promise<RoundEnd> {
    const pre = await this.#dispatch(this.#points.pre, payload, this.#options.metadata);
    if (pre.action !== "continue") {
      const settled = pre.action === "retry" ? undefined : this.#shape.settled?.(pre);
      if (!settled) return this.#ended(pre);
      this.#started = this.#host.clock.now();
      return this.#dispatchPost(pre, settled.result);
    }
    const refusal =
      (await gate?.(pre)) ?? (this.#host.closing?.aborted ? "the engine is closed" : undefined);
    if (refusal !== undefined) {
      const denied = { action: "abort", reason: refusal, hook: pre.hook ?? "orcs:gate" } as const;
      return this.#ended({ ...pre, ...denied });
    }
    this.#started = this.#host.clock.now();
    return this.#operated(pre, () => operation(pre.ctx.payload, pre.ctx));
  }

  /** From the end of an operation on, whose pre point had no hooks. */
  rest(payload: Record<string, unknown>, { started, end }: BegunOperation): Promise<RoundEnd> {
    const pre = this.#host.registry.unhooked(this.#points.pre, payload, this.#options);
    this.#outcomes.push(pre);
    this.#started = started;
    return this.#operated(pre, end);
  }

  async #operated(pre: Continued, operation: () => unknown): Promise<RoundEnd> {
    const shape = this.#shape;
    let result: unknown;
    try {
      result = await operation();
    } catch (thrown) {
      if (shape.successOnly) throw thrown;
      return this.#threw(pre, thrown);
    }
    if (shape.isInterim?.(result) === true) return this.#continued(pre, result, pre.ctx);
    const stream = shape.after ? undefined : streamOf(result);
    return stream ? this.#streamed(pre, result, stream) : this.#dispatchPost(pre, result);
  }

  /**
   * A result that is a stream. Without matching post hooks it is returned unchanged. If all hooks accept pieces, they
   * get them while the caller reads. Otherwise it is read to its end and passed to the hooks once.
   */
  async #streamed(pre: Outcome, result: unknown, stream: Streamed): Promise<RoundEnd> {
    const { post } = this.#points;
    const { registry, maxStreamBytes = DEFAULT_STREAM_BYTES } = this.#host;
    const payload = carried(pre.ctx.payload, this.#points);
    const hooks = registry.applying(post.name, payload, this.#options);
    if (hooks.length === 0) return this.#dispatchPost(pre, result);
    const limits = { bytes: maxStreamBytes, chunks: Math.ceil(maxStreamBytes / 16) };
    if (!stream.atOnce && hooks.every((hook) => hook.stream)) {
      const pass = (piece: unknown): Promise<unknown> => this.#passed(pre, piece);
      const pieces = stream.isSnapshots
        ? passSnapshots(stream, pass)
        : passPieces(stream, limits, pass);
      return this.#continued(pre, stream.of(pieces), pre.ctx);
    }
    let chunks: unknown[];
    try {
      chunks = await (stream.isSnapshots ? lastOf(stream) : collect(stream, limits));
    } catch (thrown) {
      return this.#threw(pre, thrown);
    }
    if (stream.isSnapshots) {
      return this.#dispatchPost(pre, chunks[0], (final) => stream.of([final]));
    }
    const content = contentOf(chunks);
    return this.#dispatchPost(pre, content, (final) =>
      final === content
        ? (stream.again?.() ?? stream.of(chunks))
        : stream.of(chunksOf(final, chunks[0])),
    );
  }

  /** A piece of a stream after the post hooks. @throws OrcsError ORCS2001 when a hook denies it */
  async #passed(pre: Outcome, piece: unknown): Promise<unknown> {
    const { post: point } = this.#points;
    const payload = carried(pre.ctx.payload, this.#points);
    this.#time(point, payload);
    setOwn(payload, point.resultKey, piece);
    const post = await this.#dispatch(point, payload, pre.ctx.metadata);
    if (post.action === "continue") return post.ctx.payload[point.resultKey];
    const { hook } = post;
    const reason =
      post.action === "abort"
        ? post.reason
        : `${post.action}, after part of the stream was already delivered`;
    throw denialError("the stream", { hook, reason });
  }

  /** Dispatch the post point with the result of the operation. */
  async #dispatchPost(
    pre: Outcome,
    result: unknown,
    finish: (final: unknown) => unknown = (final) => final,
  ): Promise<RoundEnd> {
    const { post: postPoint } = this.#points;
    const { payload } = pre.ctx;
    const isShaped = this.#shape.after !== undefined;
    const after = this.#shape.after?.(payload, result) ?? carried(payload, this.#points);
    this.#time(postPoint, after);
    const { registry } = this.#host;
    const isHooked = registry.applying(postPoint.name, after, this.#options).length > 0;
    const seen = isHooked && !isShaped ? withToJson(result) : result;
    if (!isShaped) setOwn(after, postPoint.resultKey, seen);
    const post = await this.#dispatch(postPoint, after, pre.ctx.metadata);
    if (post.action !== "continue") return this.#ended(this.#withheld(pre, post));
    let final: unknown = post.ctx.payload[postPoint.resultKey];
    if (final === seen) final = result;
    // The usual form of a tool's failure.
    if (this.#points.failure && isPlainObject(final) && final["ok"] === false) {
      const was = errorIn(final, "the tool returned ok = false");
      const failed = await this.#dispatchFailure(post, was, final);
      const error = errorIn(failed.ctx.payload, was);
      if (error !== was) final = { ...final, error };
    }
    return this.#continued(pre, finish(final), post.ctx);
  }

  /** The operation threw. @throws what it threw; with another message, if a hook wrote one */
  async #threw(pre: Outcome, thrown: unknown): Promise<Outcome & Chains & { action: "retry" }> {
    const was = messageOf(thrown);
    const failed = await this.#dispatchFailure(pre, was);
    if (failed.action === "retry") return this.#ended(failed);
    const error = errorIn(failed.ctx.payload, was);
    if (error === was) throw thrown;
    // An error of its own: the stack and the cause of the other contain its message.
    const told = new Error(error);
    if (thrown instanceof Error) told.name = thrown.name;
    throw told;
  }

  #continued(pre: Outcome, result: unknown, ctx: HookContext): InvokeOutcome {
    const decided = "decision" in pre && pre.decision !== undefined && { decision: pre.decision };
    const chains = { inject: this.#inject, outcomes: this.#outcomes };
    return { action: "continue", result, ...decided, ctx, ...chains };
  }

  /** The outcome of a denied post point; its context must not contain the result either. */
  #withheld<O extends Outcome>(pre: Outcome, post: O): O {
    const withheld = { ...post, ctx: { ...post.ctx, payload: pre.ctx.payload } };
    this.#outcomes[this.#outcomes.length - 1] = withheld;
    return withheld;
  }

  async #dispatch(
    point: PointSpec,
    payload: Record<string, unknown>,
    metadata: Record<string, unknown> | undefined,
  ): Promise<Outcome> {
    const { registry } = this.#host;
    // The operation gets the context too, even if no hook ran.
    registry.tick();
    const { links } = this.#options;
    const outcome = await registry.dispatch(point.name, payload, {
      ...this.#options,
      metadata,
      // Only the first dispatch has the id of the operation.
      ...(links && point !== this.#points.pre && { links: { ...links, dispatch_id: undefined } }),
    });
    this.#outcomes.push(outcome);
    this.#inject = [...this.#inject, ...outcome.inject];
    return outcome;
  }

  #ended<O extends Outcome>(outcome: O): O & Chains {
    return { ...outcome, inject: this.#inject, outcomes: this.#outcomes };
  }

  async #dispatchFailure(last: Outcome, error: string, result?: unknown): Promise<Outcome> {
    const point = this.#points.failure ?? this.#points.post;
    const payload: Record<string, unknown> = { ...carried(last.ctx.payload, this.#points), error };
    this.#time(point, payload);
    if (result !== undefined) setOwn(payload, point.resultKey, result);
    return this.#dispatch(point, payload, last.ctx.metadata);
  }

  /** Say how long the operation took, if the point has a key for it. */
  #time(point: PointSpec, payload: Record<string, unknown>): void {
    if (!isKnown("elapsed_ms", point)) return;
    payload["elapsed_ms"] = Math.round(this.#host.clock.now() - this.#started);
  }
}

/** The payload of the pre point without keys unknown to the post point. */
function carried(
  payload: Readonly<Record<string, unknown>>,
  { pre, post }: Points,
): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...payload };
  for (const key of pre.known.keys()) if (!isKnown(key, post)) delete kept[key];
  return kept;
}

/** A custom point without listed keys may carry any. */
function isKnown(key: string, { known }: PointSpec): boolean {
  return known.size === 0 || known.has(key);
}

/** Wait as requested by a hook. @returns the reason to deny when the limit of retries is exceeded */
async function waitForRetry(
  { clock, closing }: InvokeHost,
  { hook, delay_ms, max_retries, reason }: Extract<Outcome, { action: "retry" }>,
  retries: Map<string, number>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const count = (retries.get(hook) ?? 0) + 1;
  if (count > max_retries) {
    const because = reason === undefined ? "" : `: ${reason}`;
    return `hook ${hook} requested more than ${max_retries} retries${because}`;
  }
  retries.set(hook, count);
  const both = [closing, signal].filter((each) => each !== undefined);
  await clock.sleep(delay_ms, AbortSignal.any(both));
  signal?.throwIfAborted();
  return closing?.aborted ? `the engine was closed while waiting for a retry` : undefined;
}

/** The message of a failure: hooks may have written one into its payload. */
function errorIn({ error }: Readonly<Record<string, unknown>>, otherwise: string): string {
  return typeof error === "string" ? error : otherwise;
}

function pointsOf(operation: string, points: PointSet): Points {
  const names = operationPoints(operation) ?? { pre: operation, post: operation };
  const family = operation.slice(0, operation.indexOf("."));
  return {
    pre: resolvePoint(names.pre, points),
    post: resolvePoint(names.post, points),
    failure: points.get(`${family}.on_failure`),
  };
}
