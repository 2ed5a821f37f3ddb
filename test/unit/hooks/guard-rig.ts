import { expect } from "vitest";
import { loadedGuard } from "./loaded-guard.ts";

/** What a guard makes of a call. */
export interface Verdict {
  readonly verdict: "pass" | "ask" | "refuse";
  readonly reason: string;
}

/** A policy that ships, in front of calls. */
export interface Guard {
  /** @param cwd of the payload, as a host sends it */
  call(tool: string, args: Readonly<Record<string, unknown>>, cwd?: string): Promise<Verdict>;
  /** Expect that a call of `exec` with each of the commands comes to this; all that do not are told at once. */
  expectCommands(verdict: Verdict["verdict"], commands: readonly string[]): Promise<void>;
}

/** @param cwd where the calls start that name no other */
export async function guard(
  policy: string,
  cwd: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Guard> {
  const orcs = await loadedGuard(policy, options);
  const call: Guard["call"] = async (tool_name, args, from = cwd) => {
    const payload = { tool_name, args, cwd: from };
    const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
    if (outcome.action === "abort") return { verdict: "refuse", reason: outcome.reason };
    if (outcome.action !== "continue") throw new Error(`returned ${outcome.action}`);
    const asked = outcome.decision === "ask";
    return { verdict: asked ? "ask" : "pass", reason: (asked && outcome.reason) || "" };
  };
  return {
    call,
    async expectCommands(verdict, commands) {
      const wrong: unknown[] = [];
      for (const command of commands) {
        const found = await call("exec", { command });
        const named = [`${policy}: `, `${policy} (`].some((start) =>
          found.reason.startsWith(start),
        );
        const told = found.verdict === "pass" || named;
        if (found.verdict !== verdict || !told) wrong.push([command, found]);
      }
      expect(wrong).toEqual([]);
    },
  };
}
