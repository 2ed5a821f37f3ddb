import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../core/index.ts";
import type { BundleSettings } from "./installed-bundle.ts";
import { pollInterval, pullBundle, type PullDeps, type Pulled } from "./pull.ts";
import { TRANSPORT_TIMES } from "./transport.ts";

/** The result of one poll. */
export type Polled = Pulled | { readonly is: "refused"; readonly message: string };

/** Longest time that a server is asked to wait for a change, in seconds: proxies end quiet requests after a minute. */
const MOST_WAIT_S = 50;
/** The same for one that has not shown that it waits: it may also hang. */
const FIRST_WAIT_S = 1;
/** Pause before the next request to a server that waits, in milliseconds. */
const PAUSE_MS = 250;

/** Asks for the bundle of a configuration again and again. */
export class BundlePoller {
  readonly #stop = new AbortController();
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>;

  /** @param polled called after each poll */
  constructor(
    settings: BundleSettings,
    deps: PullDeps,
    polled: (result: Polled) => void,
    times = TRANSPORT_TIMES,
  ) {
    const { signal } = this.#stop;
    const pull = (waitSeconds: number): Promise<Polled> =>
      pullBundle(settings, deps, { signal, waitSeconds, times }).catch(
        (thrown: unknown): Polled => ({ is: "refused", message: messageOf(thrown) }),
      );
    this.ended = this.#run(pollInterval(settings), pull, polled);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(
    interval: number,
    pull: (waitSeconds: number) => Promise<Polled>,
    polled: (result: Polled) => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    const mostSeconds = Math.min(MOST_WAIT_S, Math.ceil(interval / 1000));
    let waits = false;
    while (!signal.aborted) {
      const began = performance.now();
      const result = await pull(waits ? mostSeconds : FIRST_WAIT_S);
      if (signal.aborted) return;
      polled(result);
      waits = result.is !== "refused" && result.waits;
      // A server that waits has the news at once. One that does not, or hangs, is asked at the interval: spread, so
      // that a thousand machines do not ask at once.
      const left = interval * (0.8 + 0.4 * Math.random()) - (performance.now() - began);
      const pause = waits ? PAUSE_MS : Math.max(PAUSE_MS, left);
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
