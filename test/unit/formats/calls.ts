import type { HookReport } from "../../../src/core/hook.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { pointSet } from "../../../src/core/points.ts";
import type { HandlerCall, HandlerProtocol } from "../../../src/formats/handler-protocol.ts";

export const POINTS = pointSet();

/** A call at a point, named as its system names it. */
export function callAt(pointName: string, payload: Record<string, unknown> = {}): HandlerCall {
  const point = POINTS.resolve(pointName);
  if (!point) throw new Error(`no point ${pointName}`);
  return {
    point,
    ctx: {
      hook_point: point.name,
      component_id: "host::main",
      channel_id: "primary",
      principal: { type: "Host", id: "main" },
      timestamp_ms: 7,
      payload,
      metadata: { seen: 1 },
      depth: 0,
      max_depth: 4,
    },
    cwd: "/project/sub",
    projectDir: "/project",
  };
}

/** A call before a command of `exec`. */
export const EXEC = callAt("tool.pre_execute", {
  tool_name: "exec",
  args: { command: "ls" },
  session_id: "s-1",
});
export const AFTER = callAt("tool.post_execute", {
  tool_name: "exec",
  args: { command: "ls" },
  result: { ok: true },
});

export function exit(
  protocol: HandlerProtocol,
  code: number,
  stdout: unknown,
  { call = EXEC, stderr = "", parse = true } = {},
): HookReport {
  return protocol.readExit({ code, stdout: textOf(stdout), stderr }, call, parse);
}

export function http(
  protocol: HandlerProtocol,
  status: number,
  body: unknown,
  call = EXEC,
): HookReport {
  return protocol.readHttp({ status, body: textOf(body) }, call);
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

/** The operation goes on, and nothing was said. */
export const GOES_ON: HookReport = { answer: undefined, edits: [] };

/** What a report says, short enough for a table: an action with its words, or a failure with its mode. */
export function told(report: HookReport): unknown {
  if ("failure" in report) return `failed ${report.failure.kind} ${report.failure.mode ?? "-"}`;
  const { answer, edits } = report;
  const said = answer === undefined ? {} : (answer as JsonObject);
  if (edits.length === 0) return answer === undefined ? "goes on" : said;
  return { ...said, edits: edits.map(({ path, value }) => [path.join("."), value]) };
}

export const aborts = (reason: string) => ({ action: "abort", reason });
export const goesOn = (words: JsonObject) => ({ action: "continue", ...words });
