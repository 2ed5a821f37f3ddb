import { readJsonObject } from "../../core/index.ts";
import type { HookReport } from "../../core/index.ts";
import { claudeEventName, claudeInput } from "./handler-input.ts";
import { readClaudeOutput } from "./handler-output.ts";
import { TEXT_EVENTS } from "./events.ts";
import type { HandlerCall, HandlerProtocol } from "../handler-protocol.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess, refuse } from "../handler-report.ts";
import { PROTOCOL_FAILURES } from "../protocol-failures.ts";

/**
 * Runs hooks written for Claude Code unchanged. Exit code 2 blocks with the reason on stderr; any other code but 0 is
 * an error that blocks nothing, unless a response was printed anyway. Source: protocols.md §1.
 */
export const claudeCodeProtocol: HandlerProtocol = {
  name: "claude-code",
  encode(call) {
    const { projectDir } = call;
    return {
      body: claudeInput(call),
      // Commands are resolved with it: it must not follow the agent into another directory.
      env: projectDir === undefined ? {} : { CLAUDE_PROJECT_DIR: projectDir },
    };
  },
  readExit({ code, stdout, stderr }, call, parse) {
    if (code === 2) return readBlock(stderr.trim(), call);
    if (code === 0) return parse ? readOutput(stdout, call) : carryOn();
    const answer = parse ? readJsonObject(stdout) : undefined;
    return answer?.ok ? readClaudeOutput(answer.value, call) : failedExit(code, stderr, "open");
  },
  readHttp({ status, body }, call) {
    return isSuccess(status) ? readOutput(body, call) : failedStatus(status, "open");
  },
  fails: PROTOCOL_FAILURES["claude-code"],
};

function readBlock(reason: string, call: HandlerCall): HookReport {
  // Permission requests are only denied by a response.
  return claudeEventName(call) === "PermissionRequest"
    ? failed(
        "answer",
        `its command exited with code 2, which cannot deny a permission: ${reason}`,
        "open",
      )
    : refuse(call, reason);
}

/** An object is a response, anything else is text. */
function readOutput(output: string, call: HandlerCall): HookReport {
  const text = output.trim();
  const isContext = TEXT_EVENTS.includes(claudeEventName(call));
  // Half a response would also be text. Where text has no meaning, an intended response got lost.
  if (text.startsWith("{") && (text.endsWith("}") || !isContext)) {
    const read = readJsonObject(text);
    return read.ok
      ? readClaudeOutput(read.value, call)
      : failed("answer", `its output ${read.why}`);
  }
  return isContext && text !== "" ? carryOn({ inject: text }) : carryOn();
}
