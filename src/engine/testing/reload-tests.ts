import { beginning } from "../../core/index.ts";
import { readScript } from "../../config/index.ts";
import type { LoadedConfig } from "../../config/index.ts";
import type { Diagnostic, PointSet } from "../../core/index.ts";
import type { ReloadTester } from "../orcs/index.ts";
import { configuredScripts, configuredTests, testsInScript } from "./hook-tests.ts";
import type { TestedHooks, TestResult } from "./run-hook-test.ts";
import { runHookTest } from "./run-hook-test.ts";
import { TestEngine } from "./test-engine.ts";

/** `[engine] test_on_reload`. */
export class ReloadTests implements ReloadTester {
  readonly #points: PointSet;
  readonly #cwd: string;
  /** What the scripts and the hooks with tests were when they were last found good, by their names. */
  #good: ReadonlyMap<string, string> = new Map();

  constructor(points: PointSet, cwd: string) {
    this.#points = points;
    this.#cwd = cwd;
  }

  accept(config: LoadedConfig, modules: readonly string[]): void {
    this.#good = signatures(config, modules);
  }

  /** Tests scripts and hooks that differ from what is in effect; a module that differs concerns all. */
  async failing(config: LoadedConfig, modules: readonly string[]): Promise<Diagnostic[]> {
    const now = signatures(config, modules);
    const same = (name: string): boolean =>
      this.#good.get(MODULES) === now.get(MODULES) && this.#good.get(name) === now.get(name);
    const scripts = configuredScripts(config.hooks).filter(({ file }) => !same(file));
    const entries = config.hooks.filter(({ id }) => !same(hookName(id)));
    const tests: TestedHooks[] = configuredTests(entries);
    if (tests.length === 0 && scripts.length === 0) return [];
    const { settings, projectTrust, packages } = config;
    const around = { points: this.#points, cwd: this.#cwd };
    const bench = await TestEngine.open({ ...around, settings, projectTrust, packages });
    try {
      const found: Diagnostic[] = [];
      for (const script of scripts) {
        const inScript = await testsInScript(bench, script);
        found.push(...inScript.diagnostics);
        tests.push(...inScript.tests);
      }
      for (const test of tests) {
        const result = await runHookTest(bench, test);
        if (result.status === "failed") found.push(asDiagnostic(result));
      }
      return found;
    } finally {
      await bench.close();
    }
  }
}

const MODULES = "modules";

function hookName(id: string): string {
  return `hook ${id}`;
}

/** What each script and each hook with tests is, in short: what is the same needs no test again. */
function signatures({ hooks }: LoadedConfig, modules: readonly string[]): Map<string, string> {
  const now = new Map<string, string>();
  for (const { file } of configuredScripts(hooks)) now.set(file, textOf(file));
  for (const entry of hooks) {
    const { handler } = entry;
    const script = handler.kind === "script" ? textOf(handler.file) : "";
    // Where it stands says nothing of what it is.
    const { place: _, tests, handler: stated, ...rest } = entry;
    const what = { ...rest, tests: tests.map(({ test }) => test), stated: { ...stated, place: 0 } };
    now.set(hookName(entry.id), JSON.stringify(what) + script);
  }
  const required = [...new Set(modules)].sort().map((file) => `${file}\n${textOf(file)}`);
  now.set(MODULES, required.join("\n"));
  return now;
}

function asDiagnostic({ name, place, message, differences = [] }: TestResult): Diagnostic {
  const [first] = differences;
  const what = first && `${first.at}: expected ${shown(first.expected)}, got ${shown(first.got)}`;
  const why = [what, message].filter((part) => part !== undefined).join("; ");
  const text = `the test ${JSON.stringify(name)} failed: ${why}`;
  return { code: "ORCS3007", severity: "error", message: text, place };
}

function shown(value: unknown): string {
  return beginning(JSON.stringify(value) ?? "nothing");
}

function textOf(file: string): string {
  try {
    return Buffer.from(readScript(file)).toString("latin1");
  } catch {
    return "";
  }
}
