import type { ErrorCode } from "../core/errors.ts";
import type { KeyPath } from "./path.ts";

/** One mistake in a configuration, before it is known where in a file that is. */
export interface Mistake {
  readonly code: ErrorCode;
  /** A warning does not keep the configuration from being used. */
  readonly severity?: "error" | "warning";
  readonly path: KeyPath;
  /** What is wrong there: how the key is spelt or that it is there, or what its value is. */
  readonly at: "key" | "value";
  /** Gets a function that names the place of another path: `line 3`, or `hooks[0]` in an object. */
  readonly message: string | ((whereIs: (path: KeyPath) => string) => string);
  readonly hint?: string | undefined;
}

/** A hint that offers the nearest name, when there is one. */
export function didYouMean(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `did you mean ${JSON.stringify(name)}?`;
}
