import { OrcsError } from "./errors.ts";

/** The hook that denied an operation, and why. */
export interface Denial {
  readonly hook: string;
  readonly reason: string;
}

/**
 * A denial as models, users and logs read it.
 * @param what was denied; without it, the reader knows
 */
export function denialText({ hook, reason }: Denial, what?: string): string {
  const text = `denied by hook ${hook}: ${reason}`;
  return what === undefined ? text : `${what} was ${text}`;
}

/**
 * A denial for a caller that expects an exception.
 * @param fields of the error, besides `hook` and `reason`
 * @returns OrcsError ORCS2001
 */
export function denialError(
  what: string,
  { hook, reason }: Denial,
  fields: Readonly<Record<string, unknown>> = {},
): OrcsError {
  return new OrcsError("ORCS2001", denialText({ hook, reason }, what), { ...fields, hook, reason });
}
