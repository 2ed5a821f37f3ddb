import type { Settings } from "../../config/settings.ts";
import type { Tool } from "../../core/tool.ts";
import { globMatcher } from "../../matchers/glob.ts";
import { compileRegex } from "../../matchers/regex.ts";
import type { ProcessSet } from "../../spawn/process-set.ts";
import { builtinTools } from "../../tools/builtin-tools.ts";

/** The built-in tools, as far as the settings let them reach. */
export function engineTools({ permissions }: Settings, processes: ProcessSet): readonly Tool[] {
  const { root, env = [] } = permissions;
  return builtinTools({
    root,
    env,
    processes,
    compileRegex: (pattern) => compileRegex("pattern", pattern),
    compileGlob: globMatcher,
  });
}
