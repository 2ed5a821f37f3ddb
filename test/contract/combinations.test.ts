import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { repeatedTest, shareOf } from "../slow-test.ts";
import type { Json } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { CustomPoint } from "../../src/core/points.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { folder, Lines, open } from "../unit/engine/orcs/engine.ts";

/**
 * Phase × action × decision for one hook, and pairs of decisions for two, whatever the hooks are written
 * in. The expectations stand here by hand, from design.md §4. Single actions and single decisions at each
 * built-in point are in actions.test.ts.
 */

const POINTS = {
  pre: ["deploy.pre_push", { phase: "pre" }],
  post: ["deploy.post_push", { phase: "post" }],
  on: ["deploy.on_push", { phase: "on" }],
  question: ["deploy.on_ask", { phase: "on", question: true }],
} as const satisfies Record<string, readonly [string, CustomPoint]>;
type Kind = keyof typeof POINTS;
const KINDS = Object.keys(POINTS) as Kind[];

/** `none` is an answer without a decision. */
const DECISIONS = ["none", "allow", "ask", "defer", "deny"] as const;
type Decision = (typeof DECISIONS)[number];

/** The actions, and `stop`, which is a continue that ends the chain. */
const ACTIONS = {
  continue: { action: "continue" },
  skip: { action: "skip", result: { from: "h" } },
  abort: { action: "abort", reason: "because" },
  replace: { action: "replace", result: { from: "h" } },
  retry: { action: "retry", delay_ms: 7 },
  stop: { action: "continue", stop: true },
} as const;
type Action = keyof typeof ACTIONS;

/**
 * What comes of an answer, columns as `DECISIONS`. Decisions other than deny are about what has not happened yet,
 * and only `continue` may carry one; `deny` is an abort. Whatever else makes no sense is a failed hook.
 */
const TABLE: Record<Kind, Record<Action, string>> = {
  pre: {
    //         none     allow    ask      defer    deny
    continue: "goes_on  decided  decided  decided  refused",
    skip: "    skipped  failed   failed   failed   failed",
    abort: "   refused  failed   failed   failed   failed",
    replace: " warned   failed   failed   failed   failed",
    retry: "   again    failed   failed   failed   failed",
    stop: "    stopped  decided! decided! decided! refused",
  },
  // There a denial withholds what came of the operation. One that is misspelt fails, but lets nothing pass.
  post: {
    continue: "goes_on  failed   failed   failed   refused",
    skip: "    failed   failed   failed   failed   failed!",
    abort: "   refused  failed!  failed!  failed!  failed!",
    replace: " replaced failed   failed   failed   failed!",
    retry: "   again    failed   failed   failed   failed!",
    stop: "    stopped  failed   failed   failed   refused",
  },
  on: {
    continue: "goes_on  failed   failed   failed   failed",
    skip: "    failed   failed   failed   failed   failed",
    abort: "   failed   failed   failed   failed   failed",
    replace: " warned   failed   failed   failed   failed",
    retry: "   failed   failed   failed   failed   failed",
    stop: "    stopped  failed   failed   failed   failed",
  },
  question: {
    continue: "goes_on  failed   failed   failed   failed",
    skip: "    failed   failed   failed   failed   failed",
    abort: "   failed   failed   failed   failed   failed",
    replace: " replaced failed   failed   failed   failed",
    retry: "   failed   failed   failed   failed   failed",
    stop: "    stopped  failed   failed   failed   failed",
  },
};

/** What a dispatch shows of what came of its hook `h`. */
interface Seen {
  /** Without the context and the trace. */
  readonly outcome: Record<string, unknown>;
  /** Whether the hook behind ran, and the result that it saw. */
  readonly behind: unknown;
  /** Of `h`. */
  readonly status: string | undefined;
  readonly warnings: number;
  readonly errors: number;
}

const WAS = { from: "host" };
const REACHED = { result: WAS };
const QUIET = { warnings: 0, errors: 0 };

function expected(word: string, kind: Kind, decision: Decision): Seen {
  const ran = { status: "ran", ...QUIET };
  const goesOn = { action: "continue", inject: [] };
  const said = { ...goesOn, decision, reason: "because", hook: "h" };
  switch (word) {
    case "goes_on":
      return { ...ran, outcome: goesOn, behind: REACHED };
    case "decided":
      return { ...ran, outcome: said, behind: REACHED };
    case "decided!":
      return { ...ran, outcome: said, behind: undefined };
    case "stopped":
      return { ...ran, outcome: goesOn, behind: undefined };
    case "replaced":
      return { ...ran, outcome: goesOn, behind: { result: { from: "h" } } };
    case "warned":
      return { ...ran, warnings: 1, outcome: goesOn, behind: REACHED };
    case "skipped": {
      const outcome = { action: "skip", result: { from: "h" }, hook: "h", inject: [] };
      return { ...ran, outcome, behind: undefined };
    }
    case "refused": {
      const outcome = { action: "abort", reason: "because", hook: "h", inject: [] };
      return { ...ran, outcome, behind: undefined };
    }
    case "again": {
      const outcome = { action: "retry", delay_ms: 7, max_retries: 3, hook: "h", inject: [] };
      return { ...ran, outcome, behind: undefined };
    }
    case "failed":
    case "failed!": {
      const failed = { status: "failed", warnings: 0, errors: 1 };
      if (kind !== "pre" && word === "failed")
        return { ...failed, outcome: goesOn, behind: REACHED };
      const reason: unknown = expect.stringMatching(/^hook h failed: ./);
      const outcome = { action: "abort", reason, hook: "h", inject: [] };
      return { ...failed, outcome, behind: undefined };
    }
    default:
      throw new Error(`no such word: ${word}`);
  }
}

