import { EventFeed } from "../../daemon/index.ts";
import type { Orcs } from "../../engine/index.ts";
import { messageOf } from "../../core/index.ts";
import type { SourceState } from "./api.ts";
import type { History } from "./history.ts";

/** As many as a feed keeps. */
const MOST = 5000;

export interface ScriptSourceOptions {
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
