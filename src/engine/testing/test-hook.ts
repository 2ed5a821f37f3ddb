import { AssertionError } from "node:assert";
import type { HookTestExpectation } from "../../config/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { HookDefinition } from "../orcs/index.ts";
import { failureLines } from "./failure-text.ts";
import { runHookTest } from "./run-hook-test.ts";
import { testReader } from "./script-tests.ts";
import { openTestProject, type TestProjectOptions } from "./test-project.ts";

/** An event of a test: the payload, with `tool` as a short form of `tool_name`, and keys that set the context. */
export interface HookTestEvent {
  /** The name of the tool. */
  readonly tool?: string;
  readonly args?: JsonObject;
  /** Default: the point of the hook. */
  readonly point?: string;
  readonly component?: string;
  readonly child?: string;
  readonly instance?: string;
  readonly metadata?: JsonObject;
  /** The whole payload, in place of its keys. */
  readonly payload?: JsonObject;
  /** The clock is set to this time before the event, in milliseconds. */
  readonly now_ms?: number;
  /** Any other key is one of the payload. */
  readonly [key: string]: unknown;
}

/** A test of a hook, with the keys of `tests` in Lua and TOML: docs/how-to/testing.md. */
export interface HookTestCase {
  readonly name: string;
  readonly event?: HookTestEvent;
  readonly expect?: HookTestExpectation;
  /** Several events in sequence, in place of `event` and `expect`. */
  readonly events?: readonly (HookTestEvent & { readonly expect: HookTestExpectation })[];
  /** The tool calls that the hook makes, and their results. */
  readonly calls?: readonly {
    readonly tool: string;
    readonly args?: Json;
    readonly answers?: JsonObject;
    readonly times?: number;
  }[];
  readonly state?: JsonObject;
  readonly state_after?: JsonObject;
  readonly now_ms?: number;
  readonly time?: string;
  /** Replaces the options of the hook. */
  readonly options?: JsonObject;
}

/** Options of `testHook`. */
export interface TestHookOptions extends Pick<TestProjectOptions, "overrides" | "points"> {}

/**
 * Run one test of a hook that is written in TypeScript, or of several that run together. Real tools are never run.
 * @returns when it has passed
 * @throws AssertionError with the expected and the actual values; OrcsError for an invalid test (ORCS1003, 1004, 1005,
 *   1013) and as `orcs.hook` for an invalid hook
 */
export async function testHook<P extends string>(
  hook: HookDefinition<P> | readonly HookDefinition[],
  test: HookTestCase,
  options: TestHookOptions = {},
): Promise<void> {
  const { bench } = await openTestProject({ ...options, config: false });
  try {
    const read = testReader(bench.points)(test);
    const given: readonly unknown[] = Array.isArray(hook) ? hook : [hook];
    const definitions = given as readonly HookDefinition[];
    // To report an invalid hook as what it is.
    (await bench.rig([], definitions)).close();
    const place = { file: "", line: 0 };
    const result = await runHookTest(bench, { test: read, place, entries: [], definitions });
    if (result.status === "passed") return;
    const { differences = [] } = result;
    throw new AssertionError({
      message: [read.name, ...failureLines(result)].join("\n"),
      expected: Object.fromEntries(differences.map(({ at, expected }) => [at, expected])),
      actual: Object.fromEntries(differences.map(({ at, got }) => [at, got])),
      operator: "testHook",
      stackStartFn: testHook,
    });
  } finally {
    await bench.close();
  }
}
