import { openTestProject } from "../engine/index.ts";
import type { TestHooksOptions } from "./testing.ts";

/** A test project, and those of its configured hooks that are chosen. @throws OrcsError ORCS1015 */
export async function openChosenHooks(
  options: Pick<TestHooksOptions, "config" | "cwd" | "agent" | "overrides" | "hooks" | "only">,
) {
  // Hooks of a program are tested alone unless it names a configuration.
  const alone = options.hooks && options.config === undefined ? { config: false as const } : {};
  const project = await openTestProject({ ...options, ...alone });
  const { only } = options;
  const entries = project.config.hooks.filter(
    ({ id, handler }) =>
      !only || only.includes(id) || (handler.kind === "script" && only.includes(handler.script)),
  );
  return { project, entries };
}
