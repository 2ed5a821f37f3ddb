import type { SourcePlace } from "../../core/diagnostic.ts";

/** One thing that is not as it should be. */
export interface Difference {
  /** What it is, such as `action` or `payload.args.command`; empty for the whole. */
  readonly at: string;
  /** Undefined: nothing. */
  readonly expected: unknown;
  readonly got: unknown;
}

/** What became of one test. */
export interface TestResult {
  readonly name: string;
  /** Where the test stands. */
  readonly place: SourcePlace;
  readonly status: "passed" | "failed" | "pending";
  readonly duration_ms: number;
  /** In words, when it failed or is pending. */
  readonly message?: string;
  readonly differences?: readonly Difference[];
}
