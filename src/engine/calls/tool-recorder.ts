import type { JsonObject } from "../../core/json.ts";

/** A tool that is about to run, after its pre hooks and all checks. */
export interface RecordableCall {
  /** Name of the tool; `llm` for the model behind it. */
  readonly kind: string;
  /** As the pre hooks left them. */
  readonly args: JsonObject;
  /** 0 for a program's own call, more for one that a hook makes. */
  readonly depth: number;
}

/** What a tool came to, before its post hooks: its result, or what it threw. */
export type OperationEnd = { readonly result: unknown } | { readonly thrown: unknown };

/** Stands at the tools of an engine. */
export interface ToolRecorder {
  /** Gives the result in place of the tool, which does not run then; what it throws the tool has thrown. */
  instead?(call: RecordableCall): unknown;
  /**
   * Told of a tool before it runs; what it returns is told how that ended. Neither throws.
   * @returns undefined when it does not want to know
   */
  runs?(call: RecordableCall): ((end: OperationEnd) => void) | undefined;
}

/** Run an operation as its tap wants: at once where there is none. */
export function recorded(
  tap: ToolRecorder | undefined,
  call: RecordableCall,
  operation: () => unknown,
): unknown {
  if (!tap) return operation();
  if (tap.instead) return tap.instead(call);
  const ended = tap.runs?.(call);
  return ended ? told(operation, ended) : operation();
}

async function told(
  operation: () => unknown,
  ended: (end: OperationEnd) => void,
): Promise<unknown> {
  let result: unknown;
  try {
    result = await operation();
  } catch (thrown) {
    ended({ thrown });
    throw thrown;
  }
  ended({ result });
  return result;
}
