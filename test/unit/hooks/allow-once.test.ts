import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { RefusedLine } from "../../../src/daemon/allow-once.ts";
import { RefusedLines } from "../../../src/daemon/allow-once.ts";
import { stderrLogger } from "../../../src/engine/orcs/loggers.ts";
import { fileState } from "../../../src/engine/orcs/state/file-state.ts";
import { open } from "../engine/orcs/engine.ts";

const DAY_MS = 86_400_000;
const LINE = "git push --force";
const CALL = { session_id: "s", cwd: "/work", tool_use_id: "t", host: {} };
const LOGGER = stderrLogger("warn");
const dirs: string[] = [];

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** shell-guard with state in a file, and what a person sees of it. */
async function guarded() {
  const dir = mkdtempSync(join(tmpdir(), "orcs-allow-"));
  dirs.push(dir);
  const config = { hooks: [{ script: "orcs:shell-guard" }], audit: { level: "decisions" } };
  const orcs = await open({ config, stateDir: dir, auditDir: join(dir, "audit") });
  const lines = new RefusedLines([dir], LOGGER);
  onTestFinished(() => lines.close());
  const refusal = async (command: unknown, more: JsonObject = {}, point = "tool.pre_execute") => {
    const args = { command };
    const payload = {
      ...(point === "tool.pre_execute" ? { tool_name: "exec", args } : args),
      ...CALL,
      ...more,
    };
    const outcome = await orcs.dispatch(point, payload as JsonObject);
    return outcome.action === "abort" ? outcome.reason : undefined;
  };
  const allow = (forMs = DAY_MS): RefusedLine => {
    const [newest] = lines.all();
    if (!newest) throw new Error("no line was refused");
    newest.allow(forMs);
    return newest;
  };
  return { dir, orcs, lines, refusal, allow };
}

describe("a line that a person allowed once", () => {
  test("passes for one call, and no other", async () => {
    const { refusal, allow } = await guarded();
    expect(await refusal(LINE)).toMatch(/orcs rules allow [0-9a-f]{8}$/);
    allow();
    for (const more of [{ session_id: "u" }, { cwd: "/work/x" }, { session_id: null }]) {
      expect(await refusal(LINE, more), JSON.stringify(more)).toContain("with-lease");
    }
    for (const other of [`${LINE} `, `${LINE} -q`, ["git", "push", "--force"]]) {
      expect(await refusal(other), String(other)).toContain("with-lease");
    }
    expect(await refusal(LINE)).toBeUndefined();
    // The same call, looked at again; and its permission check, which has no id in some agents.
    expect(await refusal(LINE)).toBeUndefined();
    expect(await refusal(LINE, { tool_use_id: null }, "auth.pre_check")).toBeUndefined();
    expect(await refusal(LINE, { tool_use_id: "u" })).toContain("with-lease");
    expect(await refusal(LINE, { tool_use_id: null })).toContain("with-lease");
  });

  test("a permission check before the call does not use it up", async () => {
    const { refusal, allow } = await guarded();
    await refusal(LINE);
    allow();
    expect(await refusal(LINE, {}, "auth.pre_check")).toBeUndefined();
    expect(await refusal(LINE, { tool_use_id: null })).toBeUndefined();
    expect(await refusal(LINE, { tool_use_id: null })).toContain("with-lease");
  });

  test("of two calls at the same time, one passes", async () => {
    const { refusal, allow } = await guarded();
    await refusal(LINE);
    allow();
    const ids = ["a", "b", "c", "d"];
    const all = await Promise.all(ids.map((tool_use_id) => refusal(LINE, { tool_use_id })));
    expect(all.filter((reason) => reason === undefined)).toHaveLength(1);
  });

  test("an allowance ends, and can be given again", async () => {
    const { refusal, allow } = await guarded();
    await refusal(LINE);
    allow(-1);
    expect(await refusal(LINE)).toContain("with-lease");
    allow(-1);
    allow();
    expect(await refusal(LINE)).toBeUndefined();
  });

  test("later hooks see the code of the allowance", async () => {
    const { orcs, refusal, allow } = await guarded();
    const seen: unknown[] = [];
    orcs.hook({
      id: "later",
      point: "tool.pre_execute",
      priority: 900,
      handler: ({ metadata }) => void seen.push(metadata["allowed_once"]),
    });
    await refusal(LINE);
    const { code } = allow();
    await refusal(LINE);
    expect(seen).toEqual([code]);
  });
});

describe("the refused lines", () => {
  test("are the newest, each once, with secrets masked", async () => {
    const { lines, refusal } = await guarded();
    const secret = "ghp_012345678901234567890123456789012345";
    await refusal(`TOKEN=${secret} ${LINE}`);
    for (let n = 0; n < 3; n++) await refusal(`${LINE} origin x${n % 2}`);
    const found = lines.all().map(({ line }) => line);
    expect(found).toHaveLength(3);
    expect(found.at(-1)).toBe(`TOKEN=[redacted] ${LINE}`);
    await refusal(`${LINE}; TOKEN=abc123456789;make\${IFS}evil`);
    expect(lines.all()[0]?.line).toContain("evil");
    for (let n = 0; n < 70; n++) await refusal(`${LINE} origin y${n}`);
    expect(lines.all()).toHaveLength(64);
  });

  test.each([
    ["no session", LINE, { session_id: null }],
    ["no folder", LINE, { cwd: null }],
    ["no coding agent", LINE, { host: null }],
    ["a very long line", `${LINE} # ${"x".repeat(9000)}`, {}],
  ])("have no code with %s", async (_, line, more) => {
    const { lines, refusal } = await guarded();
    expect(await refusal(line, more)).toMatch(/\.$/);
    expect(lines.all()).toEqual([]);
  });

  test("a value of another form is none", async () => {
    const { dir, lines, refusal } = await guarded();
    await refusal(LINE);
    const state = fileState(join(dir, "state.jsonl"), LOGGER);
    onTestFinished(() => state.close());
    for (const [at, value] of [
      1,
      "x",
      { code: "ab" },
      { code: "ff", digest: "aa", line: "x" },
    ].entries()) {
      state.set(`allow:refused:${at + 5}`, value);
    }
    expect(lines.all()).toHaveLength(1);
  });
});
