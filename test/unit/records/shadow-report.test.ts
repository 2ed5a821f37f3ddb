import { describe, expect, it } from "vitest";
import { shadowReport } from "../../../src/records/shadow-report.ts";
import type { JsonObject } from "../../../src/core/json.ts";

let second = 0;
const line = (record: JsonObject): { record: JsonObject } => {
  const time = new Date(Date.UTC(2026, 0, 1) + 1000 * second++).toISOString();
  return { record: { time, ...record } };
};
const shadow = (record: JsonObject): { record: JsonObject } =>
  line({
    kind: "shadow",
    mode: "audit",
    point: "tool.pre_execute",
    tool: "exec",
    enforced: { action: "continue" },
    ...record,
  });

describe("the report about hooks in shadow", () => {
  it("counts by hook what would have happened, with three examples", () => {
    const pushes = Array.from({ length: 10 }, (_, i) =>
      shadow({
        hook: "push",
        action: "abort",
        reason: "no",
        session: `s${i % 2}`,
        subject: `git push ${i % 4}`,
      }),
    );
    const [first, second, ...others] = shadowReport(
      [
        ...pushes,
        shadow({
          hook: "push",
          action: "continue",
          decision: "ask",
          session: "s7",
          subject: "git push -f",
          enforced: { action: "abort", hook: "other" },
        }),
        shadow({ hook: "push", action: "failed", failures: [] }),
        shadow({
          hook: "edit",
          session: "s9",
          action: "rewrite",
          patch: [{ op: "add", path: "/payload/args/x", value: 1 }],
          inject: ["careful"],
        }),
        line({ kind: "dispatch", action: "abort", hook: "enforced" }),
        { record: undefined },
      ].map(({ record }) => ({ record })),
      {},
    );
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      hook: "push",
      mode: "audit",
      entries: 12,
      would: { deny: 10, ask: 1, change: 0, inject: 0 },
      failed: 1,
      sessions: 3,
      anyway: 1,
      promote: "orcs rules promote push",
    });
    expect(first?.examples.map(({ subject, would }) => [subject, would])).toEqual([
      ["git push 0", ["deny"]],
      ["git push 1", ["deny"]],
      ["git push -f", ["ask"]],
    ]);
    expect(second).toMatchObject({
      hook: "edit",
      would: { deny: 0, change: 1, inject: 1 },
      sessions: 1,
    });
  });

  it("includes hooks that warn, and selects by time and hook", () => {
    const dispatch = line({
      kind: "dispatch",
      point: "tool.pre_execute",
      action: "continue",
      tool: "exec",
      subject: "ls",
      warned: [
        { hook: "a b", action: "abort", reason: "no" },
        { hook: "c", action: "rewrite", paths: ["/payload/args"] },
      ],
    });
    const lines = [
      dispatch,
      shadow({ hook: "old", action: "abort", time: "2020-01-01T00:00:00.000Z" }),
    ];
    const all = shadowReport(lines, { since: Date.UTC(2025, 0, 1) });
    expect(all.map(({ hook, mode, would }) => [hook, mode, would.deny, would.change])).toEqual([
      ["a b", "warn", 1, 0],
      ["c", "warn", 0, 1],
    ]);
    expect(all[0]?.promote).toBe("orcs rules promote 'a b'");
    expect(shadowReport(lines, { hook: "c" }).map(({ hook }) => hook)).toEqual(["c"]);
  });
});
