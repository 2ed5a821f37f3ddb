import { HANDLER_KEYS } from "../../config/handlers.ts";
import { hookSchema } from "../../config/hook-schema.ts";
import type { PointSet } from "../../core/points.ts";
import type { LintOptions } from "../../lua/lint/finding.ts";
import { TOOLS } from "../../core/tool-table.ts";

/** What the static checks of scripts need to know of this engine. */
export function checkOptions(points: PointSet): LintOptions {
  const around = {
    points,
    cwd: "/",
    baseDir: "/",
    locate: (path: string) => path,
    findScript: () => ({ file: undefined, lookedIn: [], nearest: undefined }),
  };
  const ofConfiguration: readonly string[] = [...HANDLER_KEYS, "options", "type"];
  const keys = Object.keys(hookSchema(around).out.shape);
  return {
    points,
    hookKeys: [...keys.filter((key) => !ofConfiguration.includes(key)), "handler", "tests"],
    toolArguments: {
      ...Object.fromEntries(
        Object.entries(TOOLS).map(([tool, { args }]) => [tool, Object.keys(args)]),
      ),
    },
  };
}
