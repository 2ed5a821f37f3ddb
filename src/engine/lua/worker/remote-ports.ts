import { loggerOf, stateBy } from "../../../core/index.ts";
import type {
  CallEffects,
  Json,
  JsonObject,
  ReadingCall,
  ShellReading,
  ShellReadOptions,
} from "../../../core/index.ts";
import type { LuaPorts } from "../ports.ts";
import type { ClockReading, FromWorker, WorkerStart } from "./protocol.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import type { SyncCalls } from "./remote-scope.ts";
import { monotonicMs } from "./scope-facts.ts";

/** For what no job asks for, which is refused: it cannot wait. */
const NO_JOB = 0;

/** The ports of the Lua layer, implemented by requests to the engine's thread. */
export class RemotePorts implements LuaPorts {
  readonly limits: LuaPorts["limits"];
  readonly logger: LuaPorts["logger"];
  readonly state: LuaPorts["state"];
  /** Read again with each turn: an embedder's clock may differ from that of the process. */
  clock: ClockReading;
  readonly #post: (message: FromWorker) => void;
  readonly #sync: SyncCalls;
  readonly #calls: RemoteCalls;
  /** Number of the running script. */
  readonly #running: () => number;
  #loadsGlobs = false;
  #globMatcher: LuaPorts["glob"] | undefined;

  constructor(
    start: WorkerStart,
    post: (message: FromWorker) => void,
    sync: SyncCalls,
    calls: RemoteCalls,
    running: () => number,
  ) {
    this.limits = start.limits;
    this.clock = start.clock;
    this.#post = post;
    this.#sync = sync;
    this.#calls = calls;
    this.#running = running;
    this.logger = loggerOf((level, text) => post({ type: "log", level, text }));
    // The worker waits for the engine's thread: what does not wait there does not wait here.
    const local = stateBy(false, (operation, args) => sync.ask("state", [operation, args]));
    this.state = start.stateWaits ? calls.stateOf(NO_JOB) : local;
  }

  now(): number {
    return this.clock.now + (monotonicMs() - this.clock.at);
  }

  wallMs(): number {
    return this.clock.wallMs + (monotonicMs() - this.clock.at);
  }

  get isUtc(): boolean {
    return this.clock.isUtc;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#calls.sleep(ms, signal);
  }

  output(text: string): void {
    this.#post({ type: "output", text });
  }

  /**
   * Globs are compiled here once the code for it is loaded, which happens on first use: it is half of the thread's
   * start-up. Until then the engine's thread matches.
   */
  glob(pattern: string): (text: string) => boolean {
    if (!this.#loadsGlobs) void this.#loadGlobs();
    let matches: ((text: string) => boolean) | undefined;
    return (text) => {
      matches ??= this.#globMatcher?.(pattern);
      return matches ? matches(text) : this.#sync.ask("matchGlob", [pattern, text]);
    };
  }

  redact(value: Json): Json {
    return this.#sync.ask("redact", [value]);
  }

  shell(line: string, cwd: string | undefined, options?: ShellReadOptions): ShellReading {
    return this.#sync.ask("shell", [line, cwd, options]);
  }

  effects(payload: () => JsonObject): CallEffects {
    return this.#sync.ask("effects", [payload()]);
  }

  onlyReads(payload: () => JsonObject): ReadingCall | undefined {
    return this.#sync.ask("onlyReads", [payload()]);
  }

  realPath(path: string, cwd: string | undefined): string {
    return this.#sync.ask("realPath", [path, cwd]);
  }

  findModule(name: string): ReturnType<LuaPorts["findModule"]> {
    return this.#sync.ask("findModule", [this.#running(), name]);
  }

  async #loadGlobs(): Promise<void> {
    this.#loadsGlobs = true;
    const { globMatcher } = await import("../../../matching/index.ts");
    this.#globMatcher = globMatcher;
  }
}
