import type { ActionName } from "../../core/actions.ts";
import type { ORCS_FUNCTIONS } from "../../core/orcs-api.ts";

/** The functions of `orcs` that make answers, and what each of them answers. `deny` is an abort. */
export const ANSWER_FORMS = {
  deny: "abort",
  allow: "continue",
  ask: "continue",
  inject: "continue",
  retry: "retry",
  skip: "skip",
  replace: "replace",
} as const satisfies { readonly [Name in keyof typeof ORCS_FUNCTIONS]?: ActionName };
