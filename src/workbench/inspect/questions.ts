import { randomBytes } from "node:crypto";
import { type Json, type JsonObject, OrcsError, subjectOf } from "../../core/index.ts";
import type { ApprovalRequest } from "../../engine/index.ts";
import type { PendingQuestion, PendingQuestions } from "../../agents/index.ts";
import type { RefusedLine } from "../../daemon/index.ts";
import type { Question, QuestionsAnswer } from "./api.ts";
import { ApprovalCodes } from "./approval-codes.ts";

/** A refused line can be allowed on the page for this long, in milliseconds. */
const LINE_MS = 24 * 3_600_000;

/** Command lines that a guard has refused, and that a person may allow once. */
export interface LineQuestions {
  /** The newest first. */
  all(): readonly RefusedLine[];
  /** Allow it once. @throws OrcsError when that cannot be recorded */
  allow(line: RefusedLine): Promise<void>;
  /** It cannot be allowed any more. */
  forget(line: RefusedLine): void;
}

/** What questions need. */
export interface QuestionDeps {
  readonly lines?: LineQuestions;
  /** Calls of coding agents that wait: see `hil.answer`. */
  readonly pending?: Pick<PendingQuestions, "list" | "answer">;
  /** Shows a code where only the person sees it; without it, questions can only be denied. */
  readonly show?: (question: Question, code: string) => void;
  /** Masks secrets in what the page gets. */
  readonly mask?: <T extends Json>(value: T) => T;
  /** The same for the arguments of a call. */
  readonly maskArgs?: (tool: string, args: JsonObject) => JsonObject;
  /** Called when calls begin or end to wait. */
  readonly changed?: () => void;
  readonly codes?: ApprovalCodes;
  /** In milliseconds since 1970. */
  readonly now?: () => number;
}

interface WaitingCall {
  readonly question: Question;
  readonly answer: (isApproved: boolean) => void;
}

/**
 * What waits for a person: calls of a script, until `hil.timeout_ms`, and command lines of coding agents that a guard
 * has refused, for a day. They can be denied, and approved with a code.
 */
export class Questions {
  readonly #deps: QuestionDeps;
  readonly #codes: ApprovalCodes;
  readonly #now: () => number;
  readonly #calls = new Map<string, WaitingCall>();

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
    this.#codes = deps.codes ?? new ApprovalCodes();
    this.#now = deps.now ?? Date.now;
  }

  /** How many calls wait. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** Have a person answer for a call: an `Approve` function. */
  readonly ask = (request: ApprovalRequest): Promise<boolean> => {
    const { tool, reason, hook, signal } = request;
    const { mask = <T extends Json>(value: T): T => value, maskArgs } = this.#deps;
    const args = maskArgs?.(tool, request.args) ?? mask(request.args);
    const about = subjectOf({ tool_name: tool, args }) ?? JSON.stringify(args);
    const id = randomBytes(8).toString("hex");
    const question: Question = {
      id,
      kind: "call",
      about,
      tool,
      at: this.#now(),
      ...(reason !== undefined && { reason: mask(reason) }),
      ...(hook !== undefined && { hook }),
      args,
    };
    return new Promise((resolve) => {
      const answer = (isApproved: boolean): void => {
        this.#calls.delete(id);
        this.#codes.drop(id);
        signal.removeEventListener("abort", withdraw);
        resolve(isApproved);
        this.#deps.changed?.();
      };
      const withdraw = (): void => answer(false);
      if (signal.aborted) return resolve(false);
      signal.addEventListener("abort", withdraw);
      this.#calls.set(id, { question, answer });
      this.#deps.changed?.();
    });
  };

  /** What waits, calls first. */
  list(): QuestionsAnswer {
    const calls = [...this.#calls.values()].map(({ question }) => question);
    calls.push(...this.#pending().map((question) => pendingQuestion(question)));
    const lines = this.#lines().map((line) => lineQuestion(line));
    return { questions: [...calls, ...lines], can_approve: this.#deps.show !== undefined };
  }

  /** @throws OrcsError ORCS5001 when it does not wait any more */
  deny(id: string): void {
    const call = this.#calls.get(id);
    if (call) return call.answer(false);
    if (this.#pendingOf(id)) return this.#answerPending(id, false);
    const line = this.#lineOf(id);
    this.#codes.drop(id);
    this.#deps.lines?.forget(line);
  }

  /**
   * Show a code for a question that waits, or for one that the page itself asks.
   * @throws OrcsError ORCS5001
   */
  showCode(asked: string | Question): void {
    const { show } = this.#deps;
    if (!show) {
      const why = "approving needs a code, and this orcs ui has no terminal to show one";
      throw new OrcsError("ORCS5001", `${why}: run orcs ui in a terminal`);
    }
    const question = typeof asked === "string" ? this.#waiting(asked) : asked;
    show(question, this.#codes.make(question.id));
  }

  #waiting(id: string): Question {
    return this.#calls.get(id)?.question ?? this.#pendingOf(id) ?? lineQuestion(this.#lineOf(id));
  }

  /** Use up the code of what the page itself asks. @throws OrcsError ORCS5001 */
  useCode({ id }: Question, code: string): void {
    this.#codes.use(id, code);
  }

  /** @throws OrcsError ORCS5001 when it does not wait any more, or the code is not its own */
  async approve(id: string, code: string): Promise<void> {
    const call = this.#calls.get(id);
    const isPending = this.#pendingOf(id) !== undefined;
    const line = call || isPending ? undefined : this.#lineOf(id);
    this.#codes.use(id, code);
    if (call) return call.answer(true);
    if (isPending) return this.#answerPending(id, true);
    if (line) await this.#deps.lines?.allow(line);
  }

  #pending(): PendingQuestion[] {
    return this.#deps.pending?.list("inspector") ?? [];
  }

  #pendingOf(id: string): Question | undefined {
    const found = this.#pending().find((question) => question.id === id);
    return found && pendingQuestion(found);
  }

  #answerPending(id: string, approved: boolean): void {
    this.#codes.drop(id);
    this.#deps.pending?.answer(id, { approved, scope: "call", by: "orcs ui" });
  }

  #lines(): RefusedLine[] {
    const since = this.#now() - LINE_MS;
    const all = this.#deps.lines?.all() ?? [];
    return all.filter(({ at, isAllowed }) => !isAllowed && at * 1000 > since);
  }

  #lineOf(id: string): RefusedLine {
    const found = this.#lines().find(({ digest }) => digest === id);
    if (found) return found;
    throw new OrcsError("ORCS5001", "this question does not wait any more");
  }
}

function pendingQuestion(question: PendingQuestion): Question {
  const { id, about, tool, at, args, effects, reason, hook, cwd, session } = question;
  const why = { ...(reason !== undefined && { reason }), ...(hook !== undefined && { hook }) };
  return {
    id,
    kind: "call",
    about,
    tool,
    at,
    args,
    effects,
    session,
    ...why,
    ...(cwd !== undefined && { cwd }),
  };
}

function lineQuestion({ digest, line, reason, cwd, session, at }: RefusedLine): Question {
  return { id: digest, kind: "line", about: line, reason, cwd, session, at: at * 1000 };
}
