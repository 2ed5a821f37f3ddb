import type { HookReport } from "../../core/hook.ts";
import { getOwn } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { textField } from "../host-protocol.ts";
import type { EndedProcess, HandlerCall, HandlerProtocol } from "../handler-protocol.ts";
import { isJsonObject, readJson } from "../read-json.ts";
import type { ReadJson } from "../read-json.ts";
import { carryOn, failed, failedExit, failedStatus, isSuccess } from "../handler-report.ts";
import { geminiInput } from "./handler-input.ts";
import { denied, readGeminiOutput } from "./handler-output.ts";

/**
 * Gemini CLI's hooks, run as they are. JSON counts whatever the code is, from stdout, else from stderr. Exit
 * code 2 blocks; of plain text, 1 makes a warning and any other code but 0 a refusal. Time up, or nobody there,
 * blocks nothing. Source: protocols.md §3; where code and reference differ, what refuses.
 */
export const geminiProtocol: HandlerProtocol = {
  name: "gemini",
  encode(call) {
    const body = geminiInput(call);
    const cwd = textField(body, "cwd") ?? "";
    const directory = call.projectDir ?? cwd;
    return {
      body,
      env: {
        // Commands are found by them: they must not follow the agent into a directory that lacks them.
        GEMINI_PROJECT_DIR: directory,
        CLAUDE_PROJECT_DIR: directory,
        GEMINI_CWD: cwd,
        GEMINI_SESSION_ID: textField(body, "session_id") ?? "",
      },
    };
  },
  readExit(ended, call, parse) {
    if (parse) return readEnd(ended, call);
    return readText(ended.code, ended.stderr.trim(), call);
  },
  // Gemini CLI itself asks no service; an answer is an answer.
  readHttp({ status, body }, call) {
    return isSuccess(status)
      ? readEnd({ code: 0, stdout: body, stderr: "" }, call)
      : failedStatus(status, "open");
  },
  onTimeout: "open",
  onUnreachable: "open",
};

const BLOCKS = 2;
const WARNS = 1;

function readEnd(ended: EndedProcess, call: HandlerCall): HookReport {
  const [stdout, stderr] = [ended.stdout.trim(), ended.stderr.trim()];
  const read = readAnswerText(stdout || stderr);
  if (read?.ok) return readWithCode(read.value, ended.code, stderr, call);
  // Half an answer would be text as well, and what was meant as one would get lost.
  if (read && ended.code === 0) return failed("answer", `its output ${read.why}`);
  // The reference says that stderr is the reason when a command blocks by its exit code.
  return readText(ended.code, ended.code === BLOCKS ? stderr || stdout : stdout || stderr, call);
}

type ReadObject =
  | Extract<ReadJson, { ok: false }>
  | { readonly ok: true; readonly value: JsonObject };

/** An object, also one that was written as JSON twice; undefined when it is plain text. */
function readAnswerText(text: string): ReadObject | undefined {
  const read = readJson(text);
  const again = read.ok && typeof read.value === "string" ? readJson(read.value) : read;
  if (again.ok) return isJsonObject(again.value) ? { ok: true, value: again.value } : undefined;
  return text.startsWith("{") ? again : undefined;
}

/** Code 2 blocks on its own, whatever was printed beside it. */
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
