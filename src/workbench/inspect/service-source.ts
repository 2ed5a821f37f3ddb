import { setTimeout as pause } from "node:timers/promises";
import { EventFeed, type FeedItem, OrcsClient, type SeenDispatch } from "../../daemon/index.ts";
import { OrcsError, messageOf } from "../../core/index.ts";
import type { SourceState } from "./api.ts";
import type { History } from "./history.ts";
import type { Orcs } from "../../engine/index.ts";

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
interface ServiceSourceOptions {
  /** Its well-known file. */
  readonly service: string;
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
  #state: SourceState["state"] = "waiting";
  #why: string | undefined = "nobody looks";
  #client: OrcsClient | undefined;
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

  /** The whole of a dispatch that came as a summary; undefined when the service does not keep it any more. */
  async dispatch(id: string): Promise<SeenDispatch | undefined> {
    return (await this.#client?.event(id)) as SeenDispatch | undefined;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#lingering);
    this.#stop();
  }

  #stop(): void {
    this.#isWanted = false;
    this.#client?.close();
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

  /** Read until the connection ends; returns why it ended. */
  async #follow(): Promise<string> {
    const client = new OrcsClient({ service: this.#options.service });
    this.#client = client;
    try {
      for await (const { events, lost } of client.events({ brief: true })) {
        if (this.#state !== "connected") this.#options.begins?.(this.#heard);
        this.#become("connected");
        if (events.length > 0 || lost > 0) {
          this.#options.history.add(events as unknown as readonly FeedItem[], lost);
        }
      }
      return "the service has ended";
    } catch (thrown) {
      const isNobody = thrown instanceof OrcsError && thrown.code === "ORCS7019";
      return isNobody ? "no service is running" : messageOf(thrown);
    }
  }
}

/** As many as a feed keeps. */
const MOST = 5000;

interface ScriptSourceOptions {
  readonly script: string;
  readonly orcs: Orcs;
  readonly history: History;
  /** Called when the state has changed. */
  readonly changed: () => void;
}

/** The events of a script that runs in this process, from when somebody looks. */
export class ScriptSource {
  readonly #options: ScriptSourceOptions;
  readonly #feed: EventFeed;
  #state: SourceState["state"] = "waiting";
  #why: string | undefined = "the script begins when the page is opened";
  #ran: Promise<void> | undefined;

  constructor(options: ScriptSourceOptions) {
    this.#options = options;
    const added = (): void => {
      const { items, lost } = this.#feed.take(MOST);
      options.history.add(items, lost);
    };
    this.#feed = new EventFeed({ added });
  }

  get state(): SourceState {
    const { script: watches } = this.#options;
    return { watches, state: this.#state, ...(this.#why !== undefined && { why: this.#why }) };
  }

  /** Run the script, once. Never rejects. */
  run(): Promise<void> {
    this.#ran ??= this.#run();
    return this.#ran;
  }

  async #run(): Promise<void> {
    const { orcs, script, changed } = this.#options;
    this.#feed.attach(orcs);
    [this.#state, this.#why] = ["connected", undefined];
    changed();
    try {
      await orcs.runtime().run(script);
      this.#why = "the script has ended";
    } catch (thrown) {
      this.#why = `the script has failed: ${orcs.redact(messageOf(thrown))}`;
    }
    this.#state = "ended";
    changed();
  }
}
