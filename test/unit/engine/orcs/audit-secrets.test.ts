import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { saidIn } from "./audit-rig.ts";
import { call, errorOf, folder, open } from "./engine.ts";

const SECRETS = {
  github: `ghp_${"a1B2".repeat(9)}`,
  aws: "AKIAIOSFODNN7AUDITED",
  bearer: `Bearer ${"abcDEF123".repeat(5)}`,
  url: "postgres://admin:hunter2pass@db.internal/main",
};

test("the audit file contains no secret from a reason, a failure, an approval or an argument", async () => {
  const dir = folder();
  const all = Object.values(SECRETS).join(" and ");
  const orcs = await open({
    auditDir: dir,
    approve: () => {
      throw new Error(`asked with ${all}`);
    },
    hooks: [
      {
        id: "fails",
        point: "tool.pre_execute",
        onError: "open",
        handler: () => {
          throw new Error(`failed with ${all}`);
        },
      },
      {
        id: "asks",
        point: "tool.pre_execute",
        handler: () => ({ action: "continue", decision: "ask", reason: `because of ${all}` }),
      },
    ],
  });
  const tool = orcs.wrapTool("exec", (_args: object) => 1);
  await errorOf(tool({ password: "open sesame", command: `curl ${all}` }));
  await orcs.dispatch("tool.pre_execute", { ...call(`tool ${all}`), session_id: all });
  await orcs.close();
  expect(saidIn(dir).map(({ kind }) => kind)).toEqual(["dispatch", "approval", "dispatch"]);
  const text = readFileSync(join(dir, "audit.jsonl"), "utf8");
  for (const secret of [
    SECRETS.github,
    SECRETS.aws,
    "abcDEF123abcDEF123",
    "hunter2pass",
    "sesame",
  ]) {
    expect(text).not.toContain(secret);
  }
  // What is there to be read still is.
  expect(text).toContain("because of");
  const [line] = saidIn(dir);
  expect(line?.["input"]).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(line?.["config"]).toMatch(/^[0-9a-f]{64}$/);
});

test("patterns in [redact] are masked in the audit file", async () => {
  const dir = folder();
  const orcs = await open({
    auditDir: dir,
    overrides: { redact: { patterns: ["EMP-[0-9]+"] } },
    hooks: [
      {
        id: "h",
        point: "tool.pre_execute",
        handler: () => ({ action: "abort", reason: "not EMP-4711 today" }),
      },
    ],
  });
  await orcs.dispatch("tool.pre_execute", call("exec"));
  const reason = String(saidIn(dir)[0]?.["reason"]);
  expect(reason).toMatch(/^not .+ today$/);
  expect(reason).not.toContain("4711");
});
