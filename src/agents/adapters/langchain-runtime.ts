import type { Runtime } from "langchain";
import type { CallOptions, OrcsSession } from "../../engine/index.ts";

/** Whether LangGraph throws it to control the graph: it must reach the graph, and is no failure. */
export function isBubbleUp(thrown: unknown): boolean {
  return typeof thrown === "object" && thrown !== null && "is_bubble_up" in thrown;
}

/** The thread of the run as the session of its calls, unless they have one. */
export function sessionIn({ configurable }: Runtime, orcs: OrcsSession): CallOptions {
  const id: unknown = orcs.sessionId ?? configurable?.thread_id;
  return typeof id === "string" ? { session_id: id } : {};
}

/** Whether a tool call is a task of its own, so that an answer cannot reach another call. */
export function isOwnTask({ configurable }: Runtime): boolean {
  const scratchpad = configurable?.["__pregel_scratchpad"] as
    | { readonly currentTaskInput?: object | null }
    | undefined;
  return "lg_tool_call" in (scratchpad?.currentTaskInput ?? {});
}

/** Where in which graph an operation is: the same when the graph is resumed. */
export function placeOf({ configurable }: Runtime, id: string | undefined): string {
  return JSON.stringify([configurable?.thread_id, configurable?.["checkpoint_ns"], id]);
}
