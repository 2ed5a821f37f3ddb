import { readFileSync } from "node:fs";
import { join } from "node:path";
import { array, assert, constantFrom, property, record } from "fast-check";
import { expect, test, vi } from "vitest";
import type { HookContext } from "../../../../src/core/context.ts";
import { ApprovalCodes } from "../../../../src/workbench/inspect/approval-codes.ts";
import type { QuestionDeps } from "../../../../src/workbench/inspect/questions.ts";
import { Questions } from "../../../../src/workbench/inspect/questions.ts";
import { placeRoutes } from "../../../../src/workbench/inspect/routes.ts";
import { History } from "../../../../src/workbench/inspect/history.ts";
import type { RefusedLine } from "../../../../src/daemon/allow-once.ts";
import { RefusedLines } from "../../../../src/daemon/allow-once.ts";
import { fileState } from "../../../../src/engine/orcs/state/file-state.ts";
import { stderrLogger } from "../../../../src/engine/orcs/loggers.ts";
import { folder } from "../../engine/orcs/engine.ts";
import { pageRig } from "./page-rig.ts";

// What waits for a person: denied on the page, approved with a code that only a terminal shows.

function asked(signal: AbortSignal = new AbortController().signal) {
  const args = { command: "git push --force", token: "sk-123" };
  const ctx = {} as HookContext;
  return { tool: "exec", args, reason: "loses work", hook: "guard", ctx, signal };
}

function rig(deps: Partial<QuestionDeps> = {}) {
  const shown: { about: string; code: string }[] = [];
  const times = { now: 0 };
  const questions = new Questions({
    show: ({ about }, code) => shown.push({ about, code }),
    codes: new ApprovalCodes(() => times.now),
    ...deps,
  });
  const only = () => questions.list().questions[0]?.id ?? "none";
  const codeFor = (id: string): string => {
    questions.showCode(id);
    return shown.at(-1)?.code ?? "none";
  };
  return { questions, shown, times, only, codeFor };
}

