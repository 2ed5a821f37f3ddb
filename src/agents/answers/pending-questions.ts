import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isPlainObject, OrcsError, textIn, type Json, type JsonObject } from "../../core/index.ts";
import {
  failedWith,
  isRunning,
  makeFolder,
  namesIn,
  objectInFile,
  ownIdentity,
  replaceFile,
  sha256,
  userStateDir,
  withFileLock,
} from "../../machine/index.ts";

/** What is asked about a call, for the person who answers. Secrets are masked. */
export interface QuestionText {
  /** The call in one line. */
  readonly about: string;
  readonly tool: string;
  /** Whole, whatever its length: who answers sees all of it. */
  readonly args: Json;
  /** What it would do, in words. */
  readonly effects: readonly string[];
  readonly reason?: string | undefined;
  readonly hook?: string | undefined;
  /** Whether the machine enforces the hook: a user cannot answer it for good. */
  readonly isEnforced?: boolean;
  readonly agent: string;
  readonly cwd?: string | undefined;
  readonly session: string;
  /** Who may answer: values of `hil.answer`. */
  readonly ways: readonly string[];
}

/** A call of a coding agent that waits for an answer, as every process of its user sees it. */
export interface PendingQuestion extends QuestionText {
  readonly id: string;
  /** Of its tool, arguments, folder, hook and reason, before secrets are masked. */
  readonly digest: string;
  /** Known to those who were asked: an answer that is signed for another question does not fit. */
  readonly nonce: string;
  /** When it was asked, and until when it waits: milliseconds since 1970. */
  readonly at: number;
  readonly until: number;
}

/**
 * For this call alone, for each equal one of the session, or for each equal one: that only at a terminal, with a code.
 */
export type AnswerScope = "call" | "session" | "always";

export interface Answer {
  readonly approved: boolean;
  readonly scope: AnswerScope;
  /** Who answered, for people: "terminal", "orcs ui", "webhook: NAME". */
  readonly by: string;
}

/** The answer of a program or a server; undefined for what is none. @param way who gave it, for people */
export function answerIn(
  { answer, scope = "call", by = "" }: JsonObject,
  way: string,
): Answer | undefined {
  if ((answer !== "allow" && answer !== "deny") || (scope !== "call" && scope !== "session"))
    return undefined;
  const who = typeof by === "string" && by !== "" ? `${way}: ${by.slice(0, 100)}` : way;
  return { approved: answer === "allow", scope, by: who };
}

/** A call that a person has allowed for good: the tool, its arguments, the folder, the hook and its reason. */
export interface AnswerRule {
  readonly code: string;
  readonly about: string;
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  forget(this: void): void;
}

/** Digits of the code of a rule. */
const RULE_CODE = 8;
/** Questions of a session that wait at the same time. */
const MOST_OPEN = 5;
/** How often a waiting call looks for its answer, in milliseconds. */
const LOOK_MS = 150;
/** An answered question is there for those that joined it, in milliseconds. */
const ANSWERED_MS = 60_000;
/** How long "for this session" counts, in milliseconds. */
const SESSION_MS = 12 * 3_600_000;
/** Says that nobody waits any more; as an answer, so that a later one comes too late. */
const OVER: Answer = { approved: false, scope: "call", by: "nobody" };

/** What `open` found. */
export type Opened =
  | { readonly question: PendingQuestion; readonly isOwn: boolean }
  | { readonly answered: Answer }
  | { readonly refused: string };

/**
 * Questions that wait for a person, as files in the user's state folder: whichever process asks, and whichever answers.
 * A question has one answer: the first that creates its file.
 */
export class PendingQuestions {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(stateDir = userStateDir(), now: () => number = Date.now) {
    this.#folder = join(stateDir, "questions");
    this.#now = now;
  }

  /** Identifies a call, and what is asked about it. */
  static digestOf(
    tool: string,
    args: Json,
    cwd: string | undefined,
    asked: Pick<QuestionText, "hook" | "reason"> = {},
  ): string {
    const { hook = null, reason = null } = asked;
    return sha256(JSON.stringify([tool, args, cwd ?? null, hook, reason]));
  }

