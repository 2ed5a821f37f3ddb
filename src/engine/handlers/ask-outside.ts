import { jsonContext, messageOf, OrcsError } from "../../core/index.ts";
import type { Environment, Hook, HookReport, Redactor, Turn } from "../../core/index.ts";
import { failed, type HandlerCall, refuse } from "../../formats/index.ts";
import { maskedContext, restoredReport } from "./unmasked-answer.ts";

/** What asking a handler outside of the engine needs, whatever its kind. */
export interface OutsideOptions {
  /** Of calls that have none of their own. */
  readonly environment: Environment;
  /** Masks what is sent; without it, everything is sent as it is. */
  readonly redactor?: Redactor | undefined;
  /** Whether it is somebody else's: a hook in shadow asks it only with `shadow_effects`. */
  readonly isShared?: boolean | undefined;
  /** Returns the reason why it must not run, if any: its script differs from the trusted one. */
  readonly refusal?: (() => string | undefined) | undefined;
}

/**
 * The report of a handler outside of the engine. Never rejects.
 * @param reach what it is reached by, with the variables of the call; it may throw
 * @param ask its report about the context that was sent
 */
export async function askOutside<To>(
  { hook, ctx, scope, environment }: Turn,
  options: OutsideOptions,
  reach: (environment: Environment) => To,
  ask: (call: HandlerCall, to: To) => Promise<HookReport>,
): Promise<HookReport> {
  if (options.isShared && hook.mode === "audit" && scope.effect?.("webhook") !== true) {
    return { answer: undefined, edits: [] };
  }
  const { point } = hook;
  try {
    // A copy: later changes of the context are not changes by the handler.
    const whole = jsonContext(ctx, point.phase);
    // The answer is compared with what was sent.
    const call = { point, ctx: maskedContext(whole, options.redactor) };
    const refusal = options.refusal?.();
    // Independent of `on_error`: nobody has trusted this code.
    if (refusal !== undefined) return refuse(call, refusal);
    let to: To;
    try {
      to = reach(environment ?? options.environment);
    } catch (thrown) {
      return environmentFailure(thrown, hook);
    }
    return restoredReport(await ask(call, to), point, call.ctx, whole);
  } catch (thrown) {
    const [why] = messageOf(thrown).split("\n");
    return failed("payload", `the context cannot be written as JSON: ${why}`);
  }
}

/**
 * What a hook reports that has not the variables it needs. One that is not known denies whatever its `on_error`: nobody
 * can tell what it would have decided.
 */
export function environmentFailure(thrown: unknown, hook: Hook): HookReport {
  const isUnknown = thrown instanceof OrcsError && thrown.code === "ORCS7022";
  return isUnknown ? refuse(hook, thrown.message) : failed("error", messageOf(thrown));
}
