import { type JsonObject, OrcsError, type TraceEntry } from "../../core/index.ts";
import { forbiddenPatterns, forbiddenPredicate } from "./forbidden.ts";
import type { Forbidden, NeverPredicate } from "./forbidden.ts";
import { type FuzzCounts, type FuzzResult, type Hole, type Judgement, runFuzz } from "./fuzz.ts";
import { FakeEnvironment, TestTools } from "../../engine/index.ts";
import type { FakeTool, Observed, Watched } from "../../engine/index.ts";
import { openChosenHooks } from "../chosen-hooks.ts";
import type { TestHooksOptions } from "../testing.ts";

/** Options of `fuzz`. */
export interface FuzzOptions extends Pick<
  TestHooksOptions,
  "config" | "cwd" | "agent" | "overrides" | "hooks" | "only"
> {
  /**
   * What must never run: commands, as in `match.runs`, or a function of the words and the environment of a program that
   * was started.
   */
  readonly never: string | readonly string[] | NeverPredicate;
  /** Simple commands that are spelled otherwise; required if `never` is a function, otherwise its patterns. */
  readonly commands?: readonly string[];
  /** The tool whose argument `command` is the line; default `exec`. */
  readonly tool?: string;
  /** Most spellings; default 20,000. */
  readonly runs?: number;
  /** Most time; default 60. */
  readonly seconds?: number;
  /** The same seed makes the same spellings; default 1. */
  readonly seed?: number;
  /** Stop after this number of holes; default 10. */
  readonly most?: number;
  /** Functions that replace tools, by name. A hook that calls another tool fails. */
  readonly tools?: Readonly<Record<string, FakeTool>>;
  readonly signal?: AbortSignal;
  /** Called now and then with the numbers so far. */
  readonly progress?: (counts: FuzzCounts) => void;
}

/** A line that hooks let pass, and what they did with it. */
export interface FuzzHole extends Hole {
  /** The hooks of `tool.pre_execute`, in order. */
  readonly hooks: readonly TraceEntry[];
  /** The hook that stops the plain command, and how; undefined if none does. */
  readonly guard: FuzzGuard | undefined;
}

/** What a hook does with the plain command. */
export interface FuzzGuard extends Pick<Observed, "action" | "decision"> {
  readonly hook: string;
}

/** The result of `fuzz`. */
export interface FuzzReport extends Omit<FuzzResult, "holes"> {
  readonly ok: boolean;
  readonly holes: readonly FuzzHole[];
}

const POINT = "tool.pre_execute";

/**
 * Generate command lines that run a forbidden command, and report those that the hooks let pass and that really ran it,
 * as short as they can be. The lines are run by a bash that has only stub programs, in namespaces of their own (Linux,
 * with `bwrap` or `unshare`); elsewhere, orcs reads them. Tools of hooks are never run.
 * @throws OrcsError ORCS1012 (pattern), ORCS1004 (other options), ORCS1015 (configuration), ORCS8001 (not trusted)
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const forbidden = forbiddenOf(options);
  const { project, entries } = await openChosenHooks(options);
  try {
    const session = await project.bench.rig(entries, options.hooks ?? []);
    const dispatch = (line: string): Promise<Watched> => {
      // A hook that counts its calls must not stop a line because of those before.
      project.bench.world.begin(new FakeEnvironment(new TestTools(options.tools), {}));
      const payload = { tool_name: options.tool ?? "exec", args: { command: line } };
      return session.dispatchAt(POINT, payload, {});
    };
    const result = await runFuzz({
      forbidden,
      judge: async (line) => judgementOf(await dispatch(line), line),
      seed: options.seed ?? 1,
      runs: options.runs ?? 20_000,
      ms: (options.seconds ?? 60) * 1000,
      most: options.most ?? 10,
      signal: options.signal,
      progress: options.progress,
    });
    const holes: FuzzHole[] = [];
    for (const hole of result.holes) {
      const { trace } = await dispatch(hole.line);
      const plain = await dispatch(hole.command);
      holes.push({ ...hole, hooks: trace, guard: guardOf(plain, hole.command) });
    }
    session.close();
    return { ok: holes.length === 0, ...result, holes };
  } finally {
    await project.bench.close();
  }
}

/** @throws OrcsError ORCS1004, ORCS1012 */
function forbiddenOf({ never, commands = [], runs, seconds, seed }: FuzzOptions): Forbidden {
  for (const [name, value] of Object.entries({ runs, seconds, seed })) {
    if (value === undefined || (Number.isFinite(value) && value >= 0)) continue;
    const why = `${name}: expected a number that is not negative, got ${value}`;
    throw new OrcsError("ORCS1004", why);
  }
  if (typeof never === "function") return forbiddenPredicate(never, commands);
  const forbidden = forbiddenPatterns(typeof never === "string" ? [never] : never);
  if (commands.length === 0) return forbidden;
  return { ...forbidden, commands: forbiddenPredicate(forbidden.matches, commands).commands };
}

function guardOf(watched: Watched, command: string): FuzzGuard | undefined {
  const { hook, action, decision } = watched.observed;
  if (hook === undefined || !judgementOf(watched, command).stopped) return undefined;
  return { hook, action, ...(decision !== undefined && { decision }) };
}

function judgementOf({ observed }: Watched, line: string): Judgement {
  const { action, decision, error } = observed;
  const stopped =
    (action !== "continue" && action !== "replace") ||
    (decision !== undefined && decision !== "allow");
  const { command } = (observed.payload["args"] ?? {}) as JsonObject;
  return {
    stopped,
    line: typeof command === "string" ? command : line,
    ...(stopped && error !== undefined && { failed: error }),
  };
}
