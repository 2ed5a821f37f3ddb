import { HANDLER_KEYS } from "../../config/handlers.ts";
import { hookSchema } from "../../config/hook-schema.ts";
import type { PointSet } from "../../core/points.ts";
import { SHORT_FORMS } from "../../core/orcs-api.ts";
import type { LintOptions } from "../../lua/lint/finding.ts";
import { TOOL_ARGS } from "../../tools/tool-args.ts";

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
      // A tool that the program provides has no list; what a bare string stands for is known.
      ...SHORT_FORMS,
      ...Object.fromEntries(
        Object.entries(TOOL_ARGS).map(([tool, { args }]) => [tool, Object.keys(args)]),
      ),
    },
  };
}
