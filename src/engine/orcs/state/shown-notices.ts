import { messageOf } from "../../../core/index.ts";
import type {
  Awaitable,
  Hook,
  HookContext,
  LocalStateStore,
  Logger,
  SharedStateStore,
  StateUser,
} from "../../../core/index.ts";
import type { Notice } from "../../../config/index.ts";

/**
 * How a notice is reported: shown to the user, printed to stderr only, which few people read, or given to the model as
 * context.
 */
export type ShownWhere = "shown" | "stderr" | "model";

/** Number of notices that are remembered in memory. Without a file, older ones are reported again. */
const REMEMBERED = 4096;
/** Longest name of a session; a longer one is an error of the agent. */
const MAX_SESSION = 256;

/** Remembers which notices were reported in which sessions: in the state file if there is one, for every process. */
export class ShownNotices {
  readonly #state: LocalStateStore | undefined;
  readonly #logger: Logger;
  readonly #shown = new Set<string>();

  constructor(state: LocalStateStore | undefined, logger: Logger) {
    this.#state = state;
    this.#logger = logger;
  }

  /**
   * Whether a notice is due in a session; if so, it counts as reported from then on. A notice that was shown is not
   * printed to stderr; one that was only printed to stderr is still shown. Never throws: a notice is rather reported
   * twice than not at all.
   * @param session undefined for an unnamed session, which lasts as long as this object
   */
  isDue({ key }: Notice, session: string | undefined, how: ShownWhere): boolean {
    const shown = nameOf(how === "stderr" ? "shown" : how, key, session);
    const name = nameOf(how, key, session);
    if (this.#shown.has(shown) || this.#shown.has(name)) return false;
    this.#remember(name);
    const state = this.#state;
    if (!state || session === undefined) return true;
    try {
      return (how !== "stderr" || state.get(shown) === undefined) && isFirstTime(state, name);
    } catch (thrown) {
      this.#logger.warn(`cannot store which notices were shown: ${messageOf(thrown)}`);
      return true;
    }
  }

  #remember(name: string): void {
    this.#shown.add(name);
    const [oldest] = this.#shown;
    if (this.#shown.size > REMEMBERED && oldest !== undefined) this.#shown.delete(oldest);
  }
}

function nameOf(how: ShownWhere, key: string, session = ""): string {
  return `orcs:told:${JSON.stringify([how, key, session.slice(0, MAX_SESSION)])}`;
}

/** How long a notice is remembered, in milliseconds: a session resumed after that counts as new. */
const KEPT_MS = 90 * 24 * 3600 * 1000;

/**
 * `once` for short-lived engines: a hook runs once per session of the payloads, whichever engine serves it. Payloads
 * without a session are one session.
 */
export function oncePerSession(
  state: LocalStateStore | SharedStateStore,
): (hook: Hook, ctx: HookContext, spent: StateUser["spent"]) => Awaitable<boolean> {
  return ({ id, onStoreError = "local" }, { payload }, spent) => {
    const { session_id: session } = payload;
    const whose = typeof session === "string" ? session : "";
    const key = `orcs:once:${JSON.stringify([id, whose])}`;
    if (!state.waits) return isFirstTime(state, key);
    const counted = state.for({ onStoreError, spent }).incr(key, 1, KEPT_MS);
    return Promise.resolve(counted).then((count) => count === 1);
  };
}

/** Whether no process has used a key yet. */
function isFirstTime(state: LocalStateStore, key: string): boolean {
  // Most hooks have run already, and reading is cheaper than incrementing.
  return state.get(key) === undefined && state.incr(key, 1, KEPT_MS) === 1;
}
