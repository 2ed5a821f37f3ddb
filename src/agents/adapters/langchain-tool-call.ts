import { OrcsError } from "../../core/index.ts";
import type { CallOptions, CallResult, OrcsSession } from "../../engine/index.ts";
import { isStopped } from "./langchain-approval.ts";

/** What a tool call threw. */
interface Thrown {
  readonly thrown: unknown;
  /** Whether the tool threw it, and not the engine. */
  readonly isOfTool: boolean;
}

/** A call of a model, as LangChain has it in a message. */
interface ModelToolCall<Args> {
  readonly id?: string;
  readonly name: string;
  readonly args: Args;
}

/** A tool call through its hooks, with its result or what it threw. */
export async function callTool<Args extends object>(
  orcs: OrcsSession,
  { id, name, args }: ModelToolCall<Args>,
  options: CallOptions,
  run: (args: Args) => Promise<unknown>,
): Promise<CallResult<unknown> | Thrown> {
  let failed: { readonly thrown: unknown } | undefined;
  const fn = async (changed: Args): Promise<unknown> => {
    try {
      return await run(changed);
    } catch (thrown) {
      failed = { thrown };
      throw thrown;
    }
  };
  try {
    const more = { tool_use_id: id, fn, isInterim: isStopped };
    return await orcs.call<Args>(name, args, { ...options, ...more });
  } catch (thrown) {
    // A hook may have replaced its text.
    const isOfTool = failed !== undefined && !(thrown instanceof OrcsError);
    return { thrown, isOfTool: isOfTool || failed?.thrown === thrown };
  }
}
