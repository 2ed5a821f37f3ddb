import type { Diagnostic, JsonObject } from "../../../core/index.ts";
import { configuredTests, testsInScript } from "../hook-tests.ts";
import type { ProjectTests } from "../project-tests.ts";
import { runHookTest, type TestedHooks, type TestResult } from "../run-hook-test.ts";
import { runSpec } from "../spec-file.ts";
import type { TestProject } from "../test-project.ts";
import { FakeEnvironment } from "../fake-environment.ts";
import { TestTools } from "../recorded-calls.ts";
import type { TestEngine } from "../test-engine.ts";
import type { TestSession } from "../test-session.ts";

/** A script that several tests share. No test may depend on another. */
interface SharedGuard {
  /** Absolute. */
  readonly script: string;
  readonly options?: JsonObject | undefined;
}

/** The shared scripts on one engine, each loaded when its first test runs. */
export class LoadedGuards {
  readonly bench: TestEngine;
  readonly #sessions = new Map<SharedGuard, Promise<TestSession>>();

  constructor(bench: TestEngine) {
    this.bench = bench;
  }

  /** @throws OrcsError ORCS1015 if it does not load */
  async load(guard: SharedGuard): Promise<TestSession> {
    const known = this.#sessions.get(guard);
    if (known) return known;
    const { script, options } = guard;
    this.bench.world.begin(new FakeEnvironment(new TestTools(), {}));
    const session = this.bench.rigOf(script, { options });
    this.#sessions.set(guard, session);
    return session;
  }

  async close(): Promise<void> {
    for (const session of await Promise.allSettled(this.#sessions.values())) {
      if (session.status === "fulfilled") session.value.close();
    }
    this.#sessions.clear();
  }
}

/** A test that can be run alone, or the tests of a `*_test.lua` file that depend on each other. */
export interface TestUnit {
  /** What is loaded for it, and for others. */
  readonly guard?: SharedGuard;
  /**
   * Run it, until a test fails.
   * @returns the results; none that failed means that it passed
   */
  run(loaded: LoadedGuards): Promise<readonly TestResult[]>;
}

/** The tests of a project that can be run one by one. @param filter as in `TestRunOptions` */
export async function testUnits(
  { config, bench }: TestProject,
  tests: ProjectTests,
  filter: string | undefined,
): Promise<{ units: TestUnit[]; mistakes: readonly Diagnostic[] }> {
  const wanted = (name: string): boolean => filter === undefined || name.includes(filter);
  const hookTests: TestedHooks[] = tests.configured ? configuredTests(config.hooks) : [];
  const mistakes: Diagnostic[] = [];
  for (const script of tests.scripts) {
    const found = await testsInScript(bench, script);
    hookTests.push(...found.tests);
    mistakes.push(...found.diagnostics);
  }
  const units = hookTests.filter(({ test }) => wanted(test.name)).map(hookUnit);
  const loaded = new LoadedGuards(bench);
  for (const file of tests.specs) units.push(...(await specUnits(loaded, file, tests, wanted)));
  return { units, mistakes };
}

function hookUnit(tested: TestedHooks): TestUnit {
  return { run: async ({ bench }) => [await runHookTest(bench, tested)] };
}

/** The tests of a file, one by one if each passes alone. */
async function specUnits(
  loaded: LoadedGuards,
  file: string,
  tests: ProjectTests,
  wanted: (name: string) => boolean,
): Promise<TestUnit[]> {
  const names = new Set<string>();
  const listing = specUnit(file, tests, (name) => {
    if (wanted(name)) names.add(name);
    return false;
  });
  await listing.run(loaded);
  const each = [...names].map((name) => specUnit(file, tests, (other) => other === name));
  for (const unit of each) {
    const results = await unit.run(loaded);
    if (results.some(({ status }) => status === "failed")) return [specUnit(file, tests, wanted)];
  }
  // Without tests, it says why the file does not load.
  return each.length > 0 ? each : [specUnit(file, tests, wanted)];
}

function specUnit(file: string, tests: ProjectTests, wanted: (name: string) => boolean): TestUnit {
  return {
    async run({ bench }) {
      const results: TestResult[] = [];
      const hasFailed = (): boolean => results.some(({ status }) => status === "failed");
      const { diagnostics } = await runSpec(bench, file, {
        roots: tests.dirs,
        pointOf: (script) => tests.pointOf(script),
        wanted: (name) => !hasFailed() && wanted(name),
        ended: (result) => results.push(result),
      });
      const [mistake] = diagnostics;
      if (mistake && !hasFailed()) {
        const { place = { file, line: 1 }, message } = mistake;
        results.push({ name: "loads", place, status: "failed", duration_ms: 0, message });
      }
      return results;
    },
  };
}
