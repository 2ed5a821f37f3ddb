import { getOwn, isJsonObject, readJson, textAt } from "../../core/index.ts";
import type { HookReport, JsonObject, ReadJson } from "../../core/index.ts";
import type { EndedProcess, HandlerCall, HandlerProtocol } from "../handler-protocol.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess } from "../handler-report.ts";
import { handlerInput } from "../handler-input.ts";
import { GEMINI } from "./events.ts";
import { denied, readGeminiOutput } from "./handler-output.ts";
import { PROTOCOL_FAILURES } from "../protocol-failures.ts";

/**
 * Runs hooks written for Gemini CLI unchanged. JSON counts with any exit code, from stdout, otherwise from stderr. Exit
 * code 2 blocks; with plain text, 1 is a warning and any other code but 0 a denial. A timeout or an unreachable handler
 * blocks nothing. Source: protocols.md §3; where code and reference differ, the stricter one is used.
 */
export const geminiProtocol: HandlerProtocol = {
  name: "gemini",
  encode(call) {
    const body = handlerInput(GEMINI, call);
    const cwd = textAt(body, "cwd") ?? "";
    const directory = call.projectDir ?? cwd;
    return {
      body,
      env: {
        // Commands are resolved with them: they must not follow the agent into another directory.
        GEMINI_PROJECT_DIR: directory,
        CLAUDE_PROJECT_DIR: directory,
        GEMINI_CWD: cwd,
        GEMINI_SESSION_ID: textAt(body, "session_id") ?? "",
      },
    };
  },
  readExit(ended, call, parse) {
    if (parse) return readEnd(ended, call);
    return readText(ended.code, ended.stderr.trim(), call);
  },
  // Gemini CLI itself does not use HTTP; a response is handled as usual.
  readHttp({ status, body }, call) {
    return isSuccess(status)
      ? readEnd({ code: 0, stdout: body, stderr: "" }, call)
      : failedStatus(status, "open");
  },
  fails: PROTOCOL_FAILURES.gemini,
};

const BLOCKS = 2;
const WARNS = 1;

function readEnd(ended: EndedProcess, call: HandlerCall): HookReport {
  const [stdout, stderr] = [ended.stdout.trim(), ended.stderr.trim()];
  const read = readAnswerText(stdout || stderr);
  if (read?.ok) return readWithCode(read.value, ended.code, stderr, call);
  // Half a response would also be text, and an intended response would get lost.
  if (read && ended.code === 0) return failed("answer", `its output ${read.why}`);
  // The reference says that stderr is the reason when a command blocks by its exit code.
  return readText(ended.code, ended.code === BLOCKS ? stderr || stdout : stdout || stderr, call);
}

type ReadObject =
  | Extract<ReadJson, { ok: false }>
  | { readonly ok: true; readonly value: JsonObject };

/** An object, even if it was serialised twice; undefined for plain text. */
function readAnswerText(text: string): ReadObject | undefined {
  const read = readJson(text);
  const again = read.ok && typeof read.value === "string" ? readJson(read.value) : read;
  if (again.ok) return isJsonObject(again.value) ? { ok: true, value: again.value } : undefined;
  return text.startsWith("{") ? again : undefined;
}

/** Exit code 2 blocks by itself, whatever was printed. */
function readWithCode(
  answer: JsonObject,
  code: number,
  stderr: string,
  call: HandlerCall,
): HookReport {
  const refuses =
    getOwn(answer, "continue") === false ||
    ["deny", "block"].some((word) => getOwn(answer, "decision") === word);
  return code === BLOCKS && !refuses ? denied(call, stderr) : readGeminiOutput(answer, call);
}

function readText(code: number, text: string, call: HandlerCall): HookReport {
  if (code === 0) return carryOn();
  if (code === WARNS || (code !== BLOCKS && text === "")) return failedExit(code, text, "open");
  return denied(call, text);
}
