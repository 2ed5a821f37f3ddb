import type { Readable, Writable } from "node:stream";
import { type Logger, messageOf, OrcsError, traceContext, traceHeadersIn } from "../core/index.ts";
import { selfGuardOptions } from "../agents/index.ts";
import { configPlace, type ConfigPlace } from "../config/index.ts";
import { appendRefusedEvent, openOrcs } from "../engine/index.ts";
import type { CreateOrcsOptions, EngineOptions, Orcs, RefusedEvent } from "../engine/index.ts";
import { defaultAuditDir, defaultStateDir } from "./default-dirs.ts";

/** How long a configuration that does not load is not tried again, in milliseconds. */
const PAUSE_MS = 1000;

/**
 * The engine of one configuration: created on demand, and tried again later when the configuration has errors, so that
 * fixing them is enough. When a reload finds changed settings that an engine reads only at its start, another engine
 * replaces it.
 */
export class EngineLease {
  readonly #options: EngineOptions;
  readonly #logger: Logger;
  readonly #opened: (orcs: Orcs) => void;
  #engine: Promise<Orcs> | undefined;
  /** The engine for new calls. */
  #current: Orcs | undefined;
  /** All open engines, with their number of calls. */
  readonly #calls = new Map<Orcs, number>();
  #renewing = false;
  #closed = false;

  /** @param opened called with each engine before its first call */
  constructor(
    options: EngineOptions,
    logger: Logger,
    opened: (orcs: Orcs) => void = () => undefined,
  ) {
    this.#options = { ...options, logger };
    this.#logger = logger;
    this.#opened = opened;
  }

  /** @throws OrcsError as `createOrcs`; ORCS2006 after `close` */
  engine(): Promise<Orcs> {
    if (this.#closed) return Promise.reject(new OrcsError("ORCS2006", "this engine is closed"));
    if (!this.#engine) {
      this.#engine = this.#open();
      this.#engine.catch(() => {
        setTimeout(() => (this.#engine = undefined), PAUSE_MS).unref();
      });
    }
    return this.#engine;
  }

  /**
   * Record in the audit log that something was denied before its hooks returned, even without an engine. Never rejects.
   */
  async refused(refusal: RefusedEvent): Promise<void> {
    if (this.#current) await this.#current.refused(refusal);
    else await appendRefusedEvent(refusal, this.#options, this.#logger);
  }

  /** Use the engine; it is not replaced and closed before `run` has settled. @throws OrcsError as `engine` */
  async use<T>(run: (orcs: Orcs) => Promise<T>): Promise<T> {
    const orcs = await this.engine();
    this.#calls.set(orcs, (this.#calls.get(orcs) ?? 0) + 1);
    try {
      return await run(orcs);
    } finally {
      this.#calls.set(orcs, (this.#calls.get(orcs) ?? 1) - 1);
      this.#closeUnused(orcs);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#engine?.catch(() => undefined);
    await Promise.all([...this.#calls.keys()].map((orcs) => orcs.close()));
  }

  async #open(): Promise<Orcs> {
    const orcs = await openOrcs(this.#options);
    this.#calls.set(orcs, 0);
    this.#current = orcs;
    orcs.events.on("reloaded", ({ pending }) => {
      if (pending.length > 0) void this.#renew(orcs);
    });
    this.#opened(orcs);
    return orcs;
  }

  /** The new engine detects later changes by itself. */
  async #renew(old: Orcs): Promise<void> {
    if (this.#renewing || this.#closed || this.#current !== old) return;
    this.#renewing = true;
    try {
      const next = await this.#open();
      this.#engine = Promise.resolve(next);
      this.#logger.info("the changed settings are active");
      // Callers that just got the old engine have not started to use it yet.
      setImmediate(() => this.#closeUnused(old));
      if (this.#closed) await next.close();
    } catch (thrown) {
      this.#logger.error(`the changed settings were not activated: ${messageOf(thrown)}`);
    } finally {
      this.#renewing = false;
    }
  }

  #closeUnused(orcs: Orcs): void {
    if (orcs === this.#current || this.#closed || this.#calls.get(orcs) !== 0) return;
    this.#calls.delete(orcs);
    orcs.close().catch((thrown: unknown) => this.#logger.error(messageOf(thrown)));
  }
}

/** What the engine of a configuration needs to answer agents: its folders, and the policy that keeps orcs enabled. */
export function engineOptions(place: ConfigPlace) {
  return {
    cwd: place.directory,
    config: place.config,
    seal: place.seal,
    stateDir: defaultStateDir(place),
    auditDir: defaultAuditDir(place),
    untrusted: "ignore" as const,
    ...selfGuardOptions(place),
  };
}

/** A program that another one has started and talks to over the standard streams. */
export interface StdioOptions {
  /** A file in place of the configuration of the working directory. */
  readonly config: string | undefined;
  /** Where its engines record. */
  readonly record?: CreateOrcsOptions["record"];
  /** The streams of whoever started it. */
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Logger;
}

/** The engine of such a program, with the trace of whoever started it. */
export function stdioLease(
  { config, record, log }: StdioOptions,
  opened?: (orcs: Orcs) => void,
): EngineLease {
  const options = {
    ...engineOptions(configPlace(process.cwd(), config)),
    watch: true,
    record,
    ...traceContext(traceHeadersIn(process.env)),
  };
  return new EngineLease(options, log, opened);
}