  /**
   * Ask, or join an equal question that waits.
   * @param until milliseconds since 1970
   * @throws OrcsError ORCS5002, the system's error
   */
  open(text: QuestionText, digest: string, until: number): Opened {
    makeFolder(this.#folder);
    return withFileLock(join(this.#folder, "lock"), () => {
      for (const scope of ["session", "always"] as const) {
        const granted = objectInFile(this.#grant(scope === "always" ? "" : text.session, digest));
        if (granted && Number(granted["until"]) > this.#now()) {
          return { answered: { approved: true, scope, by: textIn(granted, "by") ?? "" } };
        }
      }
      const open = this.list().filter(({ session }) => session === text.session);
      const same = open.find((question) => question.digest === digest);
      if (same) return { question: same, isOwn: false };
      if (open.length >= MOST_OPEN) {
        return {
          refused: `${MOST_OPEN} questions of this session wait for an answer already: orcs status --answer`,
        };
      }
      const [id, nonce] = [randomBytes(8).toString("hex"), randomBytes(16).toString("hex")];
      const question = { ...text, id, nonce, digest, at: this.#now(), until };
      const asker: Json = { ...ownIdentity() } as JsonObject;
      replaceFile(this.#file(id), JSON.stringify({ ...question, asker }));
      return { question, isOwn: true };
    });
  }

  /**
   * Those that wait, the oldest first. What nobody waits for any more is removed. @param way only what it may answer
   */
  list(way?: string): PendingQuestion[] {
    const found: PendingQuestion[] = [];
    for (const name of namesIn(this.#folder)) {
      const id = /^([0-9a-f]{16})\.json$/.exec(name)?.[1];
      if (id === undefined) {
        this.#dropIfOld(name);
        continue;
      }
      const read = objectInFile(this.#file(id));
      if (!read || !isQuestion(read)) continue;
      const isAnswered = existsSync(this.#answer(id));
      if (isAnswered || read.until <= this.#now() || !isAsked(read)) {
        if (read.until + ANSWERED_MS <= this.#now()) this.#remove(id);
      } else {
        const { asker: _, ...question } = read;
        found.push(question);
      }
    }
    const those = way === undefined ? found : found.filter(({ ways }) => ways.includes(way));
    return those.toSorted((a, b) => a.at - b.at);
  }

  /** @throws OrcsError ORCS5001 when it does not wait, or was answered before; ORCS9322 for an enforced hook */
  answer(id: string, answer: Answer): void {
    const question = this.list().find((one) => one.id === id);
    if (answer.scope === "always" && question?.isEnforced) {
      const why = "this machine enforces the hook that asks: only its administrator can change it";
      throw new OrcsError("ORCS9322", why, { id });
    }
    if (!question || !this.#settle(id, answer)) {
      throw new OrcsError("ORCS5001", "this question does not wait any more", { id });
    }
    if (!answer.approved || answer.scope === "call") return;
    const isRule = answer.scope === "always";
    const at = this.#now();
    const until = isRule ? Number.MAX_SAFE_INTEGER : at + SESSION_MS;
    const { about, cwd, session, digest } = question;
    const rule = isRule && { code: digest.slice(0, RULE_CODE), about, cwd, at };
    const grant = JSON.stringify({ until, by: answer.by, ...rule });
    replaceFile(this.#grant(isRule ? "" : session, digest), grant);
  }

  /** The calls that need no answer any more. */
  rules(): AnswerRule[] {
    return namesIn(this.#folder).flatMap((name) => {
      if (!name.endsWith(".grant")) return [];
      const file = join(this.#folder, name);
      const { code, about, cwd, at } = objectInFile(file) ?? {};
      if (typeof code !== "string" || typeof about !== "string") return [];
      const folder = typeof cwd === "string" ? cwd : "";
      const forget = (): void => rmSync(file, { force: true });
      return [{ code, about, cwd: folder, at: Number(at), forget }];
    });
  }

  /**
   * The answer, or undefined when nobody gave one before `signal`. Never rejects.
   * @param isOwn whether nobody can answer any more then; otherwise who asked first may still wait
   */
  async wait(
    { id, until }: PendingQuestion,
    isOwn: boolean,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    for (;;) {
      const found = this.#answered(id);
      if (found) return found.by === OVER.by ? undefined : found;
      if (signal.aborted || until <= this.#now()) {
        // An answer that was given at this moment counts.
        if (!isOwn || this.#settle(id, OVER)) return undefined;
        continue;
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether this is its answer: another one may have been first */
  #settle(id: string, { approved, scope, by }: Answer): boolean {
    const text = JSON.stringify({ approved, scope, by });
    try {
      replaceFile(this.#answer(id), text, { isNew: true });
      return true;
    } catch (thrown) {
      if (failedWith(thrown, "EEXIST")) return false;
      // Where no answer can be written, none is read either: its time ends it.
      if (by === OVER.by) return true;
      throw thrown;
    }
  }

  #answered(id: string): Answer | undefined {
    const read = objectInFile(this.#answer(id));
    if (!read) return undefined;
    const { approved, scope, by } = read;
    const isKnown = scope === "call" || scope === "session" || scope === "always";
    const isWhole = typeof approved === "boolean" && typeof by === "string";
    return isKnown && isWhole ? { approved, scope, by } : OVER;
  }

  #dropIfOld(name: string): void {
    if (!name.endsWith(".grant")) return;
    const path = join(this.#folder, name);
    if (Number(objectInFile(path)?.["until"] ?? 0) <= this.#now()) rmSync(path, { force: true });
  }

  #remove(id: string): void {
    rmSync(this.#file(id), { force: true });
    rmSync(this.#answer(id), { force: true });
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #answer(id: string): string {
    return join(this.#folder, `${id}.answer`);
  }

  #grant(session: string, digest: string): string {
    return join(this.#folder, `${sha256(`${session}\n${digest}`).slice(0, 32)}.grant`);
  }
}

function isQuestion(read: JsonObject): read is JsonObject & PendingQuestion {
  const texts = ["id", "digest", "nonce", "about", "tool", "agent", "session"] as const;
  return (
    texts.every((key) => typeof read[key] === "string") &&
    Array.isArray(read["effects"]) &&
    Array.isArray(read["ways"]) &&
    typeof read["at"] === "number" &&
    typeof read["until"] === "number"
  );
}

/** Whether the process that asked still runs, as far as this one can tell. */
function isAsked(read: JsonObject): boolean {
  const { asker } = read;
  if (!isPlainObject(asker)) return true;
  const [started, space] = [textIn(asker, "started"), textIn(asker, "space")];
  const identity = { pid: Number(asker["pid"]), started, space };
  return isRunning(identity, ownIdentity()) !== false;
}
