import { isDeepStrictEqual } from "node:util";
import type { Runtime } from "langchain";
import type { ApprovalRequest, Approve, CallOptions, OrcsSession } from "../../engine/index.ts";
import type { Question, Refusal } from "./langchain-runtime.ts";
import { answerTo, isBubbleUp, placeOf, questionOf, sessionIn } from "./langchain-runtime.ts";
import { NewestMap } from "./newest-map.ts";

/**
 * Who answers `ask`: `"interrupt"` is the interrupt of LangGraph, `"engine"` is `onAsk` of the engine or the session.
 */
export type Approval = "interrupt" | "engine";

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

/** How an operation runs between its hooks. */
export interface Attempt<Input, Result> {
  /** Options of the call: the session, the abort signal, and who answers questions. */
  readonly options: CallOptions;
  /** Run the operation itself, unless it was refused. What only pauses the graph is no failure. */
  readonly run: (input: Input) => Promise<Result | Stopped>;
}

/** An operation of an agent whose hooks may ask. */
interface Operation<Input, Result, Outcome> {
  /** Its id within its node of the graph. */
  readonly id: string | undefined;
  /** What hooks see of it: an answer is for this, and for nothing else with the same id. */
  readonly subject: unknown;
  /** Why the graph cannot be interrupted, if it cannot. */
  readonly why?: string | undefined;
  /** What runs between the hooks. */
  readonly run: (input: Input) => Result | Promise<Result>;
  /** Pass the hooks. Once for a question and its answer: `attempt.run` is the `run` of the time of the answer. */
  readonly begin: (attempt: Attempt<Input, Result>) => Promise<Outcome>;
}

/** The outcome of an operation, and who has refused it. */
interface Ended<Outcome> {
  readonly outcome: Outcome;
  readonly refusal: Refusal | undefined;
}

/** The questions of one middleware: each interrupts the graph, and is answered when the graph is resumed. */
export class Questions {
  readonly #orcs: OrcsSession;
  readonly #approval: Approval;
  /** By place in the graph. */
  readonly #waiting = new NewestMap<string, Begun<unknown, unknown, object>>();

  constructor(orcs: OrcsSession, approval: Approval) {
    this.#orcs = orcs;
    this.#approval = approval;
  }

  /**
   * Run an operation whose hooks may ask. When the graph is resumed in this process, the operation goes on where it
   * asked; elsewhere, its hooks run again.
   * @throws the interrupt of a hook or of the operation itself, for the graph
   */
  async during<Input, Result, Outcome extends object>(
    runtime: Runtime,
    operation: Operation<Input, Result, Outcome>,
  ): Promise<Ended<Outcome>> {
    const place = placeOf(runtime, operation.id);
    const known = this.#waiting.get(place);
    // Throws if this is still open, because another question was answered.
    const answer = known?.answerIn(runtime);
    this.#waiting.delete(place);
    const isSame = known !== undefined && isDeepStrictEqual(known.subject, operation.subject);
    if (!isSame) known?.cancel();
    const begun = isSame
      ? (known as unknown as Begun<Input, Result, Outcome>)
      : new Begun(operation, sessionIn(runtime, this.#orcs), this.#approval);
    if (isSame) begun.answer(answer);
    try {
      return await begun.goOn(runtime, operation);
    } catch (thrown) {
      if (begun.isAsking) {
        this.#waiting.keep(place, begun as unknown as Begun<unknown, unknown, object>)?.cancel();
      }
      throw thrown;
    }
  }
}

/** An operation whose hooks have begun to run. It lives through the interrupts of its hooks. */
class Begun<Input, Result, Outcome extends object> {
  readonly subject: unknown;
  /** Whether a question is open: the last one. */
  isAsking = false;
  readonly #questions: Question[] = [];
  readonly #operation: Operation<Input, Result, Outcome>;
  readonly #options: CallOptions;
  readonly #cancelled = new AbortController();
  #outcome: Promise<Outcome> | undefined;
  /** Of the current run of the graph. */
  #runtime: Runtime | undefined;
  #run: Operation<Input, Result, Outcome>["run"];
  #interrupt: (thrown: unknown) => void = () => undefined;
  #answered: (refusal: Refusal | undefined) => void = () => undefined;
  #refusal: Refusal | undefined;

  constructor(
    operation: Operation<Input, Result, Outcome>,
    options: CallOptions,
    approval: Approval,
  ) {
    this.subject = operation.subject;
    this.#operation = operation;
    this.#run = operation.run;
    const ask = (asked: ApprovalRequest): Promise<boolean> => this.#ask(asked);
    // The graph keeps the question, perhaps for days.
    const onAsk: Approve = Object.assign(ask, { hasNoTimeLimit: true as const });
    this.#options = {
      ...options,
      signal: this.#cancelled.signal,
      ...(approval === "interrupt" && { onAsk }),
    };
  }

  /**
   * The answer to the open question. The graph has the answers of a task in the order of its questions.
   * @throws the interrupt if there is none yet
   */
  answerIn(runtime: Runtime): Refusal | undefined {
    return this.#questions.map((question) => answerTo(question, runtime)).at(-1);
  }

  /** Answer the open question. */
  answer(refusal: Refusal | undefined): void {
    this.isAsking = false;
    this.#answered(refusal);
  }

  cancel(): void {
    this.#cancelled.abort();
  }

  /** Go on in this run of the graph, to the end or to the next interrupt, which is thrown. */
  async goOn(
    runtime: Runtime,
    { run }: Operation<Input, Result, Outcome>,
  ): Promise<Ended<Outcome>> {
    const { signal } = runtime;
    const abort = (): void => this.#cancelled.abort(signal?.reason);
    this.#runtime = runtime;
    this.#run = run;
    const interrupted = new Promise<never>((_, reject) => {
      this.#interrupt = reject;
    });
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    try {
      const outcome = await Promise.race([(this.#outcome ??= this.#begin()), interrupted]);
      const stopped = "result" in outcome && isStopped(outcome.result) ? outcome.result : undefined;
      if (stopped?.thrown !== undefined) throw stopped.thrown;
      return { outcome, refusal: this.#refusal };
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  #begin(): Promise<Outcome> {
    const outcome = this.#operation.begin({
      options: this.#options,
      run: async (input) => {
        if (this.#refusal) return new Stopped(undefined);
        try {
          return await this.#run(input);
        } catch (thrown) {
          if (isBubbleUp(thrown)) return new Stopped(thrown);
          throw thrown;
        }
      },
    });
    // It may end while nobody waits for it, for example because the engine is closed.
    outcome.catch(() => undefined);
    return outcome;
  }

  async #ask(asked: ApprovalRequest): Promise<boolean> {
    if (this.#operation.why !== undefined) throw new Error(this.#operation.why);
    const question = questionOf(asked);
    try {
      this.#refusal = this.#runtime && answerTo(question, this.#runtime);
    } catch (thrown) {
      if (!isBubbleUp(thrown)) throw thrown;
      this.#refusal = await new Promise((resolve) => {
        this.#answered = resolve;
        this.#questions.push(question);
        this.isAsking = true;
        this.#interrupt(thrown);
      });
    }
    return this.#refusal === undefined;
  }
}
