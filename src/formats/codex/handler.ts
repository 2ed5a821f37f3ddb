import { readJsonObject } from "../../core/index.ts";
import type { HookReport } from "../../core/index.ts";
import type { HandlerCall, HandlerProtocol } from "../handler-protocol.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess, refuse } from "../handler-report.ts";
import { handlerEvent, handlerInput } from "../handler-input.ts";
import { CODEX, codexEvent } from "./events.ts";
import { readCodexOutput, STOP_EVENTS } from "./handler-output.ts";
import { isBlank } from "../agent-text.ts";
import { PROTOCOL_FAILURES } from "../protocol-failures.ts";

/**
 * Runs hooks written for Codex unchanged. Exit code 2 blocks with the reason on stderr; any other code but 0, a
 * response that Codex would reject and a missing one block nothing. Source: protocols.md §2.
 */
export const codexProtocol: HandlerProtocol = {
  name: "codex",
  encode: (call) => ({ body: handlerInput(CODEX, call), env: {} }),
  readExit({ code, stdout, stderr }, call, parse) {
    if (code === 0) return parse ? readOutput(stdout, call) : carryOn();
    return code === 2 && isBlockable(call)
      ? readBlock(stderr, call)
      : failedExit(code, stderr, "open");
  },
  // Codex itself does not use HTTP; a response is handled as usual.
  readHttp({ status, body }, call) {
    return isSuccess(status) ? readOutput(body, call) : failedStatus(status, "open");
  },
  fails: PROTOCOL_FAILURES.codex,
};

/** Events at which the plain output of a hook is context for the model. */
const TEXT_EVENTS: readonly string[] = ["SessionStart", "SubagentStart", "UserPromptSubmit"];
/** Events at which plain output is an error. */
const JSON_EVENTS: readonly string[] = [...STOP_EVENTS, "Interrupt"];

/** Whether exit code 2 blocks: where Codex says so, at post points, and before operations without an event in Codex. */
function isBlockable(call: HandlerCall): boolean {
  if (call.point.phase === "post") return true;
  const row = codexEvent(handlerEvent(CODEX, call));
  if (row === undefined) return call.point.phase === "pre";
  return row.refusal !== undefined && row.refusal !== "halt";
}

function readBlock(stderr: string, call: HandlerCall): HookReport {
  return isBlank(stderr)
    ? failed("answer", "its command exited with code 2 and wrote no reason to stderr", "open")
    : refuse(call, stderr.trim());
}

function readOutput(output: string, call: HandlerCall): HookReport {
  const event = handlerEvent(CODEX, call);
  const text = output.trim();
  if (text === "" || event === "SessionEnd") return carryOn();
  if (/^[{[]/.test(text)) {
    const read = readJsonObject(text);
    return read.ok
      ? readCodexOutput(read.value, call)
      : failed("answer", `its output ${read.why}`, "open");
  }
  if (JSON_EVENTS.includes(event)) return failed("answer", "its output is not JSON", "open");
  return TEXT_EVENTS.includes(event) ? carryOn({ inject: text }) : carryOn();
}
