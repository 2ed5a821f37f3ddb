import type { PointSet } from "../core/points.ts";
import type { ScriptSearch } from "./scripts.ts";

/** What checking a configuration needs to know besides the configuration. */
export interface Surroundings {
  readonly points: PointSet;
  /** Absolute; what paths in messages are relative to. */
  readonly cwd: string;
  /** Absolute; what paths in it are relative to. */
  readonly baseDir: string;
  findScript(script: string): ScriptSearch;
}
