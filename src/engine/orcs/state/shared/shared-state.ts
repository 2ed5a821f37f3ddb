import { isStoreError, messageOf, OrcsError, readJson } from "../../../../core/index.ts";
import type {
  Json,
  LocalStateStore,
  Logger,
  SharedStateStore,
  StateStore,
  StateUser,
} from "../../../../core/index.ts";
import { isSameValue } from "../local-store.ts";
import type { PendingCount, PendingCounts } from "./pending-counts.ts";
import { ID_MS, MAX_VALUE_BYTES, SCRIPTS } from "./scripts.ts";
import { newId, type StoreClient, StoreLink, type StoreReply } from "./store-link.ts";

/**
 * How long the hooks of one dispatch wait for the store together, in milliseconds. The rest of the promised 50 ms is
 * for timers that are late.
 */
export const STORE_WAIT_MS = 45;
/** Time limit of a request that no decision waits for, in milliseconds. */
const BACKGROUND_MS = 1000;
/** Number of pending increments that are sent at once. */
const AT_ONCE = 200;
/** Number of ids that one increment clears on the server. */
const CLEARED = 16;
/** The longest time to live, in milliseconds: ten years. */
const MAX_TTL_MS = 10 * 365 * 24 * 3600 * 1000;

/** What a shared state is made of. */
export interface SharedStateParts {
  readonly url: string;
  /** Certificates of the authorities that are trusted for TLS. */
  readonly caFile?: string | undefined;
  /** Before all keys on the server. */
  readonly prefix: string;
  readonly Client: StoreClient;
  readonly logger: Logger;
  /** The state of this machine, for keys that are not shared. */
  readonly local: LocalStateStore;
  /** Whether a key stays on this machine. */
  readonly isLocal: (key: string) => boolean;
  /** Stands in for the server while it cannot be used, for hooks with `on_store_error = "local"`. */
  readonly standIn: LocalStateStore & { clear(): void };
  readonly pending: PendingCounts;
}

/** The use of a store by nobody in particular: a program, not a hook. */
const NOBODY: StateUser = Object.freeze({ onStoreError: undefined, spent: Object.freeze({}) });

/** `orcs.state` on a Redis or Valkey server that several machines share. */
export class SharedState {
  readonly #parts: SharedStateParts;
  readonly #link: StoreLink;
  readonly #client = newId();
  #number = 0;
  /** Ids whose answers have arrived: the server can forget them. */
  #answered: string[] = [];
  #identity: string | undefined;
  #wasLost = false;
  #settled = 0;

