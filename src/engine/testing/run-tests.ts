import type { Diagnostic } from "../../core/index.ts";
import { type FileCoverage, fileCoverage, type LineTime, lineTimes } from "./coverage.ts";
import { configuredTests, testsInScript } from "./hook-tests.ts";
import { ProjectTests } from "./project-tests.ts";
import { runHookTest, type TestedHooks, type TestResult } from "./run-hook-test.ts";
import { runSpec } from "./spec-file.ts";
import { openTestProject, type TestProjectOptions } from "./test-project.ts";

/** Which tests to run. */
export interface TestRunOptions extends TestProjectOptions {
  /** Scripts, `*_test.lua` files, folders of these, or the configuration; empty: all tests. */
  readonly files?: readonly string[];
  /** Run only tests whose name contains this text. */
  readonly filter?: string | undefined;
  /** Called as each test ends. */
  readonly ended?: (result: TestResult) => void;
}

/** The result of a run. */
export interface TestReport {
  /** Every test has passed or is pending, and there are no errors. */
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly pending: number;
  readonly tests: readonly TestResult[];
  /** Invalid tests, and files that do not load. */
  readonly mistakes: readonly Diagnostic[];
  /** Coverage of the scripts, if requested. */
  readonly coverage: readonly FileCoverage[] | undefined;
  /** How long the lines of hooks took, the slowest first, if requested. */
  readonly profile: readonly LineTime[] | undefined;
  /** Files that were read, absolute, for watching. */
  readonly files: readonly string[];
  /** Folders in which a new test file may appear. */
  readonly folders: readonly string[];
}

/**
 * Run the tests in hook tables, in the configuration and in `*_test.lua` files.
 * @throws OrcsError ORCS1015 for the configuration, ORCS5001 for files that do not exist
 */
export async function runTests(options: TestRunOptions): Promise<TestReport> {
  const project = await openTestProject(options);
  const { config, bench } = project;
  try {
    const tests = new ProjectTests(project, options.files ?? []);
    const results: TestResult[] = [];
    const mistakes: Diagnostic[] = [];
    const files = new Set(config.files);
    const { filter = "" } = options;
    const wanted = (name: string): boolean => name.includes(filter);
    const ended = (result: TestResult): void => {
      const shown = tests.shown(result);
      results.push(shown);
      options.ended?.(shown);
    };
    const runAll = async (list: readonly TestedHooks[]): Promise<void> => {
      for (const each of list) if (wanted(each.test.name)) ended(await runHookTest(bench, each));
    };
    if (tests.configured) await runAll(configuredTests(config.hooks));
    for (const script of tests.scripts) {
      files.add(script.file);
      const found = await testsInScript(bench, script);
      mistakes.push(...found.diagnostics);
      await runAll(found.tests);
    }
    const pointOf = (script: string) => tests.pointOf(script);
    for (const file of tests.specs) {
      files.add(file);
      const found = await runSpec(bench, file, { roots: tests.dirs, pointOf, wanted, ended });
      mistakes.push(...found.diagnostics);
      for (const required of found.requires) files.add(required);
    }
    const count = (status: TestResult["status"]): number =>
      results.filter((result) => result.status === status).length;
    const failed = count("failed");
    const { lines, cwd } = bench;
    return {
      ok: failed === 0 && mistakes.length === 0,
      passed: count("passed"),
      failed,
      pending: count("pending"),
      tests: results,
      mistakes,
      coverage: options.coverage === true && lines ? fileCoverage(lines.files, cwd) : undefined,
      profile: options.profile === true && lines ? lineTimes(lines.hooks, cwd) : undefined,
      files: [...files],
      folders: tests.dirs,
    };
  } finally {
    await bench.close();
  }
}