test("a call waits until it is denied, withdrawn, or approved with its code", async () => {
  const { questions, shown, only, codeFor } = rig();
  const denied = questions.ask(asked());
  const [question] = questions.list().questions;
  expect(question).toMatchObject({ kind: "call", about: "git push --force", hook: "guard" });
  questions.deny(only());
  expect(await denied).toBe(false);
  expect(() => questions.deny(question?.id ?? "")).toThrow(/does not wait any more/);

  const cancel = new AbortController();
  const withdrawn = questions.ask(asked(cancel.signal));
  cancel.abort();
  expect(await withdrawn).toBe(false);
  expect(questions.waiting).toBe(0);

  const approved = questions.ask(asked());
  const code = codeFor(only());
  expect(shown).toEqual([{ about: "git push --force", code }]);
  // As a person types it.
  await questions.approve(only(), ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `);
  expect(await approved).toBe(true);
});

test("a code is for one question and one use, for two minutes and three tries", async () => {
  const { questions, times, only, codeFor } = rig();
  const first = questions.ask(asked());
  const second = questions.ask(asked());
  const [one = "", two = ""] = questions.list().questions.map(({ id }) => id);
  // Without a code, nothing is right.
  await expect(questions.approve(one, "")).rejects.toThrow(/no code is valid/);
  const own = codeFor(one);
  const other = codeFor(two);
  await expect(questions.approve(one, other)).rejects.toThrow("the code is wrong");
  // A newer code takes the place of the older.
  const newer = codeFor(one);
  await expect(questions.approve(one, own)).rejects.toThrow("the code is wrong");
  await expect(questions.approve(one, "AAAAAAAA")).rejects.toThrow("the code is wrong");
  await expect(questions.approve(one, "BBBBBBBB")).rejects.toThrow(/not valid any more/);
  await expect(questions.approve(one, newer)).rejects.toThrow(/no code is valid/);
  times.now += 2 * 60_000;
  await expect(questions.approve(two, other)).rejects.toThrow(/no code is valid/);
  await questions.approve(two, codeFor(two));
  expect(await second).toBe(true);
  await expect(questions.approve(two, other)).rejects.toThrow(/does not wait any more/);
  questions.deny(only());
  expect(await first).toBe(false);
});

test("at most five codes are made in a minute, so guessing has no chance", () => {
  const { questions, times, only, codeFor } = rig();
  void questions.ask(asked());
  const codes = Array.from({ length: 5 }, () => codeFor(only()));
  expect(new Set(codes).size).toBe(5);
  expect(codes.every((code) => /^[A-HJKMNP-Z2-9]{8}$/.test(code))).toBe(true);
  expect(() => questions.showCode(only())).toThrow(/wait for a minute/);
  times.now += 60_001;
  expect(codeFor(only())).toHaveLength(8);
});

test("whatever is typed in whatever order, only the valid code of the question approves it", () => {
  const step = record({
    what: constantFrom("make", "guess", "right", "old", "wait"),
    id: constantFrom("a", "b"),
  });
  assert(
    property(array(step, { maxLength: 30 }), (steps) => {
      let now = 0;
      const codes = new ApprovalCodes(() => now, { perMinute: Infinity });
      // What is valid, as one would say it.
      const valid = new Map<string, { code: string; until: number; tries: number }>();
      const old: string[] = [];
      for (const { what, id } of steps) {
        const known = valid.get(id);
        const live = known && known.until > now ? known : undefined;
        if (what === "wait") now += 50_000;
        else if (what === "make") {
          if (known) old.push(known.code);
          valid.set(id, { code: codes.make(id), until: now + 120_000, tries: 0 });
        } else {
          const given = what === "guess" ? "22222222" : what === "old" ? old.at(-1) : live?.code;
          const isRight = live !== undefined && given === live.code;
          let passed = true;
          try {
            codes.use(id, given ?? "");
          } catch {
            passed = false;
          }
          expect(passed).toBe(isRight);
          if (live && (isRight || ++live.tries === 3)) valid.delete(id);
        }
      }
    }),
  );
});

const NOTE = { cwd: "/somewhere", session: "s1", reason: "refused", at: Date.now() / 1000 };

function refused(dir: string, digest: string, line: string, at = NOTE.at): void {
  const state = fileState(join(dir, "state.jsonl"), stderrLogger("warn"));
  const number = state.incr("allow:refusals", 1);
  const slot = { ...NOTE, at, code: digest.slice(0, 8), digest, line, number };
  state.set(`allow:refused:${number % 64}`, slot);
  state.close();
}

test("a refused line is allowed once with its code, or dismissed; allowed and old ones are not shown", async () => {
  const dir = folder({});
  const lines = new RefusedLines([dir], stderrLogger("warn"));
  const recorded: string[] = [];
  const allow = async (line: RefusedLine) => {
    recorded.push(line.line);
    line.allow(60_000);
  };
  const { questions, codeFor } = rig({
    lines: { all: () => lines.all(), forget: (line) => lines.forget(line), allow },
  });
  refused(dir, "aaaaaaaa1", "rm -r build");
  refused(dir, "bbbbbbbb1", "git push --force");
  // Refused again: one question.
  refused(dir, "bbbbbbbb1", "git push --force");
  refused(dir, "cccccccc1", "too old", NOTE.at - 25 * 3600);
  const shown = () => questions.list().questions.map(({ about }) => about);
  expect(shown()).toEqual(["git push --force", "rm -r build"]);
  questions.deny("bbbbbbbb1");
  expect(shown()).toEqual(["rm -r build"]);
  await expect(questions.approve("aaaaaaaa1", "aaaaaaaa")).rejects.toThrow(/no code is valid/);
  await questions.approve("aaaaaaaa1", codeFor("aaaaaaaa1"));
  expect(recorded).toEqual(["rm -r build"]);
  expect(shown()).toEqual([]);
  const stored = readFileSync(join(dir, "state.jsonl"), "utf8");
  expect(stored).toContain("allow:given:aaaaaaaa1");
  lines.close();
});

test("over HTTP: without a terminal nothing is approved, and no response contains a code", async () => {
  vi.stubEnv("XDG_STATE_HOME", folder({}));
  for (const hasTerminal of [false, true]) {
    const shown: string[] = [];
    const questions = new Questions({
      ...(hasTerminal && { show: (_, code) => void shown.push(code) }),
      mask: (value) => JSON.parse(JSON.stringify(value).replaceAll("sk-123", "***")) as never,
    });
    const history = new History();
    const place = { config: undefined, directory: "/" };
    const routes = placeRoutes({
      history,
      place,
      auditDir: async () => "/",
      questions,
      recordUndo: async () => undefined,
    });
    const { visitor, inspector } = await pageRig({ history, routes });
    expect((await visitor.get("/api/questions")).status).toBe(401);
    await visitor.open(inspector.newLink());
    const answered = questions.ask(asked());
    const list = await visitor.get("/api/questions");
    expect(list.body).not.toContain("sk-123");
    const { questions: [question] = [], can_approve } = JSON.parse(list.body) as {
      questions?: { id: string }[];
      can_approve: boolean;
    };
    expect(can_approve).toBe(hasTerminal);
    const id = question?.id;
    const got = await visitor.post("/api/questions/code", { id });
    expect(got.status).toBe(hasTerminal ? 200 : 422);
    const wrong = await visitor.post("/api/questions/approve", { id, code: "22222222" });
    expect(wrong.status).toBe(422);
    for (const { body } of [got, wrong]) for (const code of shown) expect(body).not.toContain(code);
    expect(shown).toHaveLength(hasTerminal ? 1 : 0);
    const other = { origin: "http://127.0.0.1:1" };
    expect((await visitor.post("/api/questions/deny", { id }, other)).status).toBe(403);
    expect(questions.waiting).toBe(1);
    const denied = await visitor.post("/api/questions/deny", { id });
    expect(denied.status).toBe(200);
    expect(await answered).toBe(false);
  }
});
