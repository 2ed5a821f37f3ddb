import type { Settings } from "../config/settings.ts";
import type { PointSet } from "../core/points.ts";
import type { DefineContext } from "../registry/define.ts";
import { realpath } from "./realpath.ts";
import { shellReader } from "./shell-reader.ts";

/** What hooks are defined with. Guards in Lua read command lines with the same reader as conditions. */
export function definingWith(points: PointSet, { permissions }: Settings): DefineContext {
  // Relative paths mean the same to a guard as to the tools.
  return { points, cwd: permissions.root, realpath, shell: shellReader() };
}
