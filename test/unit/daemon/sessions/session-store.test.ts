import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  endSession,
  hasOpenSession,
  saveSession,
  readSession,
  sessionsFolder,
  touchSession,
} from "../../../../src/daemon/sessions/session-store.ts";
import { OPEN_MS } from "../../../../src/machine/files/session-marks.ts";
import type { Session } from "../../../../src/daemon/sessions/session-store.ts";

let state: string;
beforeEach(() => (state = mkdtempSync(join(tmpdir(), "orcs-sessions-"))));
afterEach(() => rmSync(state, { recursive: true, force: true }));

const SESSION: Session = {
  host: "claude-code",
  id: "s/../1\n",
  cwd: "/work",
  env: { HOME: "/home/me" },
  args: ["--host", "claude-code"],
  key: "k",
  runtime: "/run/orcs",
};
const file = (): string => {
  const name = readdirSync(sessionsFolder(state)).find((each) => each.endsWith(".json"));
  return join(sessionsFolder(state), name ?? "");
};

test("a saved session is read back, and its file is accessible to the user only", () => {
  saveSession(state, SESSION);
  expect(readSession(state, SESSION)).toEqual(SESSION);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(sessionsFolder(state)).mode & 0o777).toBe(0o700);
});

test("sessions are separate per coding agent and id", () => {
  saveSession(state, SESSION);
  expect(readSession(state, { ...SESSION, host: "codex" })).toBeUndefined();
  expect(readSession(state, { ...SESSION, id: "s/../1" })).toBeUndefined();
});

test.each([
  ["not JSON", "{"],
  ["a list", "[]"],
  ["an unknown host", JSON.stringify({ ...SESSION, host: "nobody" })],
  ["another id", JSON.stringify({ ...SESSION, id: "t" })],
  ["a relative folder", JSON.stringify({ ...SESSION, cwd: "work" })],
  ["a variable that is no text", JSON.stringify({ ...SESSION, env: { HOME: 1 } })],
  ["a word that is no text", JSON.stringify({ ...SESSION, args: [null] })],
  ["no key", JSON.stringify({ ...SESSION, key: undefined })],
  ["a relative runtime folder", JSON.stringify({ ...SESSION, runtime: "run" })],
])("an invalid session file is ignored: %s", (_, text) => {
  saveSession(state, SESSION);
  writeFileSync(file(), text);
  expect(readSession(state, SESSION)).toBeUndefined();
});

test("a session is open until it ends or is idle for a day", () => {
  expect(hasOpenSession(state)).toBe(false);
  saveSession(state, SESSION);
  const now = statSync(file()).mtimeMs;
  expect(hasOpenSession(state, undefined, now + OPEN_MS)).toBe(true);
  expect(hasOpenSession(state, undefined, now + OPEN_MS + 1)).toBe(false);
  utimesSync(file(), 0, 0);
  expect(hasOpenSession(state)).toBe(false);
  touchSession(state, SESSION);
  expect(hasOpenSession(state)).toBe(true);
  endSession(state, SESSION);
  expect(hasOpenSession(state)).toBe(false);
  expect(readSession(state, SESSION)).toEqual({ ...SESSION, ended: true });
  expect(saveSession(state, SESSION)).toBe(true);
  expect(hasOpenSession(state)).toBe(true);
});

test.each([
  ["folder", { cwd: "/other" }],
  ["words", { args: ["--host", "claude-code", "--config", "/none.toml"] }],
  ["home", { env: { HOME: "/home/other" } }],
])(
  "a session id with another %s is rejected until a day after the first one's last use",
  (_, other) => {
    saveSession(state, SESSION);
    expect(saveSession(state, { ...SESSION, ...other })).toBe(false);
    endSession(state, SESSION);
    expect(saveSession(state, { ...SESSION, ...other })).toBe(false);
    expect(readSession(state, SESSION)).toEqual({ ...SESSION, ended: true });
    utimesSync(file(), 0, 0);
    expect(saveSession(state, { ...SESSION, ...other })).toBe(true);
  },
);

test("a session's service location and environment may change", () => {
  saveSession(state, SESSION);
  const changed = {
    ...SESSION,
    key: "l",
    runtime: "/run/2",
    env: { HOME: "/home/me", PATH: "/b" },
  };
  expect(saveSession(state, changed)).toBe(true);
  expect(readSession(state, SESSION)).toEqual(changed);
});

test("hasOpenSession with a key counts only that service's sessions", () => {
  saveSession(state, SESSION);
  expect(hasOpenSession(state, "k")).toBe(true);
  expect(hasOpenSession(state, "l")).toBe(false);
});

test("files of other programs in the sessions folder are left alone", () => {
  saveSession(state, SESSION);
  const other = join(sessionsFolder(state), "note.txt");
  writeFileSync(other, "mine");
  endSession(state, SESSION);
  touchSession(state, SESSION);
  expect(hasOpenSession(state)).toBe(false);
  expect(readFileSync(other, "utf8")).toBe("mine");
});

test("saving to an unwritable folder fails; removing from it does not", () => {
  saveSession(state, SESSION);
  chmodSync(sessionsFolder(state), 0o500);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) expect(() => saveSession(state, SESSION)).toThrow(/EACCES/);
  expect(() => endSession(state, SESSION)).not.toThrow();
  chmodSync(sessionsFolder(state), 0o700);
});
