import type { CallScope } from "../../core/ports.ts";

/** What the worker knows of what a job's calls are made through. */
export interface ScopeFacts {
  readonly depth: number;
  readonly mayHook: boolean;
  /** Whether there is a runtime to ask. */
  readonly hasVerbs: boolean;
}

export function scopeFacts(scope: CallScope): ScopeFacts {
  const { depth, mayHook = true } = scope;
  return { depth, mayHook, hasVerbs: scope.verb !== undefined };
}
