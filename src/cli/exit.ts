/** Exit codes of every verb. */
export const EXIT = {
  fine: 0,
  /** Findings, or with `--fail` a refusal. */
  findings: 1,
  /** A mistake in the command line or the configuration. */
  mistake: 2,
} as const;
