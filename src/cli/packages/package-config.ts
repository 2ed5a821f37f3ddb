import { posix } from "node:path";
import { MODULES } from "../../config/packages/read-package.ts";

/** A configuration with which a package uses itself: tests find its scripts and its modules. */
export function packageConfig(scripts: Iterable<string>): string {
  const folders = [...scripts].map((script) => posix.dirname(script));
  const dirs = [...new Set([...folders, MODULES])].map((dir) => JSON.stringify(dir));
  return `extends = ["./"]\n\n[scripts]\ndirs = [${dirs.join(", ")}]\n`;
}
