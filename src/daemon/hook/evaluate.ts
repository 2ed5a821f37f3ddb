import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { messageOf, withTimeLimit } from "../../core/index.ts";
import type { Logger, TraceContext } from "../../core/index.ts";
import { expectRecord, NeedsOwnProcess, stderrLogger } from "../../engine/index.ts";
import type { CreateOrcsOptions, EngineOptions } from "../../engine/index.ts";
import { HOSTS, SESSION_VARIABLES } from "../../formats/index.ts";
import type { HostAnswer } from "../../formats/index.ts";
import type { ConfigPlace } from "../../config/index.ts";
import { startWatchdog } from "../../machine/index.ts";
import type { ServiceAddress } from "../address.ts";
import { ChangeGuard } from "../../agents/index.ts";
import { engineOptions } from "../engine-lease.ts";
import { Gateway } from "../agent-gateway.ts";
import { watchModules } from "../module-watch.ts";
import { carriedEnvironment, ownVariables } from "../service-protocol.ts";
import { startService } from "../service-process.ts";
import { printSync } from "./event-io.ts";
import type { HookOptions } from "./hook-options.ts";

/** An event to answer without a service. */
export interface EvaluationRequest extends Pick<HookOptions, "host" | "record" | "strict"> {
  readonly event: string;
  /** The agent's name for it, if it can be read. */
  readonly name: string | undefined;
  readonly place: ConfigPlace;
  /** Of the service that may be started. */
  readonly address: ServiceAddress | undefined;
  readonly withinMs: number;
  /** The process that started the hook's. */
  readonly parent: number | undefined;
  /** The trace that the agent named in the environment. */
  readonly trace: TraceContext | undefined;
  /** Whether this process has only a part of the agent's environment. */
  readonly isPart: boolean;
  /** For an event of `orcs doctor`: the folder of its state and audit log. */
  readonly trial: string | undefined;
}

/** A response, and the remaining work after it. */
export interface EvaluationResult {
  readonly answer: HostAnswer;
  finish?(): Promise<void>;
}

/** While a started service comes up, no other is started: for this many milliseconds. */
const STARTING_MS = 3000;

/** Share of the time for the hooks; the rest is for a denial, and for recording it. */
const HOOKS_SHARE = 0.9;

/** How late this process exits if it has not done so by itself. */
const LATE_SHARE = 0.05;
const MOST_LATE_MS = 1000;

/** The exit code denies until an answer was written. */
function exitLate(): void {
  if (process.exitCode !== 0) printSync(2, "ORCS7002: orcs hook did not end in time\n");
  process.exit();
}

/**
 * Answer an event in this process, and start a service for the next one. A handler that blocks this thread is stopped
 * at the deadline. But nobody can stop what a module waits for in the system, so an engine with modules runs in a
 * separate process.
 */
export async function evaluate(asked: EvaluationRequest): Promise<EvaluationResult> {
  const { withinMs } = asked;
  const until = performance.now() + withinMs;
  startWatchdog({
    afterMs: withinMs * HOOKS_SHARE,
    by: "terminate",
    last: { afterMs: withinMs + Math.min(MOST_LATE_MS, withinMs * LATE_SHARE), run: exitLate },
  });
  const here = new OneEventEngine(asked, { modules: false });
  if (!(await here.needsOwnProcess(withinMs * HOOKS_SHARE))) return here.answer(until);
  const { evaluateInChild } = await import("./evaluate-in-child.ts");
  return evaluateInChild(asked, until, (why) => here.refuse(why));
}

/** As `evaluate`, in the separate process, which ends itself in any case: its parent may be gone by then. */
export async function evaluateInThisProcess(
  asked: EvaluationRequest,
  loading: EngineOptions["loading"],
): Promise<EvaluationResult> {
  startWatchdog({ afterMs: asked.withinMs, by: "kill" });
  return new OneEventEngine(asked, { loading }).answer(performance.now() + asked.withinMs);
}

/** The engine for one event. */
class OneEventEngine {
  readonly #asked: EvaluationRequest;
  readonly #gateway: Gateway;
  #held: string[] | undefined;

