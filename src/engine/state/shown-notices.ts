import type { HookContext } from "../../core/context.ts";
import { messageOf } from "../../core/errors.ts";
import type { Hook } from "../../core/hook.ts";
import type { Logger, StateStore } from "../../core/ports.ts";
import type { Notice } from "../../trust/notice.ts";

/** How a notice is reported: shown to the user, on stderr alone, where few look, or to the model as context. */
export type ShownWhere = "shown" | "stderr" | "model";

/** So many are known without a look at the file; without a file, what came before them is told again. */
const REMEMBERED = 4096;
/** Of the name of a session; a longer one is some host's mistake. */
const MAX_SESSION = 256;

/** Which notices were told in which sessions: in the state's file where there is one, for every process. */
export class ShownNotices {
  readonly #state: StateStore | undefined;
  readonly #logger: Logger;
  readonly #told = new Set<string>();

  constructor(state: StateStore | undefined, logger: Logger) {
    this.#state = state;
    this.#logger = logger;
  }

  /**
   * Whether a notice is still to be told in a session; it counts as told from then on. What was shown need not be
   * on stderr; what was on stderr is still to be shown. Never throws: it is told rather twice than not at all.
   * @param session undefined for one that has no name, which lasts as long as this object
   */
  isDue({ key }: Notice, session: string | undefined, how: ShownWhere): boolean {
    const shown = nameOf(how === "stderr" ? "shown" : how, key, session);
    const name = nameOf(how, key, session);
    if (this.#told.has(shown) || this.#told.has(name)) return false;
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
    this.#told.add(name);
    const [oldest] = this.#told;
    if (this.#told.size > REMEMBERED && oldest !== undefined) this.#told.delete(oldest);
  }
}

function nameOf(how: ShownWhere, key: string, session = ""): string {
  return `orcs:told:${JSON.stringify([how, key, session.slice(0, MAX_SESSION)])}`;
}

/** How long it is remembered, in milliseconds: a session that is taken up again after so long begins anew. */
const KEPT_MS = 90 * 24 * 3600 * 1000;

/**
 * `once` for engines that come and go: a hook runs once in each session that payloads name, whichever engine
 * it is that serves it. Payloads that name none are one session.
 */
export function oncePerSession(state: StateStore): (hook: Hook, ctx: HookContext) => boolean {
  return ({ id }, { payload }) => {
    const { session_id: session } = payload;
    const whose = typeof session === "string" ? session : "";
    const key = `orcs:once:${JSON.stringify([id, whose])}`;
    return isFirstTime(state, key);
  };
}

/** Whether nobody has asked for a key yet, in whichever process. */
function isFirstTime(state: StateStore, key: string): boolean {
  // Most have run, and to look costs less than to count.
  return state.get(key) === undefined && state.incr(key, 1, KEPT_MS) === 1;
}
