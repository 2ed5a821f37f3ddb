import { randomInt } from "node:crypto";
import { OrcsError } from "../../core/index.ts";
import { isSecret, secretDigest } from "../../machine/index.ts";

/** Without letters that look like digits. */
const LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const LENGTH = 8;

const LIMITS = {
  /** How long a code is valid, in milliseconds. */
  validMs: 2 * 60_000,
  /** Wrong codes after which the right one is not valid any more. */
  tries: 3,
  /** New codes within a minute: each allows `tries` guesses. */
  perMinute: 5,
};

interface Code {
  readonly digest: Buffer;
  readonly until: number;
  tries: number;
}

/**
 * Codes that approve questions. Each is for one question and one use, and leaves this process only through the terminal
 * on which it is shown: neither the token of a service nor the cookie of the page is enough to approve anything.
 */
export class ApprovalCodes {
  readonly #now: () => number;
  readonly #limits: typeof LIMITS;
  /** By the id of their question. */
  readonly #codes = new Map<string, Code>();
  /** When the latest codes were made. */
  #made: number[] = [];

  constructor(now: () => number = () => performance.now(), limits: Partial<typeof LIMITS> = {}) {
    this.#now = now;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** A new code for a question; the previous one is not valid any more. @throws OrcsError ORCS5001 for too many */
  make(id: string): string {
    const now = this.#now();
    const { perMinute, validMs } = this.#limits;
    this.#made = this.#made.filter((at) => at > now - 60_000);
    if (this.#made.length >= perMinute) {
      throw new OrcsError("ORCS5001", `at most ${perMinute} codes in a minute: wait for a minute`);
    }
    this.#made.push(now);
    const code = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
    this.#codes.set(id, { digest: secretDigest(code), until: now + validMs, tries: 0 });
    return code;
  }

  /** Use up the code of a question. @throws OrcsError ORCS5001 when it is not valid: the reason */
  use(id: string, given: string): void {
    const code = this.#codes.get(id);
    if (!code || code.until <= this.#now()) {
      this.#codes.delete(id);
      throw new OrcsError("ORCS5001", "no code is valid for this question: ask for a new one");
    }
    // As a person may type it.
    const isRight = isSecret(code.digest, given.toUpperCase().replaceAll(/[\s-]/g, ""));
    if (!isRight && ++code.tries < this.#limits.tries) {
      throw new OrcsError("ORCS5001", "the code is wrong");
    }
    this.#codes.delete(id);
    if (!isRight) {
      const why = "the code is wrong, and not valid any more: ask for a new one";
      throw new OrcsError("ORCS5001", why);
    }
  }

  /** The question needs no code any more. */
  drop(id: string): void {
    this.#codes.delete(id);
  }
}
