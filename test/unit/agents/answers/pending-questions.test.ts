import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { PendingQuestions } from "../../../../src/agents/answers/pending-questions.ts";
import type { Opened, PendingQuestion } from "../../../../src/agents/answers/pending-questions.ts";

let folder: string;
let now: number;
let questions: PendingQuestions;
const never = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orcs-questions-"));
  now = Date.now();
  questions = new PendingQuestions(folder, () => now);
});

const text = (about: string, session = "s", ways = ["terminal"]) => ({
  about,
  tool: "exec",
  args: { command: about },
  effects: [],
  agent: "claude-code",
  session,
  ways,
});
const digest = (command: string): string => PendingQuestions.digestOf("exec", { command }, "/work");
const open = (about: string, session?: string): Opened =>
  questions.open(text(about, session), digest(about), now + 60_000);
const asked = (about: string, session?: string): PendingQuestion => {
  const opened = open(about, session);
  if (!("question" in opened)) throw new Error(JSON.stringify(opened));
  return opened.question;
};
const YES = { approved: true, scope: "call", by: "terminal" } as const;

describe("a question about a call", () => {
  test("waits for its answer", async () => {
    const question = asked("git push");
    expect(questions.list()).toEqual([expect.objectContaining({ about: "git push" })]);
    const waiting = questions.wait(question, true, never);
    questions.answer(question.id, YES);
    expect(await waiting).toEqual(YES);
    expect(questions.list()).toEqual([]);
  });

  test("is joined by the same call of the same session, and by no other", async () => {
    const first = asked("git push");
    expect(open("git push")).toEqual({ question: first, isOwn: false });
    expect(asked("git push", "another").id).not.toBe(first.id);
    expect(asked("git push -f").id).not.toBe(first.id);
    const both = [questions.wait(first, true, never), questions.wait(first, false, never)];
    questions.answer(first.id, YES);
    expect(await Promise.all(both)).toEqual([YES, YES]);
    // The answer was for that call: the next one asks anew.
    expect(asked("git push").id).not.toBe(first.id);
  });

  test("has one answer: the first of 200 that come together", async () => {
    const question = asked("git push");
    let taken = 0;
    for (let i = 0; i < 200; i++) {
      try {
        questions.answer(question.id, { approved: i === 0, scope: "call", by: `${i}` });
        taken++;
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: "ORCS5001" });
      }
    }
    expect(taken).toBe(1);
    expect(await questions.wait(question, true, never)).toMatchObject({ approved: true, by: "0" });
  });

  test("cannot be answered any more once nobody waits", async () => {
    const question = asked("git push");
    const over = AbortSignal.abort();
    expect(await questions.wait(question, true, over)).toBeUndefined();
    expect(() => questions.answer(question.id, YES)).toThrow("does not wait any more");
    const late = asked("git push");
    now += 60_001;
    expect(() => questions.answer(late.id, YES)).toThrow("does not wait any more");
    expect(await questions.wait(late, true, never)).toBeUndefined();
  });

  test("stays open for who asked first when a second one gives up", async () => {
    const question = asked("git push");
    expect(await questions.wait(question, false, AbortSignal.abort())).toBeUndefined();
    questions.answer(question.id, YES);
    expect(await questions.wait(question, true, never)).toEqual(YES);
  });

  test("with an answer that was given when its time ended is answered", async () => {
    const question = asked("git push");
    questions.answer(question.id, YES);
    expect(await questions.wait(question, true, AbortSignal.abort())).toEqual(YES);
  });

  test("is answered for the session: for equal calls of it alone, and for 12 hours", () => {
    questions.answer(asked("git push").id, { ...YES, scope: "session" });
    expect(open("git push")).toEqual({ answered: { ...YES, scope: "session" } });
    expect(open("git push -f")).toHaveProperty("question");
    expect(open("git push", "another")).toHaveProperty("question");
    now += 12 * 3_600_000 + 1;
    expect(open("git push")).toHaveProperty("question");
  });

  test("is answered for good: for equal calls of every session, until that is taken back", () => {
    questions.answer(asked("git push").id, { ...YES, scope: "always" });
    now += 365 * 24 * 3_600_000;
    expect(open("git push", "another")).toEqual({ answered: { ...YES, scope: "always" } });
    expect(open("git push -f")).toHaveProperty("question");
    const [rule] = questions.rules();
    expect(rule).toMatchObject({ code: digest("git push").slice(0, 8), about: "git push" });
    rule?.forget();
    expect(open("git push", "another")).toHaveProperty("question");
  });

  test("of an enforced hook is not answered for good", () => {
    const opened = questions.open({ ...text("x"), isEnforced: true }, digest("x"), now + 1000);
    const id = "question" in opened ? opened.question.id : "";
    expect(() => questions.answer(id, { ...YES, scope: "always" })).toThrow("ORCS9322");
    questions.answer(id, YES);
  });

  test("is one of five of a session at most", () => {
    for (let i = 0; i < 5; i++) asked(`git push ${i}`);
    expect(open("git push 5")).toEqual({
      refused: expect.stringContaining("5 questions of this session") as unknown,
    });
    expect(open("git push 5", "another")).toHaveProperty("question");
  });

  test("is listed for those who may answer it", () => {
    asked("git push");
    expect(questions.list("terminal")).toHaveLength(1);
    expect(questions.list("inspector")).toEqual([]);
  });

  test("of a process that is gone is not listed, and is removed later", () => {
    const question = asked("git push");
    const gone = new PendingQuestions(folder, () => now + 200_000);
    expect(gone.list()).toEqual([]);
    expect(readdirSync(join(folder, "questions"))).not.toContain(`${question.id}.json`);
  });
});