  /** Begins to connect. */
  constructor(parts: SharedStateParts) {
    this.#parts = parts;
    this.#link = new StoreLink(
      parts.Client,
      parts,
      () => this.#greet(),
      (why) => this.#changed(why),
    );
  }

  get state(): SharedStateStore {
    return { ...this.#for(NOBODY), for: (user) => this.#for(user) } as SharedStateStore;
  }

  #for(user: StateUser): StateStore {
    const { local, isLocal } = this.#parts;
    return {
      waits: true,
      get: (key) => (isLocal(key) ? local.get(key) : this.#get(user, key)),
      set: (key, value) => (isLocal(key) ? local.set(key, value) : this.#set(user, key, value)),
      delete: (key) => (isLocal(key) ? local.delete(key) : this.#delete(user, key)),
      incr: ((key: string, by: number, ttlMs?: number, max?: number) =>
        isLocal(key)
          ? local.incr(key, by, ttlMs, max)
          : this.#incr(user, key, by, ttlMs, max)) as StateStore["incr"],
      compareAndSet: (key, expected, value) =>
        isLocal(key)
          ? local.compareAndSet(key, expected, value)
          : this.#compareAndSet(user, key, expected, value),
    };
  }

  /** Whether the server can be used. @returns why it cannot; undefined when it can */
  async reach(withinMs: number): Promise<string | undefined> {
    const until = performance.now() + withinMs;
    while (!(await this.#link.ready(until - performance.now()))) {
      if (performance.now() >= until) return this.#link.why;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return undefined;
  }

  /** The address, without its password. */
  get shown(): string {
    return this.#link.shown;
  }

  close(): void {
    this.#link.close();
  }

  #get(user: StateUser, key: string): Promise<Json | undefined> {
    return this.#use(
      user,
      async (left) => valueOf(key, await this.#asked("get", [this.#key(key)], [], left)),
      () => this.#parts.standIn.get(key),
    );
  }

  #set(user: StateUser, key: string, value: Json): Promise<void> {
    const text = textOf(key, value);
    return this.#use(
      user,
      async (left) => void (await this.#asked("set", [this.#key(key)], [text], left)),
      () => this.#parts.standIn.set(key, value),
    );
  }

  #delete(user: StateUser, key: string): Promise<boolean> {
    return this.#use(
      user,
      async (left) => (await this.#asked("delete", [this.#key(key)], [], left)).value === "1",
      () => this.#parts.standIn.delete(key),
    );
  }

  /** The values are compared here, as JSON has no order of keys; the server replaces the one that was compared. */
  #compareAndSet(
    user: StateUser,
    key: string,
    expected: Json | undefined,
    value: Json | undefined,
  ): Promise<boolean> {
    const text = value === undefined ? undefined : textOf(key, value);
    const keys = [this.#key(key)];
    return this.#use(
      user,
      async (left) => {
        const until = performance.now() + left;
        for (;;) {
          const held = await this.#asked("get", keys, [], until - performance.now());
          if (!isSameValue(valueOf(key, held), expected)) return false;
          const args = [...optional(held.value), ...optional(text)];
          const swapped = await this.#asked("swap", keys, args, until - performance.now());
          if (swapped.value === "1") return true;
          if (performance.now() >= until) {
            throw this.#link.unreachable(`others change ${JSON.stringify(key)} all the time`);
          }
        }
      },
      () => this.#parts.standIn.compareAndSet(key, expected, value),
    );
  }

  #incr(
    user: StateUser,
    key: string,
    by: number,
    ttlMs: number | undefined,
    max: number | undefined,
  ): Promise<number | undefined> {
    const id = `${this.#client}:${++this.#number}`;
    const count: PendingCount = { id, key, by, ttlMs, at: Date.now() };
    let isSent = false;
    return this.#use(
      user,
      async (left) => {
        const until = performance.now() + left;
        for (;;) {
          isSent = true;
          try {
            const sum = await this.#count(count, max, until - performance.now());
            this.#answered.push(count.id);
            return sum;
          } catch (thrown) {
            // Nobody knows whether it was counted: it is sent again under its id while there is time.
            const isLost = thrown instanceof OrcsError && thrown.code === "ORCS9201";
            const rest = until - performance.now();
            if (!isLost || rest <= 0 || !(await this.#link.ready(rest))) throw thrown;
          }
        }
      },
      () => {
        const sum = this.#parts.standIn.incr(key, by, ttlMs, max);
        if (sum !== undefined) this.#keep(count);
        else if (isSent) this.#keep({ ...count, retract: true });
        return sum;
      },
      (thrown) => {
        // The caller is told that it failed, so it must not count.
        if (isSent && isUnanswered(thrown)) this.#keep({ ...count, retract: true });
      },
    );
  }

  /** @returns undefined when the sum would be more than `max` */
  async #count(
    { id, key, by, ttlMs }: PendingCount,
    max: number | undefined,
    left: number,
  ): Promise<number | undefined> {
    const ttl =
      ttlMs === undefined ? "" : String(Math.min(MAX_TTL_MS, Math.max(1, Math.round(ttlMs))));
    const cleared = this.#answered.splice(0, CLEARED);
    const keys = [this.#key(key), this.#idKey(id), ...cleared.map((each) => this.#idKey(each))];
    const limit = max === undefined || max === Infinity ? "" : decimal(max);
    const reply = await this.#asked("incr", keys, [decimal(by), ttl, limit], left);
    if (reply.kind === "over") return undefined;
    const sum = valueOf(key, reply);
    if (typeof sum !== "number") throw notUsable(key, "it is not a number");
    return sum;
  }

  /**
   * Use the server within the time that the dispatch has left for it; or otherwise what the hook states.
   * @param failed called when the caller gets the error
   */
  async #use<T>(
    user: StateUser,
    remote: (leftMs: number) => Promise<T>,
    local: () => T,
    failed?: (thrown: unknown) => void,
  ): Promise<T> {
    const { onStoreError, spent } = user;
    let began = performance.now();
    // What this process does before it listens again is no wait for the server.
    const turn = setImmediate(() => {
      began = performance.now();
    });
    try {
      const left = STORE_WAIT_MS - (spent.storeMs ?? 0);
      if (!this.#link.isReady && !(left > 0 && (await this.#link.ready(left)))) {
        throw this.#link.unreachable(this.#link.why);
      }
      const rest = left - (performance.now() - began);
      if (rest <= 0) throw this.#link.unreachable(`it took longer than ${STORE_WAIT_MS} ms`);
      return await remote(rest);
    } catch (thrown) {
      if (!isStoreError(thrown)) throw thrown;
      if (onStoreError === "local") return local();
      failed?.(thrown);
      throw thrown;
    } finally {
      clearImmediate(turn);
      if (user !== NOBODY) spent.storeMs = (spent.storeMs ?? 0) + performance.now() - began;
    }
  }

  #asked(
    operation: keyof typeof SCRIPTS,
    keys: readonly string[],
    args: readonly string[],
    withinMs: number,
  ): Promise<StoreReply> {
    const id = `${this.#client}/${++this.#number}`;
    return this.#link.run(SCRIPTS[operation], keys, id, args, Math.max(1, withinMs));
  }

  #key(key: string): string {
    return `${this.#parts.prefix}:v:${key}`;
  }

  #idKey(id: string): string {
    return `${this.#parts.prefix}:i:${id}`;
  }

  #keep(count: PendingCount): void {
    try {
      this.#parts.pending.add(count);
    } catch (thrown) {
      this.#parts.logger.warn(`a count for the shared state is lost: ${messageOf(thrown)}`);
    }
  }

  /** What happens on each new connection, before hooks use it. */
  async #greet(): Promise<void> {
    const keys = [`${this.#parts.prefix}:store`];
    const { value } = await this.#asked("hello", keys, [newId()], BACKGROUND_MS);
    if (this.#identity !== undefined && value !== this.#identity) {
      this.#parts.logger.warn(
        `the shared state ${this.shown} is empty or another one: what was counted before is gone`,
      );
    }
    this.#identity = value;
    await this.#settlePending();
  }

  /** Send what was counted while the server could not be used. */
  async #settlePending(): Promise<void> {
    const { pending, standIn } = this.#parts;
    for (let taken = pending.take(); taken; taken = pending.take()) {
      const { counts } = taken;
      for (let i = 0; i < counts.length; i += AT_ONCE) {
        await Promise.all(counts.slice(i, i + AT_ONCE).map((count) => this.#settle(count)));
      }
      taken.done();
      this.#settled += counts.length;
    }
    standIn.clear();
  }

  async #settle({ retract, ...count }: PendingCount): Promise<void> {
    const { key, by, id, ttlMs, at } = count;
    const age = Math.max(0, Date.now() - at);
    // The server has forgotten whether it counted this one, or the counter has expired.
    if (age >= Math.min(ID_MS, ttlMs ?? Infinity)) return;
    try {
      if (retract) {
        const keys = [this.#key(key), this.#idKey(id)];
        await this.#asked("retract", keys, [decimal(by)], BACKGROUND_MS);
      } else {
        const left = ttlMs === undefined ? undefined : ttlMs - age;
        await this.#count({ ...count, ttlMs: left }, undefined, BACKGROUND_MS);
      }
    } catch (thrown) {
      if (isUnanswered(thrown)) throw thrown;
      this.#parts.logger.warn(`a count for the shared state is dropped: ${messageOf(thrown)}`);
    }
  }

  #changed(why: string | undefined): void {
    const { logger } = this.#parts;
    if (why === undefined) {
      const added = this.#settled > 0 ? `; ${this.#settled} pending counts were settled` : "";
      if (this.#wasLost) logger.warn(`the shared state ${this.shown} can be used again${added}`);
      this.#wasLost = false;
      this.#settled = 0;
    } else if (!this.#wasLost) {
      this.#wasLost = true;
      logger.warn(`the shared state ${this.shown} cannot be used: ${why}`);
    }
  }
}

