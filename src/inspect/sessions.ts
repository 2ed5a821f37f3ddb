import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** In milliseconds. */
const TIMES = {
  /** How long a link can be opened. */
  link: 10 * 60_000,
  /** After this time without a request, a session has ended. */
  idle: 30 * 60_000,
};

/** Maximum number of sessions; the oldest ends for another one. */
const MOST = 8;

/** Who may look: whoever has opened a link once, in the browser that opened it. */
export class Sessions {
  readonly #times: typeof TIMES;
  readonly #now: () => number;
  /** Digests of links, with the time of their end. */
  #links: { readonly digest: Buffer; readonly until: number }[] = [];
  #sessions: { readonly digest: Buffer; until: number }[] = [];

  constructor(times: Partial<typeof TIMES> = {}, now: () => number = () => performance.now()) {
    this.#times = { ...TIMES, ...times };
    this.#now = now;
  }

  /** A secret that opens one session. */
  newLink(): string {
    const secret = newSecret();
    this.#links.push({ digest: digestOf(secret), until: this.#now() + this.#times.link });
    return secret;
  }

  /** The secret of a new session, if the link is valid; it is not valid any more then. */
  open(link: string): string | undefined {
    const now = this.#now();
    const found = this.#links.find(({ digest, until }) => until > now && isSame(digest, link));
    this.#links = this.#links.filter((each) => each !== found && each.until > now);
    if (!found) return undefined;
    const secret = newSecret();
    const session = { digest: digestOf(secret), until: now + this.#times.idle };
    this.#sessions = [...this.#sessions.filter(({ until }) => until > now), session].slice(-MOST);
    return secret;
  }

  /** Whether a session has this secret; it lasts longer then. */
  holds(secret: string): boolean {
    const now = this.#now();
    const found = this.#sessions.find(({ digest, until }) => until > now && isSame(digest, secret));
    if (found) found.until = now + this.#times.idle;
    return found !== undefined;
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function isSame(digest: Buffer, secret: string): boolean {
  return timingSafeEqual(digest, digestOf(secret));
}

/** Of equal length, so that comparing takes constant time. */
function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
