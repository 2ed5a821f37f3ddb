import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { Hook, MatchSpec } from "../../src/core/hook.ts";
import { compileMatcher } from "../../src/matching/match.ts";
import { bench, hook } from "../unit/engine/registry/hooks.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";

/**
 * Hooks are found by the name of the tool. Against a naive model: every hook of the point, sorted, asked one by one
 * whether its matcher holds on the payload as it is by then; and against a dispatch with a trace, which asks all.
 */

const NAMES = ["exec", "Exec", "read", "write", "mcp__a", "x|y", "*"];
const PATTERNS =
  "exec,Exec,read|write,exec|exec, exec | read ,mcp__a,nothing,*,mcp__*,e?ec,[er]*,exec|mcp__*,!exec,\\*".split(
    ",",
  );
const matches: fc.Arbitrary<MatchSpec | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 8, arbitrary: fc.constantFrom(...PATTERNS).map((tool) => ({ tool })) },
  { weight: 1, arbitrary: fc.constantFrom("^e", "rea|wri").map((tool_regex) => ({ tool_regex })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("exec", "read|write").map((tool) => ({ tool, session: "s" })),
  },
);

const names = fc.constantFrom<unknown>(...NAMES, "unheard-of", 7, null, undefined);
/** Where a hook may write a tool's name: at a point whose names are free. */
const rename = fc.record({
  key: fc.constantFrom("tool_name", "tool", "host"),
  value: fc.constantFrom(...NAMES, "unheard-of"),
});

interface Plan {
  readonly match: MatchSpec | undefined;
  readonly priority: number;
  readonly rank: 0 | 1;
  readonly once: boolean;
  readonly stops: boolean;
  readonly rename: { readonly key: string; readonly value: string } | undefined;
  /** What it does to the set while it runs. */
  readonly meanwhile: "nothing" | "adds" | "removes";
}
const plan: fc.Arbitrary<Plan> = fc.record({
  match: matches,
  priority: fc.constantFrom(100, 100, 50, 200),
  rank: fc.constantFrom<0 | 1>(0, 0, 0, 1),
  once: fc.constantFrom(false, false, false, true),
  stops: fc.constantFrom(...Array.from({ length: 9 }, () => false), true),
  rename: fc.option(rename, { nil: undefined, freq: 2 }),
  meanwhile: fc.constantFrom<Plan["meanwhile"]>("nothing", "nothing", "adds", "removes"),
});

type Step =
  | { readonly do: "add"; readonly plan: Plan }
  | { readonly do: "remove" | "toggle" | "exchange"; readonly at: number; readonly plan: Plan }
  | { readonly do: "dispatch"; readonly payload: Record<string, unknown> };
const payloads = fc
  .record({ tool_name: names, tool: names, host: fc.option(names), session_id: fc.constant("s") })
  .map(({ host, ...rest }): Record<string, unknown> =>
    host === null ? rest : Object.assign(rest, { host: { tool_name: host } }),
  );
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: plan.map((plan): Step => ({ do: "add", plan })) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom<"remove" | "toggle" | "exchange">("remove", "toggle", "exchange"),
      at: fc.nat(20),
      plan,
    }),
  },
  {
    weight: 5,
    arbitrary: payloads.map((payload): Step => ({ do: "dispatch", payload })),
  },
);

const AROUND = { cwd: "/", realPath: (path: string) => path, shell: { read: () => ({}) } } as never;

/** What the model has of a hook. */
interface Known {
  readonly id: string;
  readonly plan: Plan;
  readonly order: number;
  enabled: boolean;
}

/** The registry and the model, step by step; `traced` asks all hooks one by one. */
class Sides {
  readonly ran: string[] = [];
  readonly #bench: ReturnType<typeof bench>;
  readonly #traced: boolean;
  #known: Known[] = [];
  #made = 0;

  constructor(traced: boolean) {
    this.#traced = traced;
    this.#bench = bench();
  }

  take(step: Step): void {
    const { registry } = this.#bench;
    if (step.do === "add") registry.register(this.#make(step.plan));
    if (step.do === "dispatch") return this.#dispatch(step.payload);
    if (step.do === "add") return;
    const known = this.#known[step.at % Math.max(1, this.#known.length)];
    if (!known) return;
    if (step.do === "remove") this.#remove(known.id);
    if (step.do === "toggle") {
      known.enabled = !known.enabled;
      registry.setEnabled(known.id, known.enabled);
    }
    if (step.do === "exchange") {
      // The exchanged set stands among the others where it stood first, so one that is exchanged is the newest here.
      this.#remove(known.id);
      registry.register(this.#make(step.plan));
    }
  }

  #make(plan: Plan): Hook {
    const id = `h${this.#made++}`;
    this.#known.push({ id, plan, order: this.#made, enabled: true });
    return hook(
      (ctx) => {
        this.ran.push(id);
        const payload = ctx.payload as Record<string, unknown>;
        const { rename } = plan;
        if (rename) payload[rename.key] = renamed(rename);
        if (plan.meanwhile === "adds" && this.#made < 40)
          this.#bench.registry.register(this.#make({ ...plan, meanwhile: "nothing" }));
        if (plan.meanwhile === "removes") this.#removeLast();
        return plan.stops ? { action: "continue", stop: true } : undefined;
      },
      {
        id,
        point: "test.pre_run",
        priority: plan.priority,
        rank: plan.rank,
        once: plan.once,
        ...(plan.match && { matcher: compileMatcher(plan.match, AROUND) as never }),
      },
    );
  }

  #removeLast(): void {
    const last = this.#known.at(-1);
    if (last) this.#remove(last.id);
  }

  #remove(id: string): void {
    this.#bench.registry.unregister(id);
    this.#known = this.#known.filter((known) => known.id !== id);
  }

