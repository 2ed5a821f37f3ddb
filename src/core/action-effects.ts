import type { ActionName } from "./actions.ts";

/** What each action comes to, in one line for the docs and the Lua definitions. */
export const ACTION_EFFECTS: Readonly<Record<ActionName, string>> = {
  continue: "the next hook sees what this one changed",
  skip: "the operation does not run, `result` stands for its result; the chain ends",
  abort:
    "the operation is denied with `reason`; at a post point it has run, and its result is not given out; the chain ends",
  replace: "`result` takes the place of the result; the chain goes on with it",
  retry: "the operation runs again after `delay_ms`, at most `max_retries` times; the chain ends",
};
