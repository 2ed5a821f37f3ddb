import { getOwn, readJsonObject } from "../../core/index.ts";
import type { HookReport } from "../../core/index.ts";
import type { HandlerCall, HandlerProtocol } from "../handler-protocol.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess, refuse } from "../handler-report.ts";
import { handlerEvent, handlerInput } from "../handler-input.ts";
import { hostOf } from "../payload.ts";
import { currentEvent, CURSOR, cursorEvent } from "./events.ts";
import { heedsRefusal, readCursorOutput } from "./handler-output.ts";
import { PROTOCOL_FAILURES } from "../protocol-failures.ts";

/**
 * Runs hooks written for Cursor unchanged. Exit code 2 denies with the reason on stderr; any other code but 0, or no
 * response in time, allows, unless the hook has `on_error = "closed"`, which is Cursor's `failClosed`. Source:
 * protocols.md §4.
 */
export const cursorProtocol: HandlerProtocol = {
  name: "cursor",
  encode: (call) => ({ body: handlerInput(CURSOR, call), env: cursorEnv(call) }),
  readExit({ code, stdout, stderr }, call, parse) {
    if (code === 2) return readDenial(stderr.trim(), call);
    if (code !== 0) return failedExit(code, stderr, "open");
    return parse ? readOutput(stdout, call) : carryOn();
  },
  readHttp({ status, body }, call) {
    return isSuccess(status) ? readOutput(body, call) : failedStatus(status, "open");
  },
  fails: PROTOCOL_FAILURES.cursor,
};

/** Environment variables that Cursor sets. */
function cursorEnv(call: HandlerCall): Readonly<Record<string, string>> {
  const sent = currentEvent(hostOf(call));
  const event = getOwn(sent, "hook_event_name");
  const host = typeof event === "string" && cursorEvent(event) ? sent : {};
  const variables = {
    CURSOR_PROJECT_DIR: call.projectDir,
    CURSOR_VERSION: host["cursor_version"],
    CURSOR_USER_EMAIL: host["user_email"],
    CURSOR_TRANSCRIPT_PATH: host["transcript_path"],
  };
  const texts = Object.entries(variables).filter(
    // A variable cannot contain NUL, and a command that cannot start is no guard.
    (entry): entry is [string, string] => typeof entry[1] === "string" && !entry[1].includes("\0"),
  );
  return Object.fromEntries(texts);
}

function readDenial(stderr: string, call: HandlerCall): HookReport {
  const reason = stderr === "" ? "denied by a hook, no reason given" : stderr;
  if (heedsRefusal(call)) return refuse(call, reason);
  const where = `${handlerEvent(CURSOR, call)}, where it cannot deny`;
  return failed("answer", `its command exited with code 2 at ${where}: ${reason}`, "open");
}

function readOutput(output: string, call: HandlerCall): HookReport {
  const text = output.trim();
  if (text === "") return carryOn();
  const read = readJsonObject(text);
  return read.ok ? readCursorOutput(read.value, call) : failed("answer", `its output ${read.why}`);
}
