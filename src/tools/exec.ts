import { constants } from "node:os";
import type { ToolAnswer } from "../core/ports.ts";
import type { ArgsOf } from "../core/tools.ts";
import type { ProcessOutput, ProcessResult } from "../spawn/run-process.ts";
import { runProcess } from "../spawn/run-process.ts";
import type { ToolDeps } from "./builtin-tools.ts";
import type { BuiltinCall, BuiltinTool } from "./define-tool.ts";
import { defineTool, Refusal } from "./define-tool.ts";

/** `exec`: a command line, started in a directory of the sandbox. The command itself is not confined. */
export function execTool(deps: ToolDeps): BuiltinTool<"exec"> {
  return defineTool("exec", async (args, call) => {
    const timeoutMs = args.timeout_ms ?? deps.limits.execMs;
    const result = await run(deps, args, call, timeoutMs);
    return toAnswer(result, timeoutMs, deps.limits.outputBytes);
  });
}

async function run(
  { sandbox, limits, processes, environment }: ToolDeps,
  args: ArgsOf<"exec">,
  call: BuiltinCall,
  timeoutMs: number,
): Promise<ProcessResult> {
  const extra = args.env ?? {};
  const bad = Object.keys(extra).find((name) => name === "" || /[=\0]/.test(name));
  if (bad !== undefined) {
    throw new Refusal(
      `argument "env" has the key ${JSON.stringify(bad)}; expected the name of an environment variable`,
    );
  }
  const { path } = await sandbox.resolve(args.cwd ?? ".");
  return runProcess({
    command: args.command,
    cwd: path,
    env: { ...environment(), ...extra },
    timeoutMs,
    maxOutputBytes: limits.outputBytes,
    signal: call.signal,
    processes,
  });
}

function toAnswer(result: ProcessResult, timeoutMs: number, limit: number): ToolAnswer {
  switch (result.kind) {
    case "not_started":
      throw new Refusal(result.error);
    case "exited":
      if (result.code === 0) return { ok: true, ...texts(result), code: 0 };
      return failed(`the command exited with code ${result.code}`, result, result.code);
    case "signalled": {
      const code = 128 + constants.signals[result.signal];
      return failed(`the command was killed by ${result.signal}`, result, code);
    }
    case "timeout":
      return failed(`the command was killed after ${timeoutMs} ms`, result);
    case "aborted":
      return failed("the command was cancelled", result);
    case "output_limit": {
      const why = `the command was killed: its ${result.stream} is over the limit of ${limit} bytes`;
      return failed(why, result);
    }
  }
}

function failed(why: string, output: ProcessOutput, code?: number): ToolAnswer {
  return {
    ok: false,
    error: `exec: ${why}`,
    ...texts(output),
    ...(code !== undefined && { code }),
  };
}

function texts(output: ProcessOutput): { stdout: string; stderr: string } {
  // Results are JSON: bytes that are not UTF-8 become replacement characters.
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}
