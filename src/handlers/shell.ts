import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import type { HookContext } from "../core/context.ts";
import { messageOf } from "../core/errors.ts";
import type { HookReport, HookRunner, Turn } from "../core/hook.ts";
import { getOwn } from "../core/json.ts";
import type { PointSpec } from "../core/points.ts";
import { jsonContext } from "../core/json-context.ts";
import { FOLDER_VARIABLES } from "../core/handler.ts";
import type { HandlerCall, HandlerInput, HandlerProtocol } from "../protocols/protocol.ts";
import { failed, refuse } from "../protocols/report.ts";
import type { ProcessSet } from "../spawn/process-set.ts";
import { runProcess } from "../spawn/run-process.ts";
import { shellEnvironment } from "./shell-environment.ts";
import { readResult } from "./shell-result.ts";

/** A command as a hook, and what it runs in. */
export interface ShellOptions {
  /** A line for `sh -c`. Nothing of the payload ever stands in it. */
  readonly command: string;
  /** Whether the context is written to its standard input. */
  readonly passContext: boolean;
  /** Whether its output is an answer; its exit code is one in any case. */
  readonly parseResult: boolean;
  readonly protocol: HandlerProtocol;
  /** Names of environment variables that it gets besides the usual few. */
  readonly env: readonly string[];
  /** Where the variables are taken from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Directory of the configuration it stands in, or the sealed copy of it: its variable `ORCS_DIR`. */
  readonly configDir: string;
  /** Where it runs when the payload names no directory that exists. */
  readonly cwd: string;
  /** Says why it must not run, if it must not: its script is not what was trusted. */
  readonly refusal?: (() => string | undefined) | undefined;
  readonly processes: ProcessSet;
  /** Bytes of each of stdout and stderr; more is a failure. */
  readonly maxOutputBytes: number;
}

type LocalCall = HandlerCall & { readonly cwd: string };

/**
 * Runs a command as a hook, one process for each call, in a group of its own that does not outlive the
 * call. It gets the context on its standard input, and what its end means is for its protocol to say.
 */
export class ShellRunner implements HookRunner {
  readonly #options: ShellOptions;

  constructor(options: ShellOptions) {
    this.#options = options;
  }

  async run(turn: Turn): Promise<void> {
    turn.settle(await this.#report(turn));
  }

  async #report({ hook, ctx }: Turn): Promise<HookReport> {
    const { protocol, passContext, environment, env, configDir } = this.#options;
    let call: LocalCall;
    let input: HandlerInput;
    let stdin: string | undefined;
    try {
      call = this.#call(hook.point, ctx);
      input = protocol.encode(call);
      if (passContext) stdin = JSON.stringify(input.body);
    } catch (thrown) {
      return failed("payload", `its payload is not JSON: ${messageOf(thrown)}`);
    }
    const refusal = this.#options.refusal?.();
    // Whatever `on_error` says: nobody has trusted what would run.
    if (refusal !== undefined) return refuse(call, refusal);
    const folders = Object.fromEntries(FOLDER_VARIABLES.map((name) => [name, configDir]));
    const result = await runProcess({
      command: this.#options.command,
      cwd: call.cwd,
      // Whatever its hook asks for, the folder is the one that its scripts were looked for in.
      env: { ...shellEnvironment(environment, input.env, env), ...folders },
      stdin,
      timeoutMs: hook.timeoutMs,
      maxOutputBytes: this.#options.maxOutputBytes,
      processes: this.#options.processes,
    });
    return readResult(result, call, this.#options, hook.timeoutMs);
  }

  #call(point: PointSpec, given: HookContext): LocalCall {
    const { cwd: projectDir } = this.#options;
    const ctx = jsonContext(given, point.phase);
    const cwd = workingDirectory(getOwn(ctx.payload, "cwd"), projectDir);
    return { point, ctx, cwd, projectDir };
  }
}

/** The directory that the payload names, if one can work in it. */
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
