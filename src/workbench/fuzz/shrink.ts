import { type IsForbidden, spelling, type Spelling } from "./generate.ts";

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