function textOf(key: string, value: Json): string {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES) throw tooLarge(key);
  return text;
}

/** Whether there is a text, and the text, as arguments of a script. */
function optional(text: string | undefined): readonly [string, string] {
  return text === undefined ? ["0", ""] : ["1", text];
}

/** A number as Lua reads it without loss. */
function decimal(number: number): string {
  return String(number);
}

function valueOf(key: string, { kind, value }: StoreReply): Json | undefined {
  if (kind === "none") return undefined;
  if (kind === "large") throw tooLarge(key);
  if (kind !== "value" || value === undefined) throw notUsable(key, "it has another type");
  const read = readJson(value);
  if (!read.ok) throw notUsable(key, `it ${read.why.slice(0, 120)}`);
  return read.value;
}

function tooLarge(key: string): OrcsError {
  return notUsable(key, `it is larger than ${MAX_VALUE_BYTES} bytes`);
}

function notUsable(key: string, why: string): OrcsError {
  const shown = JSON.stringify(key.slice(0, 100));
  const text = `the value of ${shown} in the shared state cannot be used: ${why}`;
  return new OrcsError("ORCS9203", text);
}

/** Whether it is unknown if the server has done what was asked. */
function isUnanswered(thrown: unknown): boolean {
  return !(thrown instanceof OrcsError) || thrown.code === "ORCS9201" || thrown.code === "ORCS9202";
}
