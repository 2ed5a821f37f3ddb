/**
 * Why a project's configuration counts, or does not: a `trusted` set of it is sealed, or its folder is `dev`-trusted;
 * it is `unknown` to the trust store, or the `store` cannot be used.
 */
export type TrustState = "trusted" | "dev" | "unknown" | "store";

/** What is said of a project's configuration. */
export interface TrustStanding {
  /** Directory of its `orcs.toml`, links resolved. */
  readonly directory: string;
  readonly state: TrustState;
  /** What the state stands for, in one line. */
  readonly why: string;
}

/** Whether a project's configuration counts. */
export function isTrusted({ state }: { readonly state: TrustState }): boolean {
  return state === "trusted" || state === "dev";
}
