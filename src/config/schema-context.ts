import type { PointSet } from "../core/points.ts";
import type { ScriptSearch } from "./scripts.ts";

/** What checking a configuration needs to know besides the configuration. */
export interface SchemaContext {
  readonly points: PointSet;
  /** Absolute; what paths in messages are relative to. */
  readonly cwd: string;
  /** Absolute; what paths to its code are relative to. */
  readonly baseDir: string;
  /** Where a file is that it names. */
  readonly locate: (path: string) => string;
  /** Whether it is the user's own, which counts in whatever folder an agent works. */
  readonly isUsers?: boolean;
  findScript(script: string): ScriptSearch;
}
