import { setTimeout as pause } from "node:timers/promises";
import { denialError, ERROR_CODES, messageOf, OrcsError } from "../../core/index.ts";
import type { ErrorCode, Injection, Json, JsonObject } from "../../core/index.ts";
import type { OperationName, WireAnswer, WireRequest } from "../wire/operations.ts";
import { type Connection, ConnectionLost, NoAnswer, type Received } from "./connection.ts";
import { type CallerFields, callerFields, findService, type ServicePlace } from "./find-service.ts";
import { HttpConnection } from "./http-connection.ts";
import { SocketConnection } from "./socket-connection.ts";

export type { ServicePlace } from "./find-service.ts";

/** The result of `dispatch` and `explain`. */
export type Outcome = WireAnswer<"dispatch">;
/** The result of `state`. */
export type ServiceState = WireAnswer<"state">;
/** What `events` gives. */
export type EventBatch = WireAnswer<"events">;

/** Options of a client. */
export interface ClientOptions extends ServicePlace {
  /** Default: the socket. */
  readonly transport?: "socket" | "http" | undefined;
  /** Time limit of a request in milliseconds, with everything that it waits for; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How long a request waits for a service that was there and is gone, in milliseconds; default 5,000. */
  readonly reconnectMs?: number | undefined;
  /** What happens without an answer of the service; default `"deny"`. */
  readonly unavailable?: "deny" | "allow" | undefined;
}

/** Options of a dispatch. */
export type DispatchOptions = Omit<WireRequest<"dispatch">, "point" | "payload">;
/** Options of a tool call. */
export type InvokeOptions = Omit<WireRequest<"invoke">, "tool" | "args">;

/** The end of a tool call: its result, or who denied it and why. */
export type InvokeResult =
  | { readonly ok: true; readonly result: Json; readonly inject: readonly Injection[] }
  | {
      readonly ok: false;
      readonly denied: { readonly hook: string; readonly reason: string };
      readonly inject: readonly Injection[];
    };

/** Runs a tool with the arguments as the hooks left them. */
export type RunTool = (args: JsonObject) => Json | Promise<Json>;

/** Versions of the protocol that this client speaks. */
const VERSIONS = [1];
/** The hook of a denial that no hook has made. */
const NOBODY = "orcs:client";
/** Codes after which the request is sent again: no hook has run, and another service or connection may answer. */
const AGAIN: readonly string[] = ["ORCS7017", "ORCS7018"];
const PAUSE_MS = 25;

/**
 * A client of the service, for programs that do not load the engine. It connects at the first request, and again when
 * the service was started again. Without an answer, everything is denied, with the reason.
 */
