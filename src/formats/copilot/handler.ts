import { isPlainObject, readJsonObject } from "../../core/index.ts";
import type { HookReport } from "../../core/index.ts";
import type { HandlerCall, HandlerProtocol } from "../handler-protocol.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess, refuse } from "../handler-report.ts";
import { handlerEvent, handlerInput } from "../handler-input.ts";
import { COPILOT } from "./events.ts";
import { readCopilotOutput } from "./handler-output.ts";
import { PROTOCOL_FAILURES } from "../protocol-failures.ts";

/**
 * Runs hooks written for Copilot CLI unchanged. Any exit code but 0 denies a tool call or a permission; elsewhere code 2
 * is a warning, and any other a failure that has no effect. What is not one JSON object is no response. Source: its
 * hooks reference, tried with 1.0.102.
 */
export const copilotProtocol: HandlerProtocol = {
  name: "copilot",
  encode(call) {
    const { projectDir } = call;
    return {
      body: handlerInput(COPILOT, call),
      env:
        projectDir === undefined
          ? {}
          : { COPILOT_PROJECT_DIR: projectDir, CLAUDE_PROJECT_DIR: projectDir },
    };
  },
  readExit({ code, stdout, stderr }, call, parse) {
    if (code === 0) return parse ? readOutput(stdout, call) : carryOn();
    const event = handlerEvent(COPILOT, call);
    if (event === "PreToolUse" || event === "PermissionRequest") {
      return readDenial(code, parse ? stdout : "", stderr, call);
    }
    if (code !== 2) return failedExit(code, stderr, "open");
    const text = stderr.trim();
    if (event === "PostToolUseFailure") return carryOn(text === "" ? {} : { inject: [text] });
    return parse ? readOutput(stdout, call) : carryOn();
  },
  readHttp({ status, body }, call) {
    return isSuccess(status) ? readOutput(body, call) : failedStatus(status, "open");
  },
  fails: PROTOCOL_FAILURES.copilot,
};

/** Exit code 2 denies with the reason of the output; another one is a hook that failed, which denies as well. */
function readDenial(code: number, stdout: string, stderr: string, call: HandlerCall): HookReport {
  if (code !== 2) return failedExit(code, stderr, "closed");
  const said = readOutput(stdout, call);
  if ("answer" in said && isPlainObject(said.answer) && said.answer["action"] === "abort")
    return said;
  const why = stderr.trim();
  return refuse(call, why === "" ? "hook exited with code 2" : why);
}

/** Lines that only report progress. */
const PROGRESS = /^\s*\{.*"type"\s*:\s*"progress".*\}\s*$/;

function readOutput(output: string, call: HandlerCall): HookReport {
  const lines = output.split("\n").filter((line) => !PROGRESS.test(line));
  const text = lines.join("\n").trim();
  if (text === "") return carryOn();
  const read = readJsonObject(text);
  if (read.ok) return readCopilotOutput(read.value, call);
  // Copilot CLI ignores it. A response that was meant as one got lost, which is visible so.
  return text.startsWith("{") ? failed("answer", `its output ${read.why}`, "open") : carryOn();
}
