import type { FailureMode, Hook, HookFailure } from "../core/hook.ts";
import type { PointSpec } from "../core/points.ts";

/** What decides when a hook has failed: the first that says anything. */
export function failureMode(
  hook: Hook,
  failure: HookFailure,
  ofEngine: FailureMode | undefined,
  { phase }: PointSpec,
): FailureMode {
  return (
    (hook.async ? "open" : undefined) ??
    (failure.kind === "timeout" ? hook.onTimeout : undefined) ??
    hook.onError ??
    failure.mode ??
    ofEngine ??
    (phase === "pre" ? "closed" : "open")
  );
}
