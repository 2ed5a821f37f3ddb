import type { HITLRequest, Runtime } from "langchain";
import type { ApprovalRequest, Approve, CallOptions } from "../engine/options.ts";
import type { OrcsSession } from "../engine/orcs.ts";
import { NewestMap } from "./newest-map.ts";

/** Who answers `ask`: `"interrupt"` is the interrupt of LangGraph, `"engine"` is `onAsk` of the engine or the session. */
export type Approval = "interrupt" | "engine";

/** What a hook asked, and what is known when the run was resumed. */
interface Question {
  readonly request: HITLRequest;
  readonly hook: string;
}

type Answer =
  | { readonly approved: true }
  | { readonly approved: false; readonly message: string | undefined };

/** The result of an operation that did not come to an end, or whose end hooks must not see. */
class Stopped {
  readonly thrown: unknown;

  /** @param thrown undefined if the operation was refused before it ran */
  constructor(thrown: unknown) {
    this.thrown = thrown;
  }
}

/** Whether a result is only intermediate: the operation has stopped, and may be started again. */
export function isStopped(result: unknown): result is Stopped {
  return result instanceof Stopped;
}

/** A denial by the person who was asked, or undefined. */
export interface Refusal {
  readonly hook: string;
  /** What that person wants to tell the model. */
  readonly message: string | undefined;
}

/** How an operation runs between its hooks. */
export interface Attempt {
  /** Options of the call: the session, the abort signal, and who answers questions. */
  readonly options: CallOptions;
  /** Run the operation itself, unless it was refused already. What only pauses the graph is no failure. */
  run(operation: () => unknown): Promise<unknown>;
  /** The answer of the person who was asked, if it was not an approval. */
  refusal(): Refusal | undefined;
}

/** The questions of one middleware: each interrupts the graph, and is answered when the graph is resumed. */
export class Questions {
  readonly #orcs: OrcsSession;
  readonly #approval: Approval;
  /** By place in the graph: a hook that asks only once must not let a refused call pass when it runs again. */
  readonly #open = new NewestMap<string, Question>();

  constructor(orcs: OrcsSession, approval: Approval) {
    this.#orcs = orcs;
    this.#approval = approval;
  }

  /**
   * Run an operation whose hooks may ask.
   * @param id of the operation within its node of the graph
   * @param why it cannot be interrupted, if it cannot
   * @param operate must end when `attempt.options.signal` is aborted
   * @throws the interrupt of a hook or of the operation itself, for the graph
   */
  async during<Outcome extends object>(
    runtime: Runtime,
    id: string | undefined,
    why: string | undefined,
    operate: (attempt: Attempt) => Promise<Outcome>,
  ): Promise<Outcome> {
    const place = placeOf(runtime, id);
    const open = this.#open.get(place);
    // It stays open while there is no answer.
    let answer = open && answerTo(open.request, runtime);
    this.#open.delete(place);
    let refusal = open && refusalOf(answer, open.hook);
    const paused = new AbortController();
    let interruption: { readonly thrown: unknown } | undefined;
    const onAsk: Approve = (asked) => {
      const question = questionOf(asked);
      if (why !== undefined) throw new Error(why);
      try {
        answer ??= answerTo(question.request, runtime);
      } catch (thrown) {
        if (!isBubbleUp(thrown)) throw thrown;
        this.#open.keep(place, question);
        interruption = { thrown };
        paused.abort();
        return false;
      }
      refusal = refusalOf(answer, question.hook);
      // For this question only: another one of the same call is asked again.
      answer = undefined;
      return refusal === undefined;
    };
    const { signal } = runtime;
    const options: CallOptions = {
      ...sessionIn(runtime, this.#orcs),
      signal: signal ? AbortSignal.any([signal, paused.signal]) : paused.signal,
      ...(this.#approval === "interrupt" && { onAsk }),
    };
    const outcome = await operate({ options, run, refusal: () => refusal });
    if (interruption) throw interruption.thrown;
    const stopped = "result" in outcome && isStopped(outcome.result) ? outcome.result : undefined;
    if (stopped?.thrown !== undefined) throw stopped.thrown;
    return outcome;

    async function run(operation: () => unknown): Promise<unknown> {
      if (refusal) return new Stopped(undefined);
      try {
        return await operation();
      } catch (thrown) {
        if (isBubbleUp(thrown)) return new Stopped(thrown);
        throw thrown;
      }
    }
  }
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
function placeOf({ configurable }: Runtime, id: string | undefined): string {
  return JSON.stringify([configurable?.thread_id, configurable?.["checkpoint_ns"], id]);
}

/** A question in the form of `humanInTheLoopMiddleware`. */
function questionOf({ tool, args, reason, hook = "orcs" }: ApprovalRequest): Question {
  const description = reason ?? `hook ${hook} asks for approval`;
  // Hooks are shown a draft, which cannot be stored.
  const stored = JSON.parse(JSON.stringify(args)) as typeof args;
  const request: HITLRequest = {
    actionRequests: [{ name: tool, args: stored, description }],
    reviewConfigs: [{ actionName: tool, allowedDecisions: ["approve", "reject"] }],
  };
  return { request, hook };
}

/** @throws the interrupt if there is no answer yet; an Error if the graph cannot wait for one */
function answerTo(request: HITLRequest, { interrupt, configurable }: Runtime): Answer {
  if (!interrupt || !configurable?.["__pregel_checkpointer"]) {
    throw new Error('the agent has no checkpointer; give it one, or use { approval: "engine" }');
  }
  const given = interrupt(request) as { decisions?: unknown } | null | undefined;
  const decisions = Array.isArray(given?.decisions) ? (given.decisions as unknown[]) : [];
  const [decision] = decisions as ({ type?: unknown; message?: unknown } | null | undefined)[];
  if (decisions.length === 1 && decision?.type === "approve") return { approved: true };
  const isReject = decisions.length === 1 && decision?.type === "reject";
  const message = isReject ? decision.message : "the answer is not one decision approve or reject";
  return { approved: false, message: typeof message === "string" ? message : undefined };
}

function refusalOf(answer: Answer | undefined, hook: string): Refusal | undefined {
  return answer?.approved === false ? { hook, message: answer.message } : undefined;
}
