import { POINT_TABLE } from "./built.ts";
import type { HookContext, HookDefinition } from "orcs";
import type { Random } from "../fuzz/random.ts";
import type { Ledger } from "./ledger.ts";
import { HANDLERS } from "./scripts.ts";
import { BY_HOOK } from "./work.ts";

const FAMILIES = ["component", "request", "signal", "child", "channel", "tool", "auth", "bus"];
/** The 25 points that the runtime comes to. */
const POINTS = Object.entries(POINT_TABLE)
  .map(([name, { phase }]) => ({ name, phase }))
  .filter(({ name }) => FAMILIES.includes(name.slice(0, name.indexOf("."))))
  .filter(({ name }) => name !== "tool.on_failure");

type Phase = (typeof POINTS)[number]["phase"];

/** Points of which the payload names a piece of work. */
const WORK = ["request.", "child.pre_run", "child.post_run", "bus.pre_", "bus.post_"];

/** What a hook does when it acts, where it may. */
const ACTS: readonly {
  readonly phases: readonly Phase[];
  readonly act: (ctx: HookContext, ledger: Ledger) => unknown;
}[] = [
  { phases: ["pre", "post", "on"], act: () => undefined },
  { phases: ["pre", "post", "on"], act: (ctx) => void (ctx.metadata["seen"] = true) },
  { phases: ["pre", "post", "on"], act: () => new Promise((go) => setTimeout(go, 3)) },
  { phases: ["pre", "post", "on"], act: () => new Promise(() => undefined) },
  {
    phases: ["pre", "post", "on"],
    act() {
      throw new Error("a hook failed");
    },
  },
  { phases: ["pre"], act: () => ({ action: "skip", result: BY_HOOK }) },
  { phases: ["pre"], act: () => ({ action: "abort", reason: "by a hook" }) },
  { phases: ["post"], act: () => ({ action: "replace", result: BY_HOOK }) },
  {
    phases: ["pre", "post"],
    act(ctx, ledger) {
      const numbers = numbersIn(ctx.payload);
      // What is done again must be known to the ledger, or it would be taken for a fault.
      if (numbers.length === 0 && WORK.some((point) => ctx.hook_point.startsWith(point)))
        return undefined;
      for (const number of numbers) ledger.repeat(number);
      return { action: "retry", delay_ms: 1 };
    },
  },
];

/** Hooks in TypeScript on points of all kinds. */
export function randomHooks(random: Random, ledger: Ledger, generation: number): HookDefinition[] {
  return random
    .many(4, 14, () => undefined)
    .map((_, i) => {
      const { name, phase } = random.pick(POINTS);
      const { act } = random.pick(ACTS.filter(({ phases }) => phases.includes(phase)));
      const every = 2 + random.below(12);
      let calls = 0;
      return {
        id: `ts-${generation}-${i}`,
        point: name,
        fql: random.pick([undefined, undefined, "builtin::*", "lua::*"]),
        onError: random.pick(["open", "closed"] as const),
        timeoutMs: 15,
        maxRetries: 1,
        async: phase !== "pre" && random.chance(0.15),
        handler: (ctx) => (++calls % every === 0 ? act(ctx, ledger) : undefined),
      };
    });
}

/** Hooks in Lua, as a configuration states them. */
export function configuredHooks(random: Random, generation: number): Record<string, unknown>[] {
  return random
    .many(0, 8, () => undefined)
    .map((_, i) => {
      const { name, phase } = random.pick(POINTS);
      const may = HANDLERS.filter((handler) => handler.phase === "any" || handler.phase === phase);
      return {
        id: `lua-${generation}-${i}`,
        point: name,
        handler_inline: random.pick(may).code,
        on_error: random.pick(["open", "closed"]),
        timeout_ms: 20,
        options: { state: random.below(2) },
      };
    });
}

/** The numbers of the work that a dispatch is about. */
function numbersIn(payload: unknown): unknown[] {
  const found = payload as {
    payload?: { n?: unknown };
    input?: { n?: unknown };
    child_result?: { n?: unknown };
    event?: { payload?: { n?: unknown } };
  };
  const { payload: asked, input, child_result, event } = found;
  return [asked, input, child_result, event?.payload].flatMap((work) => work?.n ?? []);
}
