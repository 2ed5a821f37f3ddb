/**
 * Whether a project's configuration is active: it has a sealed `trusted` set, or its folder is `dev`-trusted; otherwise
 * it is `unknown` to the trust store, or the `store` cannot be used.
 */
export type TrustState = "trusted" | "dev" | "unknown" | "store";

/** The trust state of a project's configuration. */
export interface TrustStanding {
  /** Directory of its `orcs.toml`, links resolved. */
  readonly directory: string;
  readonly state: TrustState;
  /** The reason for the state, in one line. */
  readonly why: string;
}

/** Whether a project's configuration is active. */
export function isTrusted({ state }: { readonly state: TrustState }): boolean {
  return state === "trusted" || state === "dev";
}