function answer(action: Action, decision: Decision): Record<string, Json> {
  if (decision === "none") return { ...ACTIONS[action] };
  return { ...ACTIONS[action], decision, reason: "because" };
}

/** How a hook is made to give an answer: an engine with hook `h` at each point, and what `h` shall say next. */
interface Speaker {
  readonly orcs: Orcs;
  readonly log: Lines;
  /** What `dispatch` is given so that `h` answers with `answer`. */
  readonly ask: (answer: Record<string, Json>) => Record<string, Json>;
}

const points = Object.fromEntries(Object.values(POINTS));
/** Hooks are one per point, and are called `h` in what is compared. */
const idAt = (point: string): string => `h@${point}`;
const atEachPoint = (key: "handler_inline" | "shell", handler: string) =>
  Object.values(POINTS).map(([point]) => ({ id: idAt(point), point, [key]: handler }));

async function typescript(): Promise<Speaker> {
  const log = new Lines();
  let next: unknown;
  const handler = (): unknown => next;
  const hooks = Object.values(POINTS).map(([point]) => ({ id: idAt(point), point, handler }));
  const orcs = await open({ points, hooks, logger: log });
  return { orcs, log, ask: (given) => ((next = given), {}) };
}

async function lua(): Promise<Speaker> {
  const log = new Lines();
  const cases = Object.keys(ACTIONS).flatMap((action) =>
    DECISIONS.map((decision) => answer(action as Action, decision)),
  );
  const rows = cases.map((given) => `[${quoted(nameOf(given))}] = ${table(given)},`);
  const handlers = `
    local answers = { ${rows.join("\n")} }
    return function(ctx)
      return answers[ctx.payload.case] or error("no such case")
    end`;
  const hooks = atEachPoint("handler_inline", luaFunction(handlers));
  const orcs = await open({ points, config: { hooks }, logger: log });
  return { orcs, log, ask: (given) => ({ case: nameOf(given) }) };
}

async function shell(): Promise<Speaker> {
  const log = new Lines();
  const cwd = folder();
  const hooks = atEachPoint("shell", "cat answer.json");
  const orcs = await open({ points, config: { hooks }, cwd, logger: log });
  const ask = (given: Record<string, Json>): Record<string, Json> => {
    writeFileSync(join(cwd, "answer.json"), JSON.stringify(given));
    return {};
  };
  return { orcs, log, ask };
}

/** Code that makes a function, as a handler that calls the function. */
function luaFunction(maker: string): string {
  return `local made = (function() ${maker} end)()\nreturn made(ctx)`;
}

const nameOf = ({ action, stop, decision }: Record<string, Json>): string =>
  JSON.stringify([action, stop, decision]).replaceAll('"', "'");
const quoted = (text: string): string => `"${text}"`;

/** A flat object as a Lua table; the tests' answers hold no more than one object in another. */
function table(given: Record<string, Json>): string {
  const fields = Object.entries(given).map(([key, value]) => `${key} = ${luaValue(value)}`);
  return `{ ${fields.join(", ")} }`;
}
function luaValue(value: Json): string {
  if (typeof value === "string") return quoted(value);
  return typeof value === "object" ? table(value as Record<string, Json>) : String(value);
}

/** Dispatch once, with a hook behind that looks at the result. */
async function see({ orcs, log, ask }: Speaker, kind: Kind, given: Record<string, Json>) {
  const [point] = POINTS[kind];
  let behind: unknown;
  const remove = orcs.on(point, (ctx) => {
    behind = { result: structuredClone({ ...(ctx.payload["result"] as object) }) };
  });
  log.lines.length = 0;
  const outcome = await orcs.dispatch(point, { result: WAS, ...ask(given) }, { trace: true });
  remove();
  const { ctx: _ctx, trace, ...rest } = outcome;
  const count = (level: string): number =>
    log.lines.filter((line) => line.startsWith(`${level}: `)).length;
  const text = JSON.stringify(rest).replaceAll(idAt(point), "h");
  return {
    outcome: JSON.parse(text) as Record<string, unknown>,
    behind,
    status: trace?.find(({ id }) => id === idAt(point))?.status,
    warnings: count("warn"),
    errors: count("error"),
  } satisfies Seen;
}

