import { resolve } from "node:path";
import { type LoadedConfig, loadTrusted, type TrustedFiles } from "../../config/index.ts";
import { isTrusted, OrcsError, pointSet } from "../../core/index.ts";
import type { CreateOrcsOptions } from "../orcs/index.ts";
import { TestEngine } from "./test-engine.ts";

/** The configuration to test, as in `createOrcs`. */
export interface TestProjectOptions extends Pick<
  CreateOrcsOptions,
  "config" | "cwd" | "agent" | "overrides" | "points"
> {
  /** Record which lines of scripts run. */
  readonly coverage?: boolean | undefined;
  /** Record how long the lines of hooks take. */
  readonly profile?: boolean | undefined;
}

/** A configuration, and a test engine with its settings. */
export interface TestProject {
  readonly config: LoadedConfig;
  readonly bench: TestEngine;
}

/**
 * Open a configuration for testing; its hooks are not loaded yet.
 * @throws OrcsError ORCS1015 with every error, ORCS8001 for a discovered configuration that is not trusted
 */
export async function openTestProject(options: TestProjectOptions): Promise<TestProject> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const points = pointSet(options.points);
  const config = await loadTrusted({
    ...(options.config !== undefined && { config: options.config }),
    ...(options.overrides && { overrides: options.overrides }),
    // The tests of a project mean the same on every machine.
    machine: false,
    cwd,
    points,
  });
  const { settings, projectTrust, packages } = config;
  expectTrusted(projectTrust);
  const records = options.coverage === true || options.profile === true;
  const bench = await TestEngine.open({ settings, points, cwd, records, projectTrust, packages });
  bench.agent = options.agent;
  return { config, bench };
}

/** The tests of a project run its code. @throws OrcsError ORCS8001 */
function expectTrusted(projectTrust: TrustedFiles | undefined): void {
  if (!projectTrust || (isTrusted(projectTrust) && projectTrust.differs.length === 0)) return;
  const { directory } = projectTrust;
  // The active hooks are a copy: testing it would say nothing about the edited files.
  const why = isTrusted(projectTrust)
    ? `changed since it was trusted: ${projectTrust.differs.join(", ")}`
    : projectTrust.why;
  const ways = `review it and run orcs trust ${directory}, or pass its orcs.toml with --config`;
  throw new OrcsError("ORCS8001", `the tests of ${directory} are not run: ${why}; ${ways}`, {
    directory,
  });
}
