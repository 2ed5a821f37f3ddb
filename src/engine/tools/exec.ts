import { constants } from "node:os";
import { type ArgsOf, readExactWords, type ToolAnswer, variablesOf } from "../../core/index.ts";
import { type ProcessOutput, type ProcessResult, runProcess } from "../../machine/index.ts";
import type { ToolDeps } from "./builtin-tools.ts";
import { type BuiltinCall, type BuiltinTool, defineTool, Refusal } from "./define-tool.ts";

/**
 * `exec`: a command line, started in a directory of the sandbox. The command itself is not confined. Without a shell it
 * is still a line, so that hooks and grants read one thing, whichever way it runs.
 */
export function execTool(deps: ToolDeps): BuiltinTool<"exec"> {
  return defineTool("exec", async (args, call) => {
    const timeoutMs = args.timeout_ms ?? deps.limits.execMs;
    const result = await run(deps, args, call, timeoutMs);
    return toAnswer(result, timeoutMs, deps.limits.outputBytes);
  });
}

async function run(
  { sandbox, limits, processes, environment: own, inherited }: ToolDeps,
  args: ArgsOf<"exec">,
  call: BuiltinCall,
  timeoutMs: number,
): Promise<ProcessResult> {
  const extra = args.env ?? {};
  const bad = Object.keys(extra).find((name) => name === "" || /[=\0]/.test(name));
  if (bad !== undefined) {
    const why = `has the key ${JSON.stringify(bad)}; expected the name of an environment variable`;
    throw new Refusal(`argument "env" ${why}`);
  }
  const { path } = await sandbox.resolve(args.cwd ?? ".");
  const what = args.shell === false ? programOf(args.command) : { command: args.command };
  const environment = call.caller?.environment ?? own;
  return runProcess({
    ...what,
    cwd: path,
    env: { ...variablesOf(environment, inherited), ...extra },
    umask: environment.umask,
    timeoutMs,
    maxOutputBytes: limits.outputBytes,
    signal: call.signal,
    processes,
  });
}

/**
 * The program and the arguments that a line names, exactly as a shell would pass them on.
 * @throws Refusal when only a shell could tell them
 */
function programOf(command: string): { readonly file: string; readonly args: readonly string[] } {
  const words = readExactWords(command);
  if (!words) {
    throw new Refusal(
      'with shell = false, argument "command" must be one plain command, without operators, $ and line breaks outside of quotes',
    );
  }
  const special = words.find(({ literal }) => !literal);
  if (special) {
    throw new Refusal(
      `with shell = false, nothing replaces ${JSON.stringify(special.text)}; quote it to pass it on as it is`,
    );
  }
  const [file = "", ...args] = words.map(({ text }) => text);
  if (file === "") throw new Refusal('argument "command" names no program');
  return { file, args };
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
  const found = { ...texts(output), ...(code !== undefined && { code }) };
  return { ok: false, error: `exec: ${why}`, ...found };
}

function texts(output: ProcessOutput): { stdout: string; stderr: string } {
  // Results are JSON: bytes that are not UTF-8 become replacement characters.
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}
