import type { LiveClient } from "./live-client.ts";

/** A handler in use by hooks. */
interface Shared {
  readonly client: LiveClient;
  /** What is the same whatever environment it was started with. */
  readonly handler: string;
  users: number;
}

/** A handler that a hook uses. */
export interface UsedHandler {
  readonly client: LiveClient;
  /** Says that it is not used any more. */
  readonly release: () => void;
}

/** How long handlers have to end by themselves when the engine closes, in milliseconds. */
const CLOSE_MS = 500;

/** The handlers of an engine that live on. Hooks with the same handler share it. */
export class LivePool {
  readonly #shared = new Map<string, Shared>();
  /** Also those that were replaced: they may still be ending. */
  readonly #all = new Set<LiveClient>();
  /** Runs when this process ends without closing the engine. */
  readonly #killAll = (): void => {
    for (const client of this.#all) void client.close(CLOSING, 0);
  };
  #isClosed = false;

  /**
   * The handler with a key.
   * @param handler what makes it the same: its configuration, and the content of its files
   * @param key the same, with the environment that it is started with
   * @returns it, and a function for when the hook no longer uses it: without a hook, it ends
   */
  use(handler: string, key: string, create: () => LiveClient): UsedHandler {
    return this.#use(key, this.#shared.get(key) ?? this.#add(key, handler, create()));
  }

  /** Use those that run already, in any environment: a hook that replaces another one keeps them. By key. */
  useRunning(handler: string): Map<string, UsedHandler> {
    const running = [...this.#shared].filter(([, shared]) => shared.handler === handler);
    return new Map(running.map(([key, shared]) => [key, this.#use(key, shared)]));
  }

  #use(key: string, shared: Shared): UsedHandler {
    shared.users++;
    return {
      client: shared.client,
      release: () => {
        if (--shared.users > 0) return;
        if (this.#shared.get(key) === shared) this.#shared.delete(key);
        shared.client.retire();
      },
    };
  }

  /** End all of them, with their processes; calls that wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    process.removeListener("exit", this.#killAll);
    await Promise.all([...this.#all].map((client) => client.close(CLOSING, CLOSE_MS)));
  }

  #add(key: string, handler: string, client: LiveClient): Shared {
    if (this.#all.size === 0 && !this.#isClosed) process.on("exit", this.#killAll);
    this.#all.add(client);
    const shared = { client, handler, users: 0 };
    this.#shared.set(key, shared);
    return shared;
  }
}

const CLOSING = "the engine is closing";