  #dispatch(payload: Record<string, unknown>): void {
    const { registry } = this.#bench;
    const before = this.#known.map((known) => ({ ...known }));
    const expected = expectedRuns(before, payload);
    this.ran.length = 0;
    const outcome = registry.dispatch("test.pre_run", payload, { trace: this.#traced });
    expect(outcome).not.toBeInstanceOf(Promise);
    expect(this.ran).toEqual(expected);
    const spent = new Set(expected);
    this.#known = this.#known.filter(({ id, plan }) => !(plan.once && spent.has(id)));
    expect(registry.list("test.pre_run").map(({ id }) => id)).toEqual(
      inOrder(this.#known).map(({ id }) => id),
    );
  }
}

function renamed({ key, value }: { key: string; value: string }): unknown {
  return key === "host" ? { tool_name: value } : value;
}

function inOrder(known: readonly Known[]): Known[] {
  return [...known].sort(
    (a, b) => a.plan.rank - b.plan.rank || a.plan.priority - b.plan.priority || a.order - b.order,
  );
}

/** Filter and sort; the user's own hooks a second time where one of a project has changed the payload. */
function expectedRuns(known: readonly Known[], given: Record<string, unknown>): string[] {
  const payload = { ...given };
  if (payload["tool_name"] !== undefined && payload["tool"] === undefined)
    payload["tool"] = payload["tool_name"];
  const all = inOrder(known);
  const ran: string[] = [];
  const spent = new Set<string>();
  let isAgain = false;
  let queue = [...all];
  let again: Known[] | undefined;
  for (;;) {
    const next = queue.shift();
    if (!next) {
      if (!again || isAgain) return ran;
      isAgain = true;
      queue = again;
      continue;
    }
    const { id, plan, enabled } = next;
    if (!enabled || (plan.once && spent.has(id))) continue;
    const matcher = plan.match && compileMatcher(plan.match, AROUND);
    if (matcher && matcher.failing(payload) !== undefined) continue;
    ran.push(id);
    spent.add(id);
    if (plan.rename) {
      const value = renamed(plan.rename);
      const isChange = JSON.stringify(payload[plan.rename.key]) !== JSON.stringify(value);
      payload[plan.rename.key] = value;
      if (isChange && plan.rank === 1 && !again) again = all.filter((one) => one.plan.rank === 0);
    }
    if (!plan.stops) continue;
    if (!again || isAgain) return ran;
    queue = [];
  }
}

describe("hooks that match tools by name", () => {
  repeatedTest.each([
    ["found by name", false],
    ["asked one by one, for a trace", true],
  ])("run in agreement with a naive filter: %s", (_, traced) => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const sides = new Sides(traced);
        for (const one of steps) sides.take(one);
      }),
      { numRuns: runCount(1500) },
    );
  });

  it("are found after a change, for any number of cached name pairs", () => {
    const names = Array.from({ length: 33 }, (_, i) => `tool-${i}`);
    const pairs = names.flatMap((own) => names.map((foreign) => [own, foreign] as const));
    const matcher = compileMatcher({ tool: names.join("|") }, AROUND) as never;
    const missed: number[] = [];
    // What is kept is forgotten somewhere beyond a thousand of them; to register has it forgotten as well.
    for (let count = 1020; count <= 1030; count++) {
      const { registry } = bench();
      registry.register(hook(() => {}, { id: "names-all", matcher }));
      const dispatch = ([own, foreign]: readonly [string, string]): unknown =>
        registry.dispatch("test.pre_run", { tool_name: own, host: { tool_name: foreign } });
      for (const pair of pairs.slice(0, count)) dispatch(pair);
      registry.register(hook(() => ({ action: "abort", reason: "guarded" }), { id: "guard" }));
      const outcome = dispatch(pairs[count - 1] as readonly [string, string]);
      if ((outcome as { action: string }).action !== "abort") missed.push(count);
    }
    expect(missed).toEqual([]);
  });

  it("are in the trace when skipped", async () => {
    const { registry } = bench();
    const asked: unknown[] = [];
    const matcher = compileMatcher({ tool: "read" }, AROUND);
    const passed = {
      tools: matcher?.tools,
      failing: (payload: unknown) => (asked.push(payload), "tool" as const),
    };
    registry.register(hook(() => {}, { id: "other", matcher: passed }));
    registry.register(hook(() => {}, { id: "all" }));
    const traced = await registry.dispatch("test.pre_run", { tool_name: "exec" }, { trace: true });
    expect(traced.trace?.map(({ id, status, failing }) => [id, status, failing])).toEqual([
      ["other", "not_matched", "tool"],
      ["all", "ran", undefined],
    ]);
    expect(asked).toHaveLength(1);
    // Without one nobody asks it.
    await registry.dispatch("test.pre_run", { tool_name: "exec" });
    expect(asked).toHaveLength(1);
  });

  it.each([[false], [true]])("fail if the tool name cannot be read, trace: %s", (trace) => {
    const { registry } = bench();
    const matcher = compileMatcher({ tool: "read" }, AROUND) as never;
    registry.register(hook(() => {}, { id: "guard", matcher }));
    const payload = {
      tool_name: "exec",
      tool: "exec",
      get host(): object {
        throw new Error("not told");
      },
    };
    expect(registry.dispatch("test.pre_run", payload, { trace })).toMatchObject({
      action: "abort",
      hook: "guard",
    });
  });
});
