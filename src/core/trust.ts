/**
 * Why a project's configuration counts, or does not: `trusted` as it is, `dev` whatever it holds; `unknown` to the
 * trust store, `changed` since somebody trusted it, `unfit` for it, or the `store` cannot be used.
 */
export type TrustState = "trusted" | "dev" | "unknown" | "changed" | "unfit" | "store";

/** What is said of a project's configuration. */
export interface TrustStanding {
  /** Directory of its `orcs.toml`, links resolved. */
  readonly directory: string;
  readonly state: TrustState;
  /** What the state stands for, in one line; for `changed`, which files. */
  readonly why: string;
}

/** Whether a project's configuration counts. */
export function isTrusted({ state }: { readonly state: TrustState }): boolean {
  return state === "trusted" || state === "dev";
}
