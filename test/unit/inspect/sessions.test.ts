import { expect, test } from "vitest";
import { Sessions } from "../../../src/inspect/sessions.ts";

function at() {
  let now = 0;
  const sessions = new Sessions({ link: 100, idle: 1000 }, () => now);
  return { sessions, pass: (ms: number) => void (now += ms) };
}

test("a link that nobody opens is valid for a time", () => {
  const { sessions, pass } = at();
  const [one, other] = [sessions.newLink(), sessions.newLink()];
  pass(99);
  expect(sessions.open(one)).toBeTypeOf("string");
  pass(2);
  expect(sessions.open(other)).toBeUndefined();
});

test("a session lasts while it is used", () => {
  const { sessions, pass } = at();
  const secret = sessions.open(sessions.newLink()) ?? "";
  for (let i = 0; i < 5; i++) {
    pass(900);
    expect(sessions.holds(secret)).toBe(true);
  }
  pass(1001);
  expect(sessions.holds(secret)).toBe(false);
});

test("the secret of a link is none of a session, and the other way round", () => {
  const { sessions } = at();
  const link = sessions.newLink();
  expect(sessions.holds(link)).toBe(false);
  const secret = sessions.open(link) ?? "";
  expect(secret).not.toBe(link);
  expect(sessions.open(secret)).toBeUndefined();
  expect(sessions.open("")).toBeUndefined();
  expect(sessions.holds("")).toBe(false);
});