describe.each([
  ["TypeScript", typescript],
  ["Lua", lua],
  ["a command that speaks orcs", shell],
] as const)("a hook in %s", (_, make) => {
  repeatedTest.each(KINDS)("at a %s point: every action with every decision", async (kind) => {
    const speaker = await make();
    const seen: Record<string, Seen> = {};
    const due: Record<string, Seen> = {};
    const all = (Object.keys(ACTIONS) as Action[]).flatMap((action) =>
      DECISIONS.map((decision, i) => ({ action, decision, i })),
    );
    // One process each; what is made of an answer does not depend on where it came from.
    for (const { action, decision, i } of make === shell ? shareOf(all, 4) : all) {
      const words = TABLE[kind][action].trim().split(/\s+/);
      expect(words).toHaveLength(DECISIONS.length);
      const name = `${action} + ${decision}`;
      due[name] = expected(words[i] ?? "", kind, decision);
      seen[name] = await see(speaker, kind, answer(action, decision));
    }
    expect(seen).toEqual(due);
  });
});

/** Which of two counts, rows the first hook's, columns the second's: deny > defer > ask > allow > none. */
const PAIRS: Record<Decision, string> = {
  //      none  allow ask   defer deny
  none: " none  allow ask   defer deny",
  allow: "allow allow ask   defer deny",
  ask: "  ask   ask   ask   defer deny",
  defer: "defer defer defer defer deny",
  deny: " deny  deny  deny  deny  deny",
};

const say = (decision: Decision, reason: string): Record<string, Json> => ({
  action: "continue",
  reason,
  ...(decision !== "none" && { decision }),
});

describe("two hooks, every pair of decisions", () => {
  const inTypeScript = (id: string, priority: number) => ({
    hooks: DECISIONS.map((decision) => ({
      id: `${id}-${decision}`,
      point: POINTS.pre[0],
      priority,
      match: { tool: `*${id}=${decision};*` },
      handler: () => say(decision, id),
    })),
  });
  const inConfig = (id: string, priority: number, make: (decision: Decision) => object) => ({
    config: DECISIONS.map((decision) => ({
      id: `${id}-${decision}`,
      point: POINTS.pre[0],
      priority,
      match: { tool: `*${id}=${decision};*` },
      ...make(decision),
    })),
  });
  const inLua = (id: string, priority: number) =>
    inConfig(id, priority, (decision) => ({
      handler_inline: `return ${table(say(decision, id))}`,
    }));
  const inShell = (id: string, priority: number) =>
    inConfig(id, priority, (decision) => ({
      shell: `echo '${JSON.stringify(say(decision, id))}'`,
    }));

  type Maker = (
    id: string,
    priority: number,
  ) => { hooks?: ReturnType<typeof inTypeScript>["hooks"]; config?: object[] };
  const MAKERS = { TypeScript: inTypeScript, Lua: inLua, "a command": inShell };
  const kinds = Object.keys(MAKERS) as (keyof typeof MAKERS)[];
  const both = kinds.flatMap((a) => kinds.map((b) => [a, b] as const));

  /** What does not start a process for each pair is tried whole. */
  const pairsOf = (a: string, b: string) => {
    const all = DECISIONS.flatMap((one) => DECISIONS.map((two, i) => [one, two, i] as const));
    return a === b || ![a, b].includes("a command") ? all : shareOf(all, 4);
  };

  repeatedTest.each(both)("%s, then %s: the stronger decision wins", async (a, b) => {
    const first = (MAKERS[a] as Maker)("first", 1);
    const second = (MAKERS[b] as Maker)("second", 2);
    const orcs = await open({
      points,
      hooks: [...(first.hooks ?? []), ...(second.hooks ?? [])],
      config: { hooks: [...(first.config ?? []), ...(second.config ?? [])] },
    });
    const seen: Record<string, string> = {};
    const due: Record<string, string> = {};
    for (const [one, two, i] of pairsOf(a, b)) {
      const wins = PAIRS[one].trim().split(/\s+/)[i];
      const name = `${one}, ${two}`;
      // Who said the stronger, and of equals who said it first. After a deny nobody is asked.
      const by = wins === one ? "first" : "second";
      due[name] = wins === "none" ? "none" : `${wins} by ${by}-${wins}: ${by}`;
      const payload = { tool_name: `first=${one};second=${two};` };
      seen[name] = decided(await orcs.dispatch(POINTS.pre[0], payload));
    }
    expect(seen).toEqual(due);
  });
});

function decided(outcome: Outcome): string {
  switch (outcome.action) {
    case "abort":
      return `deny by ${outcome.hook}: ${outcome.reason}`;
    case "continue":
      if (outcome.decision === undefined) return "none";
      return `${outcome.decision} by ${String(outcome.hook)}: ${String(outcome.reason)}`;
    default:
      return outcome.action;
  }
}
