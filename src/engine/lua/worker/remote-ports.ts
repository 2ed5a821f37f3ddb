import { loggerOf, stateBy } from "../../../core/index.ts";
import type { LuaPorts } from "../ports.ts";
import { type Asks, type ClockReading, type FromWorker, monotonicMs } from "./protocol.ts";
import type { WorkerStart } from "./protocol.ts";
import type { RemoteCalls, SyncCalls } from "./remote-scope.ts";

/** For what no job asks for, which is refused: it cannot wait. */
const NO_JOB = 0;

/** The ports of the Lua layer, implemented by requests to the engine's thread. */
export interface RemotePorts extends LuaPorts {
  /** Set again with each job: an embedder's clock may differ from that of the process. */
  clock: ClockReading;
}

export function remotePorts(
  { limits, clock, stateWaits }: WorkerStart,
  post: (message: FromWorker) => void,
  sync: SyncCalls,
  calls: RemoteCalls,
): RemotePorts {
  const asking =
    <K extends keyof Asks>(kind: K) =>
    (...args: Parameters<Asks[K]>): ReturnType<Asks[K]> =>
      sync.ask(kind, args);
  // The worker waits for the engine's thread: what does not wait there does not wait here.
  const local = stateBy(false, (operation, args) => sync.ask("state", [operation, args]));
  const passed = (): number => monotonicMs() - ports.clock.at;
  const ports: RemotePorts = {
    limits,
    clock,
    logger: loggerOf((level, text) => post({ type: "log", level, text })),
    state: stateWaits ? calls.stateOf(NO_JOB) : local,
    now: () => ports.clock.now + passed(),
    wallMs: () => ports.clock.wallMs + passed(),
    get isUtc() {
      return ports.clock.isUtc;
    },
    sleep: (ms, signal) => calls.sleep(ms, signal),
    output: (text) => post({ type: "output", text }),
    glob: globs(asking("matchGlob")),
    redact: asking("redact"),
    shell: asking("shell"),
    effects: (payload) => sync.ask("effects", [payload()]),
    onlyReads: (payload) => sync.ask("onlyReads", [payload()]),
    realPath: asking("realPath"),
    // Each script has its own lookup.
    findModule: () => undefined,
  };
  return ports;
}

/**
 * Globs are compiled here once the code for it is loaded, which happens on first use: it is half of the thread's
 * start-up. Until then the engine's thread matches.
 */
function globs(match: Asks["matchGlob"]): LuaPorts["glob"] {
  let compile: LuaPorts["glob"] | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    compile = (await import("../../../matching/index.ts")).globMatcher;
  };
  return (pattern) => {
    loading ??= load();
    let matches: ((text: string) => boolean) | undefined;
    return (text) => (matches ??= compile?.(pattern))?.(text) ?? match(pattern, text);
  };
}
