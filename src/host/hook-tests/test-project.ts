import { resolve } from "node:path";
import { loadConfig } from "../../config/load.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { pointSet } from "../../core/points.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { SHIPPED_HOOKS } from "../script-sources.ts";
import { TestBench } from "./test-bench.ts";

/** Which configuration is tested, as in `createOrcs`. */
export interface TestProjectOptions extends Pick<
  CreateOrcsOptions,
  "config" | "cwd" | "agent" | "overrides" | "points"
> {
  /** Follow which lines of scripts run. */
  readonly coverage?: boolean | undefined;
}

/** A configuration, and a bench with its settings. */
export interface TestProject {
  readonly config: LoadedConfig;
  readonly bench: TestBench;
}

/**
 * Load a configuration for testing: nothing of its hooks is loaded yet.
 * @throws OrcsError ORCS1015 with every mistake
 */
export async function openTestProject(options: TestProjectOptions): Promise<TestProject> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const points = pointSet(options.points);
  const config = await loadConfig({
    ...(options.config !== undefined && { config: options.config }),
    ...(options.overrides && { overrides: options.overrides }),
    ...(options.agent !== undefined && { agent: options.agent }),
    cwd,
    points,
    shippedDir: SHIPPED_HOOKS,
  });
  const { settings } = config;
  const coverage = options.coverage === true;
  return { config, bench: await TestBench.open({ settings, points, cwd, coverage }) };
}
