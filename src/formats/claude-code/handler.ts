import { AGENT_TOOLS, readJsonObject } from "../../core/index.ts";
import type { AgentTools, HookReport } from "../../core/index.ts";
import type { AgentFormat } from "../agent-format.ts";
import { handlerEvent, handlerInput } from "../handler-input.ts";
import type { HandlerCall, HandlerProtocol } from "../handler-protocol.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess, refuse } from "../handler-report.ts";
import { PROTOCOL_FAILURES } from "../protocol-failures.ts";
import { QWEN, qwenVariables } from "../claude-dialect/qwen.ts";
import { CLAUDE, TEXT_EVENTS } from "./events.ts";
import { readClaudeOutput } from "./handler-output.ts";

/**
 * Runs hooks written for Claude Code, or for an agent with the same protocol, unchanged. Exit code 2 blocks with the
 * reason on stderr; any other code but 0 is an error that blocks nothing, unless a response was printed anyway. Source:
 * protocols.md §1.
 */
function claudeHandler(
  format: AgentFormat,
  tools: AgentTools,
  variables: (project: string) => Readonly<Record<string, string>>,
): HandlerProtocol {
  /** An object is a response, anything else is text. */
  const readOutput = (output: string, call: HandlerCall): HookReport => {
    const text = output.trim();
    const isContext = TEXT_EVENTS.includes(handlerEvent(CLAUDE, call));
    // Half a response would also be text. Where text has no meaning, an intended response got lost.
    if (text.startsWith("{") && (text.endsWith("}") || !isContext)) {
      const read = readJsonObject(text);
      return read.ok
        ? readClaudeOutput(read.value, call, tools)
        : failed("answer", `its output ${read.why}`);
    }
    return isContext && text !== "" ? carryOn({ inject: text }) : carryOn();
  };
  return {
    name: format.name,
    encode: (call) => ({
      body: handlerInput(format, call),
      // Commands are resolved with them: they must not follow the agent into another directory.
      env: call.projectDir === undefined ? {} : variables(call.projectDir),
    }),
    readExit({ code, stdout, stderr }, call, parse) {
      if (code === 2) return readBlock(stderr.trim(), call);
      if (code === 0) return parse ? readOutput(stdout, call) : carryOn();
      const answer = parse ? readJsonObject(stdout) : undefined;
      return answer?.ok
        ? readClaudeOutput(answer.value, call, tools)
        : failedExit(code, stderr, "open");
    },
    readHttp: ({ status, body }, call) =>
      isSuccess(status) ? readOutput(body, call) : failedStatus(status, "open"),
    fails: PROTOCOL_FAILURES[format.name],
  };
}

export const claudeCodeProtocol = claudeHandler(CLAUDE, AGENT_TOOLS["claude-code"], (project) => ({
  CLAUDE_PROJECT_DIR: project,
}));
export const qwenProtocol = claudeHandler(QWEN, AGENT_TOOLS.qwen, qwenVariables);

function readBlock(reason: string, call: HandlerCall): HookReport {
  // Permission requests are only denied by a response.
  return handlerEvent(CLAUDE, call) === "PermissionRequest"
    ? failed(
        "answer",
        `its command exited with code 2, which cannot deny a permission: ${reason}`,
        "open",
      )
    : refuse(call, reason);
}
