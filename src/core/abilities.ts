import { verdictFor } from "./actions.ts";
import type { PointSpec } from "./points.ts";

/**
 * What a hook can do to an operation: the decisions and actions of a result, a change of the input (`rewrite`), and of
 * the result (`replace`, in place or with the action).
 */
export const ABILITIES = [
  "deny",
  "ask",
  "defer",
  "allow",
  "rewrite",
  "skip",
  "retry",
  "replace",
  "inject",
] as const;

export type Ability = (typeof ABILITIES)[number];

/** Each ability as what a hook returns, in Markdown. */
export const ABILITY_LABELS: Readonly<Record<Ability, string>> = {
  deny: "a denial",
  ask: "`ask`",
  defer: "`defer`",
  allow: "`allow`",
  rewrite: "a changed input",
  skip: "`skip`",
  retry: "`retry`",
  replace: "a changed result (`replace`)",
  inject: "text for the model",
};

/** What a hook can do at a point. */
export function abilitiesAt(point: PointSpec): Ability[] {
  return ABILITIES.filter((ability) => IS_POSSIBLE[ability](point));
}

const decides = ({ phase }: PointSpec): boolean => phase === "pre";

const IS_POSSIBLE: Readonly<Record<Ability, (point: PointSpec) => boolean>> = {
  deny: (point) => verdictFor(point, "abort") === "legal",
  ask: decides,
  defer: decides,
  // Elsewhere nothing asks for a permission, so there is nothing to allow.
  allow: ({ name }) => name === "tool.pre_execute" || name === "auth.pre_check",
  rewrite: ({ phase, known, inputKey }) => {
    const key = known.get(inputKey);
    return phase === "pre" && key !== undefined && key.fixed !== true;
  },
  skip: (point) => verdictFor(point, "skip") === "legal",
  retry: (point) => verdictFor(point, "retry") === "legal",
  replace: (point) => verdictFor(point, "replace") === "legal" && point.known.has(point.resultKey),
  inject: () => true,
};
