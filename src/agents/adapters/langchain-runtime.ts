import type { HITLRequest, Runtime } from "langchain";
import type { ApprovalRequest, CallOptions, OrcsSession } from "../../engine/index.ts";

/** What a hook asked, and what is known when the run was resumed. */
export interface Question {
  readonly request: HITLRequest;
  readonly hook: string;
}

/** A denial by the person who was asked. */
export interface Refusal {
  readonly hook: string;
  /** What that person wants to tell the model. */
  readonly message: string | undefined;
}

/** A question in the form of `humanInTheLoopMiddleware`. */
export function questionOf({ tool, args, reason, hook = "orcs" }: ApprovalRequest): Question {
  const description = reason ?? `hook ${hook} asks for approval`;
  // Hooks are shown a draft, which cannot be stored.
  const stored = JSON.parse(JSON.stringify(args)) as typeof args;
  const request: HITLRequest = {
    actionRequests: [{ name: tool, args: stored, description }],
    reviewConfigs: [{ actionName: tool, allowedDecisions: ["approve", "reject"] }],
  };
  return { request, hook };
}

/**
 * Who has refused; undefined if the answer is yes.
 * @throws the interrupt if there is no answer yet; an Error if the graph cannot wait for one
 */
export function answerTo(
  { request, hook }: Question,
  { interrupt, configurable }: Runtime,
): Refusal | undefined {
  if (!interrupt || !configurable?.["__pregel_checkpointer"]) {
    throw new Error('the agent has no checkpointer; give it one, or use { approval: "engine" }');
  }
  const given = interrupt(request) as { decisions?: unknown } | null | undefined;
  const decisions = Array.isArray(given?.decisions) ? (given.decisions as unknown[]) : [];
  const [decision] = decisions as ({ type?: unknown; message?: unknown } | null | undefined)[];
  if (decisions.length === 1 && decision?.type === "approve") return undefined;
  const isReject = decisions.length === 1 && decision?.type === "reject";
  const message = isReject ? decision.message : "the answer is not one decision approve or reject";
  return { hook, message: typeof message === "string" ? message : undefined };
}

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
