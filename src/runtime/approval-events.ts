import { OrcsError } from "../core/errors.ts";

/** Category of what components subscribe to that answer questions for approval. */
export const APPROVAL = "Approval";

/** Whoever answers a question must be sure that it is the one that was asked: hooks may refuse it, not change it. */
export function questionChanged(): OrcsError {
  const why = `a hook changed or made a question for approval, of the category ${APPROVAL}: the runtime alone asks`;
  return new OrcsError("ORCS6010", why, { category: APPROVAL });
}