  constructor(asked: EvaluationRequest, options: Pick<EngineOptions, "modules" | "loading">) {
    this.#asked = asked;
    this.#held = [];
    const { place } = asked;
    const logger = stderrLogger("warn", (line) => {
      if (this.#held) this.#held.push(line);
      else printSync(2, line);
    });
    // The output of a user's module is not part of the response.
    Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true });
    process.on("unhandledRejection", (thrown) => {
      logger.error(`unhandled promise rejection: ${messageOf(thrown)}`);
    });
    const usual = engineOptions(place);
    // What a probe stores is separate from everything of the user's.
    const { trial } = asked;
    const paths = trial && { state: join(trial, "state"), audit: join(trial, "audit") };
    this.#gateway = new Gateway(
      {
        ...usual,
        ...(paths && { stateDir: paths.state, auditDir: paths.audit }),
        overrides: { ...(paths && { paths }), ...usual.overrides },
        record: writableRecord(asked.record, logger),
        // The user's own hooks decide without waiting for a project's.
        projectLoads: "asked",
        // Hooks in shadow run after the response was written.
        shadowAtClose: true,
        // As in a service, where a variable of another agent may be missing: it is looked up when a hook needs it.
        environment: asked.isPart
          ? carriedEnvironment(ownVariables(SESSION_VARIABLES), process.umask())
          : { variables: process.env },
        ...options,
      },
      logger,
      {
        opened: watchModules,
        changes: asked.trial === undefined ? new ChangeGuard(logger) : undefined,
      },
    );
  }

  /** Whether its configuration names modules; false when that is not known in time. */
  async needsOwnProcess(withinMs: number): Promise<boolean> {
    const known = this.#gateway.engine().then(
      () => false,
      (thrown: unknown) => thrown instanceof NeedsOwnProcess,
    );
    return (await withTimeLimit(withinMs, known)) ?? false;
  }

  async answer(until: number): Promise<EvaluationResult> {
    const { host, event, strict, parent, trace } = this.#asked;
    const left = Math.max(1, until - performance.now());
    const answer = await this.#gateway.answer(host, event, left, { strict, parent, ...trace });
    await this.#tell(answer);
    return { answer, finish: () => this.#finish() };
  }

  /** The response when no hook can be run. */
  async refuse(why: string): Promise<HostAnswer> {
    const { host, name } = this.#asked;
    const answer = await this.#gateway.refuse(host, why, name);
    await this.#tell(answer);
    return answer;
  }

  /** Some agents read stderr as the response when stdout is empty. */
  async #tell(answer: HostAnswer): Promise<void> {
    const { host, name = "" } = this.#asked;
    const noticeAt = async () => (await HOSTS[host].load()).noticeAt(name);
    if (answer.output === undefined && (await noticeAt()) === "none") return;
    for (const line of this.#held ?? []) printSync(2, line);
    this.#held = undefined;
  }

  async #finish(): Promise<void> {
    const { place, address } = this.#asked;
    // Not for a configuration with errors: this process reports them, and the next one tries again.
    const auto = await this.#gateway.engine().then(
      ({ settings, registry }) => settings.serve.auto && registry.pending?.failed !== true,
      () => false,
    );
    if (auto && address && !isStarting(address)) startService(place, address);
    await this.#gateway.close();
  }
}

/** The record, if it can be written; otherwise that is reported, and the event is answered anyway. */
function writableRecord(
  record: CreateOrcsOptions["record"],
  logger: Logger,
): CreateOrcsOptions["record"] {
  if (record === undefined) return undefined;
  try {
    return expectRecord(record);
  } catch (thrown) {
    logger.warn(`the event is not recorded: ${messageOf(thrown)}`);
    return undefined;
  }
}

/** Agents run several hooks at once, and without a service each of them would start one. */
function isStarting({ log }: ServiceAddress): boolean {
  try {
    if (Date.now() - statSync(log).mtimeMs < STARTING_MS) return true;
    const now = new Date();
    utimesSync(log, now, now);
  } catch {
    // There is no log yet: it is created when one is started.
  }
  return false;
}
