import { randomBytes } from "node:crypto";
import { isSecret, secretDigest } from "../../machine/index.ts";

/** In milliseconds. */
const TIMES = {
  /** How long a link can be opened. */
  link: 10 * 60_000,
  /** After this time without a request, a session has ended. */
  idle: 30 * 60_000,
};

/** Maximum number of sessions; the oldest ends for another one. */
const MOST = 8;

/** The secrets of a session. */
export interface Session {
  /** Kept by the browser, which sends it to every port of this machine. */
  readonly cookie: string;
  /** Kept by the page: nobody else gets it. */
  readonly tab: string;
}

/** Who may look: whoever has opened a link once, in the tab that opened it. */
export class Sessions {
  readonly #times: typeof TIMES;
  readonly #now: () => number;
  /** Digests of links, with the time of their end. */
  #links: { readonly digest: Buffer; readonly until: number }[] = [];
  #sessions: { readonly cookie: Buffer; readonly tab: Buffer; until: number }[] = [];

  constructor(times: Partial<typeof TIMES> = {}, now: () => number = () => performance.now()) {
    this.#times = { ...TIMES, ...times };
    this.#now = now;
  }

  /** A secret that opens one session. */
  newLink(): string {
    const secret = newSecret();
    this.#links.push({ digest: secretDigest(secret), until: this.#now() + this.#times.link });
    return secret;
  }

  /** A new session, if the link is valid; it is not valid any more then. */
  open(link: string): Session | undefined {
    const now = this.#now();
    const found = this.#links.find(({ digest, until }) => until > now && isSecret(digest, link));
    this.#links = this.#links.filter((each) => each !== found && each.until > now);
    if (!found) return undefined;
    const [cookie, tab] = [newSecret(), newSecret()];
    const until = now + this.#times.idle;
    const session = { cookie: secretDigest(cookie), tab: secretDigest(tab), until };
    this.#sessions = [...this.#sessions.filter((each) => each.until > now), session].slice(-MOST);
    return { cookie, tab };
  }

  /** Whether a session has this secret; it lasts longer then. The tabs of a browser share the newest cookie. */
  holds(kind: keyof Session, secret: string): boolean {
    const now = this.#now();
    const found = this.#sessions.find((each) => each.until > now && isSecret(each[kind], secret));
    if (found) found.until = now + this.#times.idle;
    return found !== undefined;
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
