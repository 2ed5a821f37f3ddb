import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { History } from "../../../../src/workbench/inspect/history.ts";
import { pastDispatches } from "../../../../src/workbench/inspect/past.ts";
import { placeRoutes } from "../../../../src/workbench/inspect/routes.ts";
import { Questions } from "../../../../src/workbench/inspect/questions.ts";
import { folder, open } from "../../engine/orcs/engine.ts";
import { pageRig, seen } from "./page-rig.ts";

// What the page shows of a time at which nobody watched.

const CONFIG = {
  lua: { max_run_ms: 5000, max_chain_ms: 20_000 },
  hooks: [
    {
      id: "guard",
      point: "tool.pre_execute",
      match: { tool: "exec", command: "force" },
      handler_inline: 'return orcs.deny("no force")',
    },
    {
      id: "short",
      point: "tool.pre_execute",
      match: { tool: "exec", command: "log" },
      handler_inline: 'ctx.payload.args.command = "git log -n 9"; return ctx',
    },
    {
      id: "broken",
      point: "tool.pre_execute",
      match: { tool: "write" },
      on_error: "open",
      handler_inline: 'error("oh")',
    },
    {
      id: "trial",
      point: "tool.pre_execute",
      mode: "audit",
      match: { tool: "move" },
      handler_inline: 'return orcs.deny("not there")',
    },
  ],
};

async function logged(): Promise<string> {
  const auditDir = folder({});
  const orcs = await open({ config: CONFIG as never, auditDir });
  const call = (tool_name: string, args: object) =>
    orcs.dispatch("tool.pre_execute", { tool_name, session_id: "s1", args: { ...args } });
  await call("exec", { command: "git push --force" });
  await call("exec", { command: "git log" });
  await call("write", { path: "a" });
  await call("move", { path: "b" });
  await orcs.close();
  return auditDir;
}

test("decisions of the audit log are rows of the list, marked as past", async () => {
  const dir = await logged();
  const history = new History();
  history.add(pastDispatches(dir, 0));
  const { rows } = history.after(0, 100);
  expect(rows.every(({ past }) => past === true)).toBe(true);
  const of = rows.map(({ verdict, hook, tool, session, shadow }) => [
    verdict,
    hook ?? shadow?.hook,
    tool,
    session,
  ]);
  expect(of).toEqual([
    ["denied", "guard", "exec", "s1"],
    ["changed", "short", "exec", "s1"],
    ["failed", "broken", "write", "s1"],
    ["passed", "trial", "move", "s1"],
  ]);
  expect(rows[0]).toMatchObject({ reason: "no force" });
  expect(rows[3]).toMatchObject({ shadow: { verdict: "denied", hook: "trial" }, subject: "b" });

  const late = Date.now() + 60_000;
  expect(pastDispatches(dir, late)).toEqual([]);
  expect(pastDispatches(join(dir, "nowhere"), 0)).toEqual([]);
  // Whatever is in the file.
  writeFileSync(
    join(dir, "audit.jsonl"),
    'x\n{"kind":"dispatch","time":7}\n[]\n{"kind":"dispatch"',
  );
  expect(pastDispatches(dir, 0)).toEqual([]);
});

test("a past question has its answer", async () => {
  const auditDir = folder({});
  const handler_inline = 'return orcs.ask("sure?")';
  const hooks = [{ id: "asks", point: "tool.pre_execute", handler_inline }];
  const orcs = await open({ config: { hooks } as never, auditDir });
  const asked = async (command: string, refusal?: string): Promise<void> => {
    const args = { command };
    const payload = { tool_name: "exec", session_id: "s1", args };
    const { ctx } = await orcs.dispatch("tool.pre_execute", payload);
    await orcs.answered(
      { ctx, tool: "exec", args, hook: "asks", reason: undefined },
      refusal,
      "terminal",
    );
  };
  await asked("make");
  await asked("rm x", "said no");
  await orcs.dispatch("tool.pre_execute", { tool_name: "exec", session_id: "s1", args: {} });
  await orcs.close();
  const history = new History();
  history.add(pastDispatches(auditDir, 0));
  expect(history.after(0, 9).rows.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ["allowed", "approved by terminal"],
    ["denied", "said no"],
    ["asked", "sure?"],
  ]);
});

test("a past event is shown, and cannot be replayed or saved", async () => {
  const dir = await logged();
  const history = new History();
  history.add(pastDispatches(dir, 0));
  const questions = new Questions({});
  const place = { config: undefined, directory: dir };
  const routes = placeRoutes({
    history,
    place,
    auditDir: async () => dir,
    questions,
    recordUndo: async () => undefined,
  });
  const { visitor, inspector } = await pageRig({ history, routes });
  await visitor.open(inspector.newLink());
  const id = history.after(0, 1).rows[0]?.id ?? "";
  const shown = await visitor.get(`/api/dispatch/${id}`);
  expect(JSON.parse(shown.body)).toMatchObject({
    past: true,
    verdict: "denied",
    hooks: [{ hook: "guard", action: "abort", reason: "no force" }],
  });
  for (const path of ["replay", "save-test"]) {
    const { status, body } = await visitor.post(`/api/${path}`, { id });
    expect(status).toBe(422);
    expect(body).toContain("from the audit log");
  }
});

test("a hook in shadow changes the row of its dispatch, for pages that have it already", () => {
  const history = new History();
  const updates: (readonly unknown[])[] = [];
  history.onAdded((updated) => void updates.push(updated));
  history.add([seen("d1", { outcome: { action: "continue", edits: [] }, hooks: [] })]);
  const late = { hook: "trial", mode: "audit", status: "ran", action: "abort" } as const;
  history.add([{ dispatch_id: "d1", late }]);
  history.add([{ dispatch_id: "gone", late }]);
  const row = expect.objectContaining({
    seq: 1,
    verdict: "passed",
    shadow: { verdict: "denied", hook: "trial" },
  }) as unknown;
  expect(updates).toEqual([[], [row], []]);
});
