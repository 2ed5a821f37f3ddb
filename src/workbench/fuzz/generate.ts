import { AROUND_RULES } from "./around-rules.ts";
import { plainDraft, type Rule, scriptOf } from "./draft.ts";
import { Random } from "./random.ts";
import { SPELL_RULES } from "./spell-rules.ts";
import { VARY_RULES } from "./vary-rules.ts";
import { WRAP_RULES } from "./wrap-rules.ts";

/** A rule, and the seed of what it draws. */
export interface Step {
  readonly rule: Rule;
  readonly seed: number;
}

/** A command line that runs the command, by construction. */
export interface Spelling {
  readonly command: readonly string[];
  /** The steps that had an effect, in order. */
  readonly steps: readonly Step[];
  readonly line: string;
}

/** Whether these words are the forbidden command. */
export type IsForbidden = (argv: readonly string[]) => boolean;

/** The rules by kind; a rule of the first kind applies only in front of the others. */
const KINDS: readonly { readonly rules: readonly Rule[]; readonly weight: number }[] = [
  { rules: VARY_RULES, weight: 15 },
  { rules: SPELL_RULES, weight: 35 },
  { rules: WRAP_RULES, weight: 25 },
  { rules: AROUND_RULES, weight: 25 },
];

/** All rules. */
export const RULES: readonly Rule[] = KINDS.flatMap(({ rules }) => rules);

/** Most steps of a spelling. */
const MOST_STEPS = 6;
/** Longer lines find nothing that shorter ones do not. */
const MOST_LENGTH = 4096;
/** Seeds with which each rule is tried alone. */
const ALONE_SEEDS = 2;

/**
 * The spellings of commands, without end: first each as it is, then each rule alone, then combinations of rules. The
 * same seed makes the same spellings.
 */
export function* spellings(
  commands: readonly (readonly string[])[],
  seed: number,
  isForbidden: IsForbidden,
): Generator<Spelling, never> {
  for (const command of commands) yield spelling(command, [], isForbidden);
  const random = new Random(seed);
  for (let own = 0; own < ALONE_SEEDS; own++) {
    // The first holes are to be of several kinds.
    for (const rule of random.shuffled(RULES)) {
      for (const command of commands) {
        const made = spelling(command, [{ rule, seed: seed + own }], isForbidden);
        if (made.steps.length > 0) yield made;
      }
    }
  }
  for (;;) {
    const command = random.pick(commands);
    const made = spelling(command, randomSteps(random), isForbidden);
    if (made.steps.length > 0 && made.line.length <= MOST_LENGTH) yield made;
  }
}

/** Apply the steps; those that do not apply are left out. */
export function spelling(
  command: readonly string[],
  steps: readonly Step[],
  isForbidden: IsForbidden,
): Spelling {
  let draft = plainDraft(command) as ReturnType<Rule["apply"]> & {};
  const applied: Step[] = [];
  for (const step of steps) {
    const next = step.rule.apply(draft, new Random(step.seed));
    if (!next) continue;
    const isOther =
      step.rule.kind === "vary" &&
      next.kind === "words" &&
      !isForbidden(next.words.map(({ text }) => text));
    if (isOther) continue;
    applied.push(step);
    draft = next;
  }
  return { command, steps: applied, line: scriptOf(draft) };
}

function randomSteps(random: Random): Step[] {
  const count = 1 + random.below(MOST_STEPS);
  const total = KINDS.reduce((sum, { weight }) => sum + weight, 0);
  const steps = Array.from({ length: count }, (): Step => {
    let at = random.below(total);
    const kind = KINDS.find(({ weight }) => (at -= weight) < 0);
    return { rule: random.pick(kind?.rules ?? RULES), seed: random.below(2 ** 31) };
  });
  const [varied, others] = [true, false].map((is) =>
    steps.filter(({ rule }) => (rule.kind === "vary") === is),
  );
  return [...(varied ?? []), ...(others ?? [])];
}

/** Seeds that are tried in place of a step's own. */
const SIMPLE_SEEDS = 4;

/**
 * The smallest spelling of the same kind that is still a hole: steps are left out one by one, and what the remaining
 * steps draw is replaced by something simpler.
 * @param holes those of some spellings that are holes, in the same order
 */
export async function shrink(
  found: Spelling,
  isForbidden: IsForbidden,
  holes: (spellings: readonly Spelling[]) => Promise<readonly Spelling[]>,
): Promise<Spelling> {
  let best = found;
  for (;;) {
    const { command, steps } = best;
    const without = steps.map((_, at) =>
      spelling(
        command,
        steps.filter((_step, i) => i !== at),
        isForbidden,
      ),
    );
    const simpler = steps.flatMap((step, at) =>
      Array.from({ length: SIMPLE_SEEDS }, (_, seed) =>
        spelling(command, steps.with(at, { rule: step.rule, seed }), isForbidden),
      ),
    );
    const smaller = [...without, ...simpler].filter((each) => bySize(each, best) < 0);
    const distinct = new Map(smaller.map((each) => [each.line, each]));
    const [next] = (await holes([...distinct.values()])).toSorted(bySize);
    if (!next) return best;
    best = next;
  }
}

function bySize(a: Spelling, b: Spelling): number {
  return a.steps.length - b.steps.length || a.line.length - b.line.length;
}