export class OrcsClient {
  readonly #options: ClientOptions;
  #connection: Promise<Connection> | undefined;
  #wasConnected = false;
  #fields: CallerFields | undefined;
  readonly #streams = new Set<Connection>();
  #isClosed = false;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
  }

  /**
   * Run the hooks of a point. Without an answer: `abort`, by the hook `orcs:client`.
   * @throws OrcsError for a request that is invalid: ORCS1005, ORCS1010, ORCS2003, ORCS7014
   */
  async dispatch(
    point: string,
    payload: JsonObject,
    options: DispatchOptions = {},
  ): Promise<Outcome> {
    try {
      const outcome = await this.#ask("dispatch", { ...options, point, payload }, true);
      if (!ACTIONS.includes(outcome.action)) throw unreadable("dispatch");
      return outcome;
    } catch (thrown) {
      const reason = this.#whyUnavailable(thrown);
      const rest = { payload, metadata: options.metadata ?? {}, inject: [], trace: [] };
      if (reason === undefined) return { action: "continue", ...rest };
      return { action: "abort", hook: NOBODY, reason, ...rest };
    }
  }

  /**
   * Run a tool between its hooks. Without an answer it does not run; if the service was lost while it ran, its result
   * is passed to the post hooks of the next service.
   * @throws OrcsError for a request that is invalid; what the tool throws
   */
  async invoke(
    tool: string,
    args: JsonObject,
    run: RunTool,
    options: InvokeOptions = {},
  ): Promise<InvokeResult> {
    let step: WireAnswer<"invoke">;
    try {
      step = await this.#ask("invoke", { ...options, tool, args }, true);
      if (!STATUSES.includes(step.status)) throw unreadable("invoke");
    } catch (thrown) {
      const reason = this.#whyUnavailable(thrown);
      if (reason === undefined) return { ok: true, result: await run(args), inject: [] };
      return denied(NOBODY, reason);
    }
    while (step.status === "run") {
      const running = step;
      const started = performance.now();
      const end = await endOf(run, step.args);
      const elapsedMs = Math.round(performance.now() - started);
      try {
        const { call } = running;
        const reported = "thrown" in end ? { error: messageOf(end.thrown) } : end;
        const next: WireAnswer<"result"> = await this.#ask("result", { call, ...reported });
        if (!STATUSES.includes(next.status)) throw unreadable("result");
        if (next.status === "failed" && "thrown" in end)
          throw new ToolError(told(end.thrown, next.message));
        step = next;
      } catch (thrown) {
        if (thrown instanceof ToolError) throw thrown.cause;
        if (thrown instanceof OrcsError && thrown.code === "ORCS7016") {
          return this.#afterRestart({ tool, options, step: running, end, elapsedMs });
        }
        const reason = this.#whyUnavailable(thrown);
        if (reason !== undefined) return denied(NOBODY, reason);
        if ("thrown" in end) throw end.thrown;
        return { ok: true, result: end.result, inject: [] };
      }
    }
    if (step.status === "done") return { ok: true, result: step.result, inject: step.inject };
    if (step.status === "denied") return denied(step.hook, step.reason, step.inject);
    throw new OrcsError("ORCS7002", step.message);
  }

  /**
   * Wrap a function with hooks around each call. It throws OrcsError ORCS2001 when a call is denied.
   * @param run gets its argument as the hooks left it
   */
  governed<Args extends JsonObject, Result extends Json>(
    tool: string,
    run: (args: Args) => Result | Promise<Result>,
    options?: InvokeOptions,
  ): (args: Args) => Promise<Result> {
    return async (args) => {
      const ended = await this.invoke(tool, args, (after) => run(after as Args), options);
      if (ended.ok) return ended.result as Result;
      throw denialError(tool, ended.denied, { tool });
    };
  }

  /** As `dispatch`, with a trace that says what every hook did. @throws OrcsError also without an answer */
  explain(point: string, payload: JsonObject, options: DispatchOptions = {}): Promise<Outcome> {
    return this.#ask("explain", { ...options, point, payload }, true);
  }

  /** The active hooks, and the value of a key of `orcs.state`. @throws OrcsError also without an answer */
  state(key?: string): Promise<ServiceState> {
    return this.#ask("state", key === undefined ? {} : { key });
  }

  /**
   * The whole of a dispatch that came as a summary, while that stream is open; undefined when it is not kept any more.
   * @throws OrcsError also without an answer
   */
  async event(dispatch_id: string): Promise<EventBatch["events"][number] | undefined> {
    const { event } = await this.#ask("event", { dispatch_id });
    return event;
  }

  /**
   * What hooks do from now on. The first batch is empty, and comes when the service listens.
   * @param options with `brief`, dispatches that passed come as summaries; `event` gives the rest
   * @throws OrcsError at the end: ORCS7018 when the service ends; ORCS7002, ORCS7017, ORCS7019
   */
  async *events(options: WireRequest<"events"> = {}): AsyncGenerator<EventBatch, void> {
    // A connection of its own: it may be read slowly.
    const connection = await this.#open(this.#options.timeoutMs ?? TIMEOUT_MS).catch(asOrcsError);
    this.#streams.add(connection);
    try {
      for await (const batch of connection.follow(options)) yield answerOf(batch) as EventBatch;
    } catch (thrown) {
      asOrcsError(thrown);
    } finally {
      this.#streams.delete(connection);
      connection.close();
    }
  }

  /** Close the connection. Requests without an answer are denied. */
  close(): void {
    this.#isClosed = true;
    this.#disconnect();
    for (const stream of this.#streams) stream.close();
  }

  /** The result for the post hooks of a service that does not know the call. */
  async #afterRestart({ tool, options, step, end, elapsedMs }: LostCall): Promise<InvokeResult> {
    const { session_id, agent_id, tool_use_id, cwd, tool_ms: _, metadata: __, ...rest } = options;
    const caller = { session_id, agent_id, tool_use_id, cwd };
    const payload = JSON.parse(
      JSON.stringify({ ...caller, tool_name: tool, args: step.args, elapsed_ms: elapsedMs }),
    ) as JsonObject;
    const scope = { ...rest, metadata: step.metadata };
    if ("thrown" in end) {
      const error = messageOf(end.thrown);
      const failed = await this.dispatch("tool.on_failure", { ...payload, error }, scope);
      throw told(end.thrown, failed.payload["error"]);
    }
    const { result } = end;
    const outcome = await this.dispatch("tool.post_execute", { ...payload, result }, scope);
    const { inject } = outcome;
    if (outcome.action === "continue") {
      return { ok: true, result: outcome.payload["result"] ?? null, inject };
    }
    const reason =
      outcome.reason ?? `${outcome.action}, and the service was started again meanwhile`;
    return denied(outcome.hook ?? NOBODY, reason, inject);
  }

  /** @param runsHooks whether it runs hooks for this process @throws OrcsError */
  async #ask<Name extends OperationName>(
    op: Name,
    fields: WireRequest<Name>,
    runsHooks = false,
  ): Promise<WireAnswer<Name>> {
    const { timeoutMs = TIMEOUT_MS, reconnectMs = RECONNECT_MS } = this.#options;
    const began = performance.now();
    const left = (): number => timeoutMs - (performance.now() - began);
    let lostAt: number | undefined;
    for (;;) {
      try {
        const connection = await this.#connected(left());
        const sent = runsHooks ? { ...this.#fields?.(), ...fields } : fields;
        const answer = await connection.request(op, sent, Math.max(1, left()));
        if (answer.ok || !AGAIN.includes(answer.code)) return answerOf(answer) as WireAnswer<Name>;
        this.#disconnect();
        throw new ConnectionLost(answer.message);
      } catch (thrown) {
        if (thrown instanceof ConnectionLost) this.#disconnect();
        const isGone =
          thrown instanceof ConnectionLost ||
          (thrown instanceof OrcsError && thrown.code === "ORCS7019");
        lostAt ??= performance.now();
        const waited = performance.now() - lostAt;
        const mayReturn = this.#wasConnected && waited < reconnectMs && left() > PAUSE_MS;
        if (!isGone || !mayReturn || this.#isClosed) asOrcsError(thrown);
      }
      await pause(PAUSE_MS);
    }
  }

  #connected(withinMs: number): Promise<Connection> {
    if (this.#isClosed) throw new OrcsError("ORCS7019", "this client is closed");
    if (!this.#connection) {
      this.#connection = this.#open(withinMs);
      this.#connection.catch(() => this.#disconnect());
    }
    return this.#connection;
  }

  async #open(withinMs: number): Promise<Connection> {
    const at = findService(this.#options);
    const { port, token, key, socket } = at;
    if (this.#options.transport === "http" && (port === undefined || token === undefined)) {
      throw new OrcsError("ORCS7019", "the service does not listen for HTTP: set serve.port");
    }
    const connection =
      this.#options.transport === "http"
        ? new HttpConnection({ port: port ?? 0, token: token ?? "" })
        : await SocketConnection.open(socket);
    try {
      const hello = { versions: VERSIONS, key };
      const { v } = answerOf(await connection.request("hello", hello, Math.max(1, withinMs)));
      if (typeof v !== "number" || !VERSIONS.includes(v)) {
        throw new OrcsError("ORCS7015", `the service wants version ${JSON.stringify(v)}`);
      }
    } catch (thrown) {
      connection.close();
      throw thrown;
    }
    this.#wasConnected = true;
    this.#fields = callerFields(at);
    return connection;
  }

  #disconnect(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.then(
      (each) => each.close(),
      () => undefined,
    );
  }

  /**
   * Why a call is denied that got no answer; undefined when it is allowed then.
   * @throws OrcsError for a request that is invalid
   */
  #whyUnavailable(thrown: unknown): string | undefined {
    if (!(thrown instanceof OrcsError) || INVALID.includes(thrown.code)) throw thrown;
    return this.#options.unavailable === "allow" ? undefined : thrown.message;
  }
}

