import { OrcsError } from "./errors.ts";
import { getOwn } from "./json.ts";

/**
 * What hooks may see of the environment of whoever makes a call. That it is here does not mean that it is handed on: a
 * command inherits what its hook lists.
 */
export interface Environment {
  /** Values by name; null and undefined mean that it is not set. */
  readonly variables: Readonly<Record<string, string | null | undefined>>;
  /** Whether only some variables came along: one that is missing is unknown then, not unset. */
  readonly isPart?: boolean | undefined;
  /** The file mode mask of commands; undefined: that of this process. */
  readonly umask?: number | undefined;
}

/** Variables that most programs use, and that are no secrets. */
export const COMMON_VARIABLES =
  `PATH HOME USER TERM TMPDIR TZ LANG LANGUAGE LC_ALL LC_ADDRESS LC_COLLATE LC_CTYPE LC_IDENTIFICATION
  LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME`.split(
    /\s+/,
  );

/** Whether a variable is known, set or not. */
export function isKnown({ variables, isPart }: Environment, name: string): boolean {
  return isPart !== true || Object.hasOwn(variables, name);
}

/**
 * The value of a variable; undefined when it is not set.
 * @throws OrcsError ORCS7022 when it is not known
 */
export function variableOf(environment: Environment, name: string): string | undefined {
  if (isKnown(environment, name)) return getOwn(environment.variables, name) ?? undefined;
  const why = `this event does not carry the variable ${name} of the agent's environment`;
  throw new OrcsError("ORCS7022", why, { name });
}

/** The variables that are set. @throws OrcsError ORCS7022 */
export function variablesOf(
  environment: Environment,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = variableOf(environment, name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}
