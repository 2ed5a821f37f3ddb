import type { ShellHandler } from "../../config/index.ts";
import { isUtf8 } from "node:buffer";
import { accessSync, constants, statSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  FOLDER_VARIABLES,
  getOwn,
  messageOf,
  RAISE_TIMEOUT,
  traceVariables,
  variablesOf,
} from "../../core/index.ts";
import type { Environment, HookReport, HookRunner, Turn } from "../../core/index.ts";
import { failed, modeAt, modedAnswer, stringAt } from "../../formats/index.ts";
import type { HandlerCall, HandlerProtocol } from "../../formats/index.ts";
import { runProcess } from "../../machine/index.ts";
import type { Background, ProcessResult, ProcessSet } from "../../machine/index.ts";
import { askOutside, environmentFailure, type OutsideOptions } from "./ask-outside.ts";

/** A command as a hook, and its environment. */
export interface ShellOptions
  extends
    Omit<OutsideOptions, "redactor" | "isShared">,
    Pick<ShellHandler, "command" | "passContext" | "parseResult" | "backgroundS" | "env"> {
  readonly protocol: HandlerProtocol;
  /** Whether its line shows that it leaves something in the background. */
  readonly leavesProcesses: boolean;
  /** The folder of files while which exist the background processes of a session may live. */
  readonly sessionMarks: (session: string) => string;
  /** Directory of its configuration, or the sealed copy of it: its variable `ORCS_DIR`. */
  readonly configDir: string;
  /** Working directory when the payload names none that exists. */
  readonly cwd: string;
  readonly processes: ProcessSet;
  /** Maximum size of stdout and of stderr, in bytes; more is a failure. */
  readonly maxOutputBytes: number;
}

type LocalCall = HandlerCall & { readonly cwd: string };

/**
 * Runs a command as a hook: one process per call, in a process group that does not outlive the call unless
 * `backgroundS` lets it. Its standard input
 * is the context, and its protocol interprets its end.
 */
export class ShellRunner implements HookRunner {
  readonly #options: ShellOptions;
  readonly leavesProcesses: boolean;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.leavesProcesses = options.leavesProcesses;
  }

  async run(turn: Turn): Promise<void> {
    const given = (environment: Environment): Environment => environment;
    const ask = (call: HandlerCall, environment: Environment): Promise<HookReport> =>
      this.#run(turn, call, environment);
    turn.settle(await askOutside(turn, this.#options, given, ask));
  }

  async #run(
    { hook, trace, signal }: Turn,
    { point, ctx }: HandlerCall,
    environment: Environment,
  ): Promise<HookReport> {
    const { protocol, passContext, env, configDir, cwd: projectDir } = this.#options;
    const cwd = workingDirectory(getOwn(ctx.payload, "cwd"), projectDir);
    const call: LocalCall = { point, ctx, cwd, projectDir };
    const input = protocol.encode(call);
    let variables: Record<string, string>;
    try {
      variables = shellEnvironment(environment, input.env, env);
    } catch (thrown) {
      return environmentFailure(thrown, hook);
    }
    const folders = Object.fromEntries(FOLDER_VARIABLES.map((name) => [name, configDir]));
    const result = await runProcess({
      command: this.#options.command,
      cwd,
      // Independent of the hook's own variables, the folder is the one in which its scripts were found.
      env: {
        ...variables,
        ...folders,
        ...traceVariables(trace),
        // What the command does by itself cannot be seen: it can look at this.
        ...(hook.mode === "audit" && { ORCS_SHADOW: hook.id }),
      },
      umask: environment.umask,
      stdin: passContext ? JSON.stringify(input.body) : undefined,
      signal,
      timeoutMs: hook.timeoutMs,
      maxOutputBytes: this.#options.maxOutputBytes,
      processes: this.#options.processes,
      background: hook.mode === "audit" ? undefined : this.#background(call),
    });
    return readResult(result, call, this.#options, hook.timeoutMs);
  }

  #background(call: LocalCall): Background | undefined {
    const { backgroundS: seconds, sessionMarks } = this.#options;
    const session = stringAt(call, "session_id");
    if (seconds === 0) return undefined;
    return {
      seconds,
      mark: session === undefined ? undefined : (id) => join(sessionMarks(session), String(id)),
    };
  }
}

/** The directory in the payload, if it can be used. */
function workingDirectory(wanted: unknown, otherwise: string): string {
  if (typeof wanted !== "string" || wanted === "") return otherwise;
  const path = resolve(otherwise, wanted);
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isDirectory() ? path : otherwise;
  } catch {
    return otherwise;
  }
}

/** A shell adds the number of the signal that ended its command: it counts as killed as well. */
const BY_SIGNAL = 128;

/** The meaning of a command's end: its protocol interprets a regular end, others are failures. */
function readResult(
  result: ProcessResult,
  call: HandlerCall,
  { protocol, parseResult, maxOutputBytes }: ShellOptions,
  timeoutMs: number,
): HookReport {
  switch (result.kind) {
    case "exited":
      return readExit(result, call, protocol, parseResult);
    case "signalled":
      return failed("killed", `its command was killed by ${result.signal}`);
    case "timeout": {
      const message = `its command was killed after ${timeoutMs} ms${RAISE_TIMEOUT}`;
      return failed("timeout", message, modeAt(call.point, protocol.fails.timeout));
    }
    case "aborted":
      return failed("killed", "its command was killed: the engine is closing");
    case "output_limit":
      return failed(
        "error",
        `its command was killed: its ${result.stream} is over the limit of ${maxOutputBytes} bytes`,
      );
    case "not_started": {
      const message = `its command could not be started: ${result.error}`;
      return failed("error", message, modeAt(call.point, protocol.fails.unreachable));
    }
  }
}

function readExit(
  { code, stdout, stderr }: Extract<ProcessResult, { kind: "exited" }>,
  call: HandlerCall,
  protocol: HandlerProtocol,
  parse: boolean,
): HookReport {
  if (code > BY_SIGNAL) {
    return failed("killed", `its command was killed by signal ${code - BY_SIGNAL}`);
  }
  const decoder = new TextDecoder();
  const ended = { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  // With another code than 0 the code decides: a denial counts, whatever was printed.
  if (parse && code === 0 && !isUtf8(stdout)) {
    return modedAnswer(failed("answer", "its output is not valid UTF-8"), call, protocol);
  }
  try {
    return modedAnswer(protocol.readExit(ended, call, parse), call, protocol);
  } catch (thrown) {
    return failed("error", `its output could not be read: ${messageOf(thrown)}`);
  }
}

/** Variables that a command needs. All others, secrets above all, must be named. */
const USUAL_VARIABLES = ["PATH", "HOME", "LANG"] as const;

/**
 * The whole environment of a command.
 * @param from of its call
 * @param event those set by its protocol
 * @param named those that its hook requests; they override the protocol's
 * @throws OrcsError ORCS7022 when one of them is not known
 */
export function shellEnvironment(
  from: Environment,
  event: Readonly<Record<string, string>>,
  named: readonly string[],
): Record<string, string> {
  return { ...variablesOf(from, USUAL_VARIABLES), ...event, ...variablesOf(from, named) };
}
