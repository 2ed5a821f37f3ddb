import type { Diagnostic } from "../../core/index.ts";
import type { FileCoverage } from "./coverage.ts";
import { fileCoverage } from "./coverage.ts";
import type { TestedScript } from "./hook-tests.ts";
import { configuredTests, testsInScript } from "./hook-tests.ts";
import { ProjectTests } from "./project-tests.ts";
import type { TestResult, TestedHooks } from "./run-hook-test.ts";
import { runHookTest } from "./run-hook-test.ts";
import { runSpec } from "./spec-file.ts";
import type { TestProject, TestProjectOptions } from "./test-project.ts";
import { openTestProject } from "./test-project.ts";

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
  try {
    return await new TestRun(project, options).run();
  } finally {
    await project.bench.close();
  }
}

class TestRun {
  readonly #project: TestProject;
  readonly #options: TestRunOptions;
  readonly #tests: ProjectTests;
  readonly #results: TestResult[] = [];
  readonly #mistakes: Diagnostic[] = [];
  readonly #files = new Set<string>();

  constructor(project: TestProject, options: TestRunOptions) {
    this.#project = project;
    this.#options = options;
    this.#tests = new ProjectTests(project, options.files ?? []);
  }

  async run(): Promise<TestReport> {
    const { config, bench } = this.#project;
    const { scripts, specs, configured, dirs } = this.#tests;
    for (const file of config.files) this.#files.add(file);
    if (configured) await this.#runAll(configuredTests(config.hooks));
    for (const script of scripts) await this.#runScript(script);
    for (const file of specs) await this.#runSpec(file);
    const count = (status: TestResult["status"]): number =>
      this.#results.filter((result) => result.status === status).length;
    const failed = count("failed");
    return {
      ok: failed === 0 && this.#mistakes.length === 0,
      passed: count("passed"),
      failed,
      pending: count("pending"),
      tests: this.#results,
      mistakes: this.#mistakes,
      coverage: bench.coverage && fileCoverage(bench.coverage.files, bench.cwd),
      files: [...this.#files],
      folders: dirs,
    };
  }

  async #runScript(script: TestedScript): Promise<void> {
    this.#files.add(script.file);
    const { tests, diagnostics } = await testsInScript(this.#project.bench, script);
    this.#mistakes.push(...diagnostics);
    await this.#runAll(tests);
  }

  async #runAll(tests: readonly TestedHooks[]): Promise<void> {
    for (const test of tests) {
      if (!this.#isWanted(test.test.name)) continue;
      this.#ended(await runHookTest(this.#project.bench, test));
    }
  }

  async #runSpec(file: string): Promise<void> {
    this.#files.add(file);
    const { diagnostics, requires } = await runSpec(this.#project.bench, file, {
      roots: this.#tests.dirs,
      pointOf: (script) => this.#tests.pointOf(script),
      wanted: (name) => this.#isWanted(name),
      ended: (result) => this.#ended(result),
    });
    this.#mistakes.push(...diagnostics);
    for (const required of requires) this.#files.add(required);
  }

  #isWanted(name: string): boolean {
    const { filter } = this.#options;
    return filter === undefined || name.includes(filter);
  }

  #ended(ended: TestResult): void {
    const result = this.#tests.shown(ended);
    this.#results.push(result);
    this.#options.ended?.(result);
  }
}
