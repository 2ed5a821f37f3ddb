import type { HookContext } from "../core/context.ts";
import type { FailureMode, HookReport } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import type { PointSpec } from "../core/points.ts";

/** One call of a handler outside this process. */
export interface HandlerCall {
  readonly point: PointSpec;
  /** The context as the hooks before have left it; not to be written to. */
  readonly ctx: HookContext;
  /** Directory that a command runs in. */
  readonly cwd?: string | undefined;
  /** Directory of the project, wherever in it the agent works at the moment. */
  readonly projectDir?: string | undefined;
}

/** What a handler is told. */
export interface HandlerInput {
  /** Standard input of a command, body of a request. */
  readonly body: Json;
  /** Environment variables of a command, besides those it inherits. */
  readonly env: Readonly<Record<string, string>>;
}

/** A process that ended by itself, its output as text. */
export interface EndedProcess {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An answer to a request. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * How a foreign hook system speaks with its handlers: what they are told, and what their answers mean.
 * Pure: no file, process or socket. A protocol rules what its system defines; what that leaves open is a
 * failure, and the hook's `on_error` decides. The hook's own `on_error` and `on_timeout` win over the
 * `mode` that a protocol gives a failure.
 */
export interface HandlerProtocol {
  readonly name: string;
  encode(call: HandlerCall): HandlerInput;
  /** What the end of a command means. `parse` is false when the hook says that its output is no answer. */
  readExit(ended: EndedProcess, call: HandlerCall, parse: boolean): HookReport;
  /** What an answer with any status means. */
  readHttp(answer: HttpAnswer, call: HandlerCall): HookReport;
  /** What the system does when time is up, if it says so. */
  readonly onTimeout: FailureMode | undefined;
  /** What it does when a handler could not be started or reached, if it says so. */
  readonly onUnreachable: FailureMode | undefined;
}