const TIMEOUT_MS = 30_000;
const RECONNECT_MS = 5000;
const ACTIONS: readonly unknown[] = ["continue", "skip", "abort", "retry"];
const STATUSES: readonly unknown[] = ["run", "done", "denied", "failed"];
/** Errors of the program, which it should learn. */
const INVALID: readonly ErrorCode[] = ["ORCS1005", "ORCS1010", "ORCS2003", "ORCS7014"];

type ToolEnd = { readonly result: Json } | { readonly thrown: unknown };

/** A call that the service has forgotten. */
interface LostCall {
  readonly tool: string;
  readonly options: InvokeOptions;
  readonly step: WireAnswer<"invoke"> & { status: "run" };
  readonly end: ToolEnd;
  readonly elapsedMs: number;
}

/** What a tool threw, or an error with the text that a hook has put in place of its own. */
function told(thrown: unknown, message: unknown): unknown {
  return typeof message !== "string" || message === messageOf(thrown) ? thrown : new Error(message);
}

class ToolError extends Error {
  constructor(cause: unknown) {
    super("the tool failed", { cause });
  }
}

async function endOf(run: RunTool, args: JsonObject): Promise<ToolEnd> {
  try {
    return { result: (await run(args)) ?? null };
  } catch (thrown) {
    return { thrown };
  }
}

function denied(hook: string, reason: string, inject: readonly Injection[] = []): InvokeResult {
  return { ok: false, denied: { hook, reason }, inject };
}

/** @throws OrcsError */
function answerOf(answer: Received): Readonly<Record<string, unknown>> {
  if (answer.ok) return answer.answer;
  const { code, message } = answer;
  const text = message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message;
  throw new OrcsError(code in ERROR_CODES ? (code as ErrorCode) : "ORCS7002", text);
}

function unreadable(op: OperationName): OrcsError {
  return new OrcsError("ORCS7015", `the service answered ${op} in a form that is not of version 1`);
}

/** @throws OrcsError */
function asOrcsError(thrown: unknown): never {
  if (thrown instanceof OrcsError) throw thrown;
  if (thrown instanceof NoAnswer || thrown instanceof ConnectionLost) {
    throw new OrcsError("ORCS7002", thrown.message, {}, { cause: thrown });
  }
  throw thrown;
}
