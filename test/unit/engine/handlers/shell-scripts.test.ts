import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { HANDLER_PROTOCOLS } from "../../../../src/formats/handler-protocols.ts";
import { PATH, runShell } from "./shell-rig.ts";

const SCRIPTS = join(dirname(fileURLToPath(import.meta.url)), "scripts");
const words = { protocol: HANDLER_PROTOCOLS["claude-code"], cwd: SCRIPTS };
const tool = (tool_name: string, args: Record<string, unknown>) => ({ tool_name, args });

describe("a hook script written for Claude Code", () => {
  const guard = 'sh "$CLAUDE_PROJECT_DIR"/block-rm.sh';

  it("denies by exit code 2, for tools named by orcs and by Claude Code", async () => {
    for (const name of ["exec", "Bash"]) {
      const bad = await runShell(guard, words, {}, tool(name, { command: "rm -rf 'a b'" }));
      expect(bad.outcome).toMatchObject({
        action: "abort",
        reason: "Blocked: 'rm -rf 'a b'' deletes recursively. Use trash instead.",
      });
      const good = await runShell(guard, words, {}, tool(name, { command: "ls" }));
      expect([good.status, good.outcome.action]).toEqual(["ran", "continue"]);
    }
  });

  it("is found from any working directory", async () => {
    const payload = { ...tool("exec", { command: "rm -rf /" }), cwd: "/" };
    expect((await runShell(guard, words, {}, payload)).outcome.action).toBe("abort");
  });

  const permissions = "node ./permissions.mjs";

  it.each(["read", "edit", "write"])("denies %s of a secret file", async (name) => {
    const { outcome } = await runShell(permissions, words, {}, tool(name, { path: "a/.env" }));
    expect(outcome).toMatchObject({ action: "abort", reason: "a/.env holds secrets" });
  });

  it("can ask", async () => {
    const { outcome } = await runShell(
      permissions,
      words,
      {},
      tool("exec", { command: "git push" }),
    );
    expect(outcome).toMatchObject({
      action: "continue",
      decision: "ask",
      reason: "Pushing is for people",
    });
  });

  it("can rewrite arguments, which are mapped back", async () => {
    const payload = tool("write", { path: "/tmp/x", content: "1", mode: "0600" });
    const { outcome } = await runShell(permissions, words, {}, payload);
    expect(outcome).toMatchObject({ action: "continue", decision: "allow" });
    expect(outcome.ctx.payload["args"]).toEqual({
      path: "./scratch/x",
      content: "1",
      mode: "0600",
    });
  });

  it("has no decision on unknown tools", async () => {
    const { outcome } = await runShell(permissions, words, {}, tool("mcp__a__b", { x: 1 }));
    expect(outcome.action).toBe("continue");
    expect(outcome).not.toHaveProperty("decision");
    expect(outcome.ctx.payload["args"]).toEqual({ x: 1 });
  });

  it("can add context to a prompt", async () => {
    const { outcome } = await runShell(
      "sh ./prompt-context.sh",
      { ...words, env: ["BRANCH"], environment: { variables: { PATH, BRANCH: "topic" } } },
      { point: "UserPromptSubmit" },
      { prompt: "tidy" },
    );
    expect(outcome.inject).toEqual([`Branch: topic\nDirectory: ${SCRIPTS}`]);
  });

  it("adds no context at other events, and continues on exit code 1", async () => {
    const ran = await runShell("sh ./prompt-context.sh", words);
    expect([ran.status, ran.outcome.action, ran.outcome.inject]).toEqual([
      "failed",
      "continue",
      [],
    ]);
  });
});
