import type { HookContext } from "../../src/core/context.ts";
import { POINT_TABLE } from "../../src/core/point-table.ts";
import type { PointName } from "../../src/core/points.ts";
import type { HostOptions } from "../../src/formats/host-protocol.ts";

type Wish = (ctx: HookContext) => unknown;

/** What a hook does at each event of an agent, by what it is called. */
export const WISHES: Readonly<Record<string, Wish>> = {
  nothing: () => undefined,
  abort: () => ({ action: "abort", reason: "no" }),
  allow: () => ({ action: "continue", decision: "allow", reason: "fine" }),
  ask: () => ({ action: "continue", decision: "ask", reason: "sure?" }),
  defer: () => ({ action: "continue", decision: "defer", reason: "later" }),
  skip: () => ({ action: "skip", result: "done already" }),
  retry: () => ({ action: "retry", delay_ms: 5 }),
  rewrite: (ctx) => {
    const row: { phase: string; input?: string } = POINT_TABLE[ctx.hook_point as PointName];
    const key = row.input ?? "note";
    const isObject = key === "args" || key === "child_config";
    if (key !== "event") ctx.payload[key] = isObject ? { path: "else" } : "rewritten";
    return undefined;
  },
  replace: () => ({ action: "replace", result: "other" }),
  inject: () => ({ action: "continue", inject: ["one", "two"] }),
};

/** The stricter and the looser value of each setting. */
export const DENY: HostOptions = { ask: "deny", rewrite: "refuse" };
export const PASS: HostOptions = { ask: "pass", rewrite: "approve" };
