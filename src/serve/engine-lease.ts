import { messageOf, OrcsError } from "../core/errors.ts";
import type { Logger } from "../core/ports.ts";
import { appendRefusedEvent } from "../engine/audit/append-entry.ts";
import type { RefusedEvent } from "../engine/audit/other-entries.ts";
import { openOrcs } from "../engine/create-orcs.ts";
import type { EngineOptions } from "../engine/options.ts";
import type { Orcs } from "../engine/orcs.ts";

/** How long a configuration that does not load is not tried again, in milliseconds. */
const PAUSE_MS = 1000;

/**
 * The engine of one configuration: created when somebody asks for it, and tried again later when its
 * configuration has mistakes, so that mending them is all there is to do. Where a reload finds settings that an
 * engine reads at its start alone, another engine takes its place.
 */
export class EngineLease {
  readonly #options: EngineOptions;
  readonly #logger: Logger;
  readonly #opened: (orcs: Orcs) => void;
  #engine: Promise<Orcs> | undefined;
  /** The engine that new calls go to. */
  #current: Orcs | undefined;
  /** Every engine that is not closed yet, with the calls that it serves. */
  readonly #calls = new Map<Orcs, number>();
  #renewing = false;
  #closed = false;

  /** @param opened told of each engine before it is asked anything */
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
   * Write down in the audit log that something was refused without an answer of its hooks, also where there is no
   * engine. Never rejects.
   */
  async refused(refusal: RefusedEvent): Promise<void> {
    if (this.#current) await this.#current.refused(refusal);
    else await appendRefusedEvent(refusal, this.#options, this.#logger);
  }

  /** Use the engine; it is not closed for another one before `run` has settled. @throws OrcsError as `engine` */
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

  /** What else changes meanwhile, the new engine sees by itself. */
  async #renew(old: Orcs): Promise<void> {
    if (this.#renewing || this.#closed || this.#current !== old) return;
    this.#renewing = true;
    try {
      const next = await this.#open();
      this.#engine = Promise.resolve(next);
      this.#logger.info("the changed settings are active");
      // Those to whom the old one has just been given have not come to use it yet.
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
