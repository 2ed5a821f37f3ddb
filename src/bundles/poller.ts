import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../core/errors.ts";
import type { BundleSettings } from "./installed-bundle.ts";
import type { Pulled, PullDeps } from "./pull.ts";
import { pollDelay, pullBundle } from "./pull.ts";

/** The result of one poll. */
export type Polled = Pulled | { readonly is: "refused"; readonly message: string };

/** Longest time that a server is asked to wait for a change, in seconds: proxies end quiet requests after a minute. */
const MOST_WAIT_S = 50;
/** Pause before the next request to a server that waits, in milliseconds. */
const PAUSE_MS = 250;

/** Asks for the bundle of a configuration again and again. */
export class BundlePoller {
  readonly #stop = new AbortController();
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>;

  /** @param polled called after each poll */
  constructor(settings: BundleSettings, deps: PullDeps, polled: (result: Polled) => void) {
    this.ended = this.#run(settings, deps, polled);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(
    settings: BundleSettings,
    deps: PullDeps,
    polled: (result: Polled) => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const result = await pullBundle(settings, deps, { signal, waitSeconds: MOST_WAIT_S }).catch(
        (thrown: unknown): Polled => ({ is: "refused", message: messageOf(thrown) }),
      );
      if (signal.aborted) return;
      polled(result);
      // A server that waits has the news at once. One that does not is asked at the interval.
      const waits = result.is !== "refused" && result.waits;
      await sleep(waits ? PAUSE_MS : pollDelay(settings), undefined, { signal, ref: false }).catch(
        () => undefined,
      );
    }
  }
}
