import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { diagnosticsOf, moduleRoots, readScript, shownFile } from "../../config/index.ts";
import { isPlainObject, messageOf, OrcsError } from "../../core/index.ts";
import type { Diagnostic, Json, PointSpec } from "../../core/index.ts";
import { FakeEnvironment } from "./fake-environment.ts";
import type { TestResult } from "./run-hook-test.ts";
import { SpecHost } from "./spec-host.ts";
import type { ScriptObject } from "../lua/index.ts";
import type { TestEngine } from "./test-engine.ts";

/** Time limit of one test, in milliseconds. On a fake clock hardly anything waits. */
const TEST_MS = 10_000;
/** The module name of the test file, for `lua/testing/spec.lua`. */
const MODULE = "orcs.spec";

/** A syntax error in a test file: it is loaded as a module. */
const SYNTAX = /module 'orcs\.spec': .*?:(\d+): ([\s\S]*)$/;

/** Options for running a test file. */
export interface SpecOptions {
  /** Folders of scripts. */
  readonly roots: readonly string[];
  readonly pointOf: (file: string) => PointSpec | undefined;
  /** Whether to run a test, by its name. */
  wanted(name: string): boolean;
  /** Called as each test ends. */
  ended(result: TestResult): void;
}

/** The result of a file, besides those of its tests. */
export interface SpecEnd {
  /** Why the file did not load. */
  readonly diagnostics: readonly Diagnostic[];
  /** Files that it required. */
  readonly requires: readonly string[];
}

/**
 * Run the tests of a `*_test.lua` file one after the other, in one state. A test that is killed takes the state with
 * it; the tests after it run in a new state.
 */
export async function runSpec(
  bench: TestEngine,
  file: string,
  options: SpecOptions,
): Promise<SpecEnd> {
  const shown = shownFile(file, bench.cwd);
  const dir = dirname(file);
  // A test in a folder `tests` belongs to the scripts of the folder above.
  const roots = moduleRoots([dir, dirname(dir), ...options.roots], file);
  const host = new SpecHost({ bench, roots, pointOf: options.pointOf });
  let program: ScriptObject | undefined;
  try {
    bench.modules.set(MODULE, { file: shown, bytes: readScript(file) });
    program = await load(bench, shown, roots, host);
    const tests = listed(program);
    for (const [i, { name, line }] of tests.entries()) {
      if (!options.wanted(name)) continue;
      if (program.lost) {
        program.close();
        program = await load(bench, shown, roots, host);
      }
      const started = performance.now();
      const rest = await runTest(bench, program, host, i + 1);
      const duration_ms = performance.now() - started;
      options.ended({ name, place: { file: shown, line }, duration_ms, ...rest });
    }
    const requires = [...program.requires].filter((required) => required !== shown);
    return { diagnostics: [], requires };
  } catch (thrown) {
    return { diagnostics: mistakesOf(thrown, shown), requires: [...(program?.requires ?? [])] };
  } finally {
    program?.close();
    host.close();
    bench.modules.delete(MODULE);
  }
}

type Ended = Pick<TestResult, "status" | "message" | "differences">;

function load(
  bench: TestEngine,
  name: string,
  roots: readonly string[],
  host: SpecHost,
): Promise<ScriptObject> {
  const code = readFileSync(new URL("../../../lua/testing/spec.lua", import.meta.url));
  const source = { name, roots, options: { module: MODULE } };
  bench.world.begin(new FakeEnvironment(host, {}));
  return bench.program({ file: "orcs", code, kind: "script" }, source, host.scope);
}

async function runTest(
  bench: TestEngine,
  program: ScriptObject,
  host: SpecHost,
  at: number,
): Promise<Ended> {
  host.reset();
  bench.world.begin(new FakeEnvironment(host, {}));
  const late = AbortSignal.timeout(TEST_MS);
  try {
    return endOf(await program.call("run", [at], { scope: host.scope, signal: late }));
  } catch (thrown) {
    const why = late.aborted ? `it did not finish within ${TEST_MS / 1000} s` : messageOf(thrown);
    // The next file does not need its state.
    program.close();
    return { status: "failed", message: why };
  }
}

function endOf(result: Json | undefined): Ended {
  if (!isPlainObject(result))
    return { status: "failed", message: "the test file returned no result" };
  const { status, message, expected, got } = result;
  const differs = expected !== undefined || got !== undefined;
  return {
    status: status === "passed" || status === "pending" ? status : "failed",
    ...(typeof message === "string" && { message }),
    ...(differs && { differences: [{ at: "", expected, got }] }),
  };
}

function listed({ fields }: ScriptObject): { name: string; line: number }[] {
  const { tests } = fields;
  return Array.isArray(tests) ? (tests as unknown as { name: string; line: number }[]) : [];
}

function mistakesOf(thrown: unknown, file: string): readonly Diagnostic[] {
  if (!(thrown instanceof OrcsError)) {
    const message = `the tests cannot be read: ${messageOf(thrown)}`;
    return [{ code: "ORCS1009", severity: "error", message, place: { file, line: 1 } }];
  }
  const syntax = SYNTAX.exec(thrown.message);
  if (!syntax) return diagnosticsOf(file, thrown);
  const [, line = "1", message = ""] = syntax;
  const place = { file, line: Number(line) };
  return [{ code: "ORCS3001", severity: "error", message, place }];
}
