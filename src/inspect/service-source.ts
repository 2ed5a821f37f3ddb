import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { WatchAnswer } from "../feed/watch.ts";
import { PROTOCOL_VERSION } from "../serve/service-protocol.ts";
import type { SourceState } from "./api.ts";
import type { History } from "./history.ts";

/** In milliseconds. */
const TIMES = {
  /** Between two attempts to connect. */
  retry: 300,
  /** Between two attempts to start a service. */
  start: 5000,
  /** A page that is loaded again finds the events that ended meanwhile. */
  linger: 30_000,
};

/** What a source needs to find its service. */
export interface ServiceSourceOptions {
  readonly socket: string;
  /** From `serviceKey`. */
  readonly key: string;
  /** Folder of the configuration, as shown. */
  readonly watches: string;
  readonly history: History;
  /** Starts the service, if it may be started. */
  readonly start: (() => void) | undefined;
  /** Called when the state has changed. */
  readonly changed: () => void;
  /** Called when the service is heard from now on. @param since when it was last heard, in milliseconds since 1970 */
  readonly begins?: (since: number) => void;
}

/** The events of a service, by its socket, while somebody looks. */
export class ServiceSource {
  readonly #options: ServiceSourceOptions;
  readonly #reader = randomBytes(8).toString("hex");
  #state: SourceState["state"] = "waiting";
  #why: string | undefined = "nobody looks";
  #socket: Socket | undefined;
  #isWanted = false;
  #isClosed = false;
  #isRunning = false;
  #lingering: NodeJS.Timeout | undefined;
  #started = -Infinity;
  /** When the service was last heard, in milliseconds since 1970. */
  #heard = 0;

  constructor(options: ServiceSourceOptions) {
    this.#options = options;
  }

  get state(): SourceState {
    const { watches } = this.#options;
    return {
      watches,
      state: this.#state,
      ...(this.#why !== undefined && { why: this.#why }),
    };
  }

  /** Whether somebody looks: the service is asked only then, and some time after. */
  want(isWanted: boolean): void {
    clearTimeout(this.#lingering);
    if (isWanted) {
      this.#isWanted = true;
      if (!this.#isRunning) void this.#run();
    } else this.#lingering = setTimeout(() => this.#stop(), TIMES.linger).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#lingering);
    this.#stop();
  }

  #stop(): void {
    this.#isWanted = false;
    this.#socket?.destroy();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isWanted && !this.#isClosed) {
      const why = await this.#follow();
      if (this.#state === "connected") this.#heard = Date.now();
      this.#become("waiting", why);
      if (this.#isWanted) this.#start();
      await pause(TIMES.retry, undefined, { ref: false });
    }
    this.#isRunning = false;
  }

  #start(): void {
    const now = performance.now();
    if (now - this.#started < TIMES.start) return;
    this.#started = now;
    this.#options.start?.();
  }

  #become(state: SourceState["state"], why?: string): void {
    if (this.#state === state && this.#why === why) return;
    this.#state = state;
    this.#why = why;
    this.#options.changed();
  }

  /** Ask until the connection ends; returns why it ended. */
  #follow(): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(this.#options.socket);
      this.#socket = socket;
      const { key } = this.#options;
      const ask = (): void => {
        const request = { v: PROTOCOL_VERSION, key, watch: this.#reader };
        socket.write(`${JSON.stringify(request)}\n`);
      };
      let why = "the service has ended";
      let text = "";
      socket.setEncoding("utf8");
      socket.on("connect", ask);
      socket.on("data", (chunk: string) => {
        const lines = (text + chunk).split("\n");
        text = lines.pop() ?? "";
        for (const line of lines) {
          const answer = JSON.parse(line) as WatchAnswer;
          if ("error" in answer) {
            why = answer.error;
            socket.destroy();
            return;
          }
          if (this.#state !== "connected") this.#options.begins?.(this.#heard);
          this.#become("connected");
          ask();
          if (answer.watched.length > 0 || answer.lost > 0) {
            this.#options.history.add(answer.watched, answer.lost);
          }
        }
      });
      socket.on("error", () => (why = "no service is running"));
      socket.on("close", () => resolve(why));
    });
  }
}
