import type { Json, SignalKind } from "orcs";
import type { Random } from "../fuzz/random.ts";

/** What components can be asked, with how often. */
const OPERATIONS = {
  echo: 12,
  wait: 5,
  ask: 5,
  emit: 3,
  tool: 3,
  fail: 2,
  hang: 1,
  loop: 1,
  rubbish: 1,
  spawn: 5,
  run: 6,
  send: 2,
  stop_child: 2,
  signal: 2,
  hook: 2,
  command: 1,
  grant: 1,
} as const;

export type Operation = keyof typeof OPERATIONS;

/** A piece of work. Whoever does it answers its number. */
export interface Work {
  readonly n: string;
  /** Another component. */
  readonly target: string;
  readonly ms: number;
  /** A child. */
  readonly child: string;
  readonly signal: SignalKind;
}

const DRAWN_OPERATIONS = drawn(OPERATIONS);
const SIGNALS = {
  cancel: 6,
  pause: 3,
  resume: 8,
  approve: 2,
  reject: 2,
  veto: 1,
} as const satisfies Record<SignalKind, number>;

const DRAWN_SIGNALS = drawn(SIGNALS);

/** Components that there may be. */
export const TS_NAMES = Array.from({ length: 6 }, (_, i) => `builtin::ts${i}`);
export const LUA_NAMES = Array.from({ length: 6 }, (_, i) => `lua::lua${i}`);

/** What hooks answer in place of others. */
export const BY_HOOK = { by: "hook" };

export function randomTarget(random: Random): string {
  return random.chance(0.06)
    ? random.pick(["builtin::nobody", "lua::lua0#other", "nonsense"])
    : random.pick([...TS_NAMES, ...LUA_NAMES]);
}

export function randomOperation(random: Random): Operation {
  return random.pick(DRAWN_OPERATIONS);
}

export function randomSignal(random: Random): SignalKind {
  return random.pick(DRAWN_SIGNALS);
}

export function randomWork(random: Random, n: string): Work {
  return {
    n,
    target: randomTarget(random),
    ms: random.below(12),
    child: `kid${random.below(3)}`,
    signal: randomSignal(random),
  };
}

/** What is wrong with the answer to a piece of work. */
export function wrongAnswer(n: string): (answer: Json) => string | undefined {
  return (answer) => {
    const found = answer as { n?: unknown; by?: unknown } | null;
    if (found?.by === "hook" || found?.n === n) return undefined;
    return `was answered with ${JSON.stringify(answer)}`;
  };
}

/** Each name as often as its weight says. */
function drawn<Name extends string>(weights: Readonly<Record<Name, number>>): Name[] {
  const names = Object.keys(weights) as Name[];
  return names.flatMap((name) => Array.from({ length: weights[name] }, () => name));
}
