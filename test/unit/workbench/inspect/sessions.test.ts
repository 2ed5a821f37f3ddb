import { expect, test } from "vitest";
import type { Session } from "../../../../src/workbench/inspect/sessions.ts";
import { Sessions } from "../../../../src/workbench/inspect/sessions.ts";

function at() {
  let now = 0;
  const sessions = new Sessions({ link: 100, idle: 1000 }, () => now);
  return { sessions, pass: (ms: number) => void (now += ms) };
}

function opened(sessions: Sessions, link = sessions.newLink()): Session {
  const session = sessions.open(link);
  if (!session) return expect.unreachable("the link is valid");
  return session;
}

test("a link that nobody opens is valid for a time", () => {
  const { sessions, pass } = at();
  const [one, other] = [sessions.newLink(), sessions.newLink()];
  pass(99);
  expect(sessions.open(one)).toBeDefined();
  pass(2);
  expect(sessions.open(other)).toBeUndefined();
});

test("a session lasts while it is used", () => {
  const { sessions, pass } = at();
  const { cookie, tab } = opened(sessions);
  for (let i = 0; i < 5; i++) {
    pass(900);
    // Either of them.
    expect(i % 2 ? sessions.holds("cookie", cookie) : sessions.holds("tab", tab)).toBe(true);
  }
  pass(1001);
  expect([sessions.holds("cookie", cookie), sessions.holds("tab", tab)]).toEqual([false, false]);
});

test("no secret stands for another one", () => {
  const { sessions } = at();
  const link = sessions.newLink();
  expect([sessions.holds("cookie", link), sessions.holds("tab", link)]).toEqual([false, false]);
  const { cookie, tab } = opened(sessions, link);
  for (const secret of [cookie, tab, "", link]) expect(sessions.open(secret)).toBeUndefined();
  for (const secret of [tab, "", link]) expect(sessions.holds("cookie", secret)).toBe(false);
  for (const secret of [cookie, "", link]) expect(sessions.holds("tab", secret)).toBe(false);
});
