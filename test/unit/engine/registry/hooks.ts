import { compileFql, parseFql } from "../../../../src/core/fql.ts";
import type { Hook, HookRunner, PayloadMatcher } from "../../../../src/core/hook.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { pointSet, type PointSet } from "../../../../src/core/points.ts";
import type { CallScope, Clock, Logger, LogLevel } from "../../../../src/core/ports.ts";
import { FunctionRunner } from "../../../../src/engine/registry/function-runner.ts";
import type { HookHandler } from "../../../../src/engine/registry/function-runner.ts";
import { HookRegistry, type RegistryOptions } from "../../../../src/engine/registry/registry.ts";

/** The built-in points and a family of the tests' own, with loose payloads. */
export const POINTS: PointSet = pointSet({
  "test.pre_run": { phase: "pre" },
  "test.post_run": { phase: "post" },
  "test.on_fact": { phase: "on" },
  "test.on_ask": { phase: "on", question: true },
});

/** A logger that keeps its lines. */
export class Lines implements Logger {
  readonly lines: { level: LogLevel; message: string }[] = [];
  debug(message: string): void {
    this.lines.push({ level: "debug", message });
  }
  info(message: string): void {
    this.lines.push({ level: "info", message });
  }
  warn(message: string): void {
    this.lines.push({ level: "warn", message });
  }
  error(message: string): void {
    this.lines.push({ level: "error", message });
  }
  of(level: LogLevel): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }
}

/** Time that passes only while somebody sleeps. */
export class TestClock implements Clock {
  time = 0;
  readonly slept: number[] = [];
  now(): number {
    return this.time;
  }
  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.time += ms;
  }
}

/** What a hook of a test may say; the rest gets the defaults of the design. */
export type HookWords = Partial<Omit<Hook, "point" | "runner" | "appliesTo" | "matcher">> & {
  point?: string;
  /** Tool names separated by `|`: a stand-in for the matchers, which have tests of their own. */
  tool?: string;
  matcher?: PayloadMatcher;
};

let made = 0;

/** A hook, by default an enabled one at `test.pre_run`. */
export function hook(does: HookHandler | HookRunner, words: HookWords = {}): Hook {
  const { point = "test.pre_run", tool, ...rest } = words;
  const spec = POINTS.resolve(point);
  if (!spec) throw new Error(`no point ${point}`);
  const fql = words.fql ?? "*::*";
  made += 1;
  return {
    id: `hook-${made}`,
    fql,
    match: tool === undefined ? undefined : { tool },
    rank: 0,
    priority: 100,
    enabled: true,
    timeoutMs: 30_000,
    maxRetries: 3,
    onError: undefined,
    onTimeout: undefined,
    once: false,
    async: false,
    observe: false,
    stream: false,
    source: undefined,
    origin: "test",
    ...rest,
    point: spec,
    appliesTo: compileFql(parseFql(fql)),
    matcher: words.matcher ?? (tool === undefined ? undefined : toolMatcher(tool)),
    runner: typeof does === "function" ? new FunctionRunner(does) : does,
  };
}

function toolMatcher(tool: string): PayloadMatcher {
  const names = tool.split("|");
  return {
    failing: (payload) => (names.includes(String(payload["tool_name"])) ? undefined : "tool"),
  };
}

/** A registry with what stands around it. */
export interface Bench {
  readonly registry: HookRegistry;
  readonly log: Lines;
  readonly clock: TestClock;
}

export function bench(options: Partial<RegistryOptions> = {}): Bench {
  const log = new Lines();
  const clock = new TestClock();
  const registry: HookRegistry = new HookRegistry({
    points: POINTS,
    logger: log,
    clock,
    scopeFor: (ctx) => scope(ctx.depth + 1),
    ...options,
  });
  return { registry, log, clock };
}

export function scope(depth: number): CallScope {
  return { depth, get: async () => ({ ok: false, error: "no tools here" }) };
}

/** The outcome of a dispatch that must not have waited. */
export function sync<P extends string>(outcome: Outcome<P> | Promise<Outcome<P>>): Outcome<P> {
  if (outcome instanceof Promise) throw new Error("the dispatch waited");
  return outcome;
}

/** The statuses of a traced outcome, in order. */
export function statuses(outcome: Outcome): string[] {
  return (outcome.trace ?? []).map((entry) => `${entry.id} ${entry.status}`);
}

/** The same value with every container frozen, so that a write to it throws. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** A promise and what settles it. */
export function gate<T = void>(): { open: (value: T) => void; opened: Promise<T> } {
  let open!: (value: T) => void;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
