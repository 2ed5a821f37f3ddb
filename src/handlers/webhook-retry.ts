const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;

/** Whether a status says that the same request may fare better later. */
export function isRetriedStatus(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Network errors that may be over in a moment. A wrong certificate or a name that is none stays so. */
const RETRIED_CODES: readonly string[] = [
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
];

/** Whether a network error, by its code, is worth another try. */
export function isRetriedError(code: string): boolean {
  return RETRIED_CODES.includes(code);
}

/**
 * How long to wait before the next try, in milliseconds: twice as long each time, and never less than the
 * server asked for.
 *
 * @param tries how many there were, from 1
 * @param retryAfter the header, seconds or a date; one that is neither is not there
 * @param now milliseconds since 1970
 */
export function retryDelay(tries: number, retryAfter: string | undefined, now: number): number {
  const own = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);
  return Math.max(own, askedFor(retryAfter, now));
}

function askedFor(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  const text = retryAfter.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // A date has the name of a day or a month; Date.parse would read "-5" or "1.5" as one, too.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : date - now;
}
