import type {
  FailureMode,
  HookContext,
  HookReport,
  Json,
  PointSpec,
  ProtocolName,
} from "../core/index.ts";

/** One call of a handler outside this process. */
export interface HandlerCall {
  readonly point: PointSpec;
  /** The context as earlier hooks left it; must not be modified. */
  readonly ctx: HookContext;
  /** Working directory of a command. */
  readonly cwd?: string | undefined;
  /** Directory of the project, wherever in it the agent currently works. */
  readonly projectDir?: string | undefined;
}

/** The input of a handler. */
export interface HandlerInput {
  /** Standard input of a command, body of a request. */
  readonly body: Json;
  /** Environment variables of a command, in addition to those it inherits. */
  readonly env: Readonly<Record<string, string>>;
}

/** A process that ended by itself, with its output as text. */
export interface EndedProcess {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The response to a request. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * How to communicate with the handlers of another hook system: their input, and the meaning of their output. Pure: no
 * files, processes or sockets. A protocol decides what its system defines; anything else is a failure, and the hook's
 * `on_error` decides. The hook's own `on_error` and `on_timeout` override the `mode` that a protocol gives to a
 * failure.
 */
export interface HandlerProtocol {
  readonly name: string;
  encode(call: HandlerCall): HandlerInput;
  /** The meaning of a command's end. `parse` is false when the hook declares that its output is not a response. */
  readExit(ended: EndedProcess, call: HandlerCall, parse: boolean): HookReport;
  /** The meaning of a response with any status. */
  readHttp(answer: HttpAnswer, call: HandlerCall): HookReport;
  readonly fails: ProtocolFailures;
}

/** What a hook system does when a handler fails; undefined if it defines nothing, and `on_error` decides. */
export interface ProtocolFailures {
  /** The handler was late. */
  readonly timeout: FailureMode | undefined;
  /** It could not be started or reached. */
  readonly unreachable: FailureMode | undefined;
  /** Its output is no valid response: broken JSON, two objects, an unknown value, a key that has no effect there. */
  readonly answer: FailureMode | undefined;
}

const open = { timeout: "open", unreachable: "open", answer: "open" } as const;

/**
 * For handlers of other systems, what these do: coding agents report an error of the hook, and continue. What is
 * written for orcs fails by the phase of its point. A response that is meant as a denial fails closed in any case
 * (`strictIfDenied`). Sources: protocols.md §1 to §4 and §7; seeds 003 and 004.
 */
export const PROTOCOL_FAILURES: Readonly<Record<ProtocolName, ProtocolFailures>> = {
  orcs: { timeout: undefined, unreachable: undefined, answer: undefined },
  "claude-code": open,
  codex: open,
  gemini: open,
  cursor: open,
  copilot: open,
  qwen: open,
  cocode: { ...open, unreachable: "closed" },
  // Of a response of another shape, seed 004 says nothing.
  massgen: { ...open, unreachable: "closed", answer: undefined },
};
