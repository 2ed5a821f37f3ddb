import {
  AGENT_TOOLS,
  getOwn,
  isJsonObject,
  isPlainObject,
  readJson,
  readJsonObject,
  textAt,
} from "../core/index.ts";
import type { FailureMode, HookReport, HostName, JsonObject, ReadJson } from "../core/index.ts";
import type { AgentFormat } from "./agent-format.ts";
import { isBlank } from "./agent-text.ts";
import { CLAUDE, TEXT_EVENTS } from "./claude-code/events.ts";
import { CLAUDE_FIELDS } from "./claude-code/fields.ts";
import { readClaudeOutput } from "./claude-code/handler-output.ts";
import { QWEN } from "./claude-dialect/qwen.ts";
import { CODEX } from "./codex/events.ts";
import { CODEX_FIELDS } from "./codex/fields.ts";
import { readCodexOutput, STOP_EVENTS } from "./codex/handler-output.ts";
import { COPILOT } from "./copilot/events.ts";
import { readCopilotOutput } from "./copilot/handler-output.ts";
import { currentAnswer, currentEvent, CURSOR } from "./cursor/events.ts";
import { CURSOR_FIELDS } from "./cursor/fields.ts";
import { heedsRefusal, readCursorOutput } from "./cursor/handler-output.ts";
import { GEMINI } from "./gemini/events.ts";
import { GEMINI_FIELDS } from "./gemini/fields.ts";
import { denied, readGeminiOutput } from "./gemini/handler-output.ts";
import { handlerEvent, handlerInput } from "./handler-input.ts";
import type { EndedProcess, HandlerCall, HandlerProtocol } from "./handler-protocol.ts";
import {
  carryOn,
  failed,
  failedExit,
  failedStatus,
  isSuccess,
  refuse,
  strictIfDenied,
} from "./handler-report.ts";
import type { HostFields } from "./host-fields.ts";
import { NO_FIELDS, passFields } from "./host-fields.ts";
import { hostOf } from "./payload.ts";
import { PROTOCOL_FAILURES } from "./protocol-failures.ts";

type ReadOutput = (output: string, call: HandlerCall) => HookReport;

/** How the hooks of an agent answer, besides the keys of a response. */
interface AgentHandler {
  readonly format: AgentFormat;
  /** Those that mean nothing to orcs reach the agent if it sent the event. */
  readonly fields: HostFields;
  /** The meaning of a response. */
  readonly read: (answer: JsonObject, call: HandlerCall) => HookReport;
  /** A response with current names. */
  readonly current?: (answer: JsonObject) => JsonObject;
  /** Variables that name the project: commands are resolved with them, wherever the agent currently works. */
  readonly projects?: readonly string[];
  /** Its other variables. */
  readonly env?: (call: HandlerCall, body: JsonObject) => Readonly<Record<string, unknown>>;
  /** Events at which other output is text for the model, an error, and nothing. */
  readonly texts?: readonly string[];
  readonly objects?: readonly string[];
  readonly deaf?: readonly string[];
  /** Whether output that is no response was meant as one: then it got lost, which must be visible. */
  readonly isMeant: (text: string, isText: boolean) => boolean;
  /** What becomes of such output, if its system does not say it. */
  readonly broken?: FailureMode;
  /** Lines that are no part of a response. */
  readonly ignored?: RegExp;
  /** The meaning of exit codes other than 0; undefined for a failure that blocks nothing. */
  readonly ended: (
    ended: EndedProcess,
    call: HandlerCall,
    parse: boolean,
    read: ReadOutput,
  ) => HookReport | undefined;
  /** The same for every code, where a response counts with any. */
  readonly readExit?: HandlerProtocol["readExit"];
}

const BLOCKS = 2;

/**
 * Runs hooks written for Claude Code, or for an agent with the same protocol, unchanged. Exit code 2 blocks with the
 * reason on stderr; any other code but 0 is an error that blocks nothing, unless a response was printed anyway. Source:
 * protocols.md §1.
 */
const claude: AgentHandler = {
  format: CLAUDE,
  fields: CLAUDE_FIELDS,
  read: (answer, call) => readClaudeOutput(answer, call),
  projects: ["CLAUDE_PROJECT_DIR"],
  texts: TEXT_EVENTS,
  // Half a response would also be text.
  isMeant: (text, isText) => text.startsWith("{") && (text.endsWith("}") || !isText),
  ended({ code, stdout, stderr }, call, parse) {
    const reason = stderr.trim();
    if (code !== BLOCKS) {
      const answer = parse ? readJsonObject(stdout) : undefined;
      return answer?.ok ? answerOf(this, answer.value, call) : undefined;
    }
    if (handlerEvent(CLAUDE, call) !== "PermissionRequest") return refuse(call, reason);
    // Permission requests are only denied by a response.
    const why = `its command exited with code 2, which cannot deny a permission: ${reason}`;
    return failed("answer", why, "open");
  },
};

const qwen: AgentHandler = {
  ...claude,
  format: QWEN,
  read: (answer, call) => readClaudeOutput(answer, call, AGENT_TOOLS.qwen),
  projects: ["QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"],
};

/**
 * Runs hooks written for Codex unchanged. Exit code 2 blocks with the reason on stderr; any other code but 0, a
 * response that Codex would reject and a missing one block nothing. Source: protocols.md §2.
 */
const codex: AgentHandler = {
  format: CODEX,
  fields: CODEX_FIELDS,
  read: readCodexOutput,
  texts: ["SessionStart", "SubagentStart", "UserPromptSubmit"],
  objects: [...STOP_EVENTS, "Interrupt"],
  deaf: ["SessionEnd"],
  isMeant: (text) => /^[{[]/.test(text),
  broken: "open",
  ended({ code, stderr }, call) {
    if (code !== BLOCKS || !isBlockedByCodex(call)) return undefined;
    return isBlank(stderr)
      ? failed("answer", "its command exited with code 2 and wrote no reason to stderr", "open")
      : refuse(call, stderr.trim());
  },
};

/** Whether exit code 2 blocks: where Codex says so, at post points, and before operations without an event in Codex. */
function isBlockedByCodex(call: HandlerCall): boolean {
  if (call.point.phase === "post") return true;
  const row = getOwn(CODEX.events, handlerEvent(CODEX, call));
  if (row === undefined) return call.point.phase === "pre";
  return row.refusal !== undefined && row.refusal !== "halt";
}

/**
 * Runs hooks written for Copilot CLI unchanged. Any exit code but 0 denies a tool call or a permission; elsewhere code 2
 * is a warning, and any other a failure that has no effect. What is not one JSON object is no response. Source: its
 * hooks reference, tried with 1.0.102.
 */
const copilot: AgentHandler = {
  format: COPILOT,
  fields: NO_FIELDS,
  read: readCopilotOutput,
  projects: ["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  isMeant: (text) => text.startsWith("{"),
  broken: "open",
  ignored: /^\s*\{.*"type"\s*:\s*"progress".*\}\s*$/,
  ended({ code, stdout, stderr }, call, parse, read) {
    const event = handlerEvent(COPILOT, call);
    const text = stderr.trim();
    if (event === "PreToolUse" || event === "PermissionRequest") {
      if (code !== BLOCKS) return failedExit(code, stderr, "closed");
      const said = read(parse ? stdout : "", call);
      const denies =
        "answer" in said && isPlainObject(said.answer) && said.answer["action"] === "abort";
      return denies ? said : refuse(call, text === "" ? "hook exited with code 2" : text);
    }
    if (code !== BLOCKS) return undefined;
    if (event === "PostToolUseFailure") return carryOn(text === "" ? {} : { inject: [text] });
    return parse ? read(stdout, call) : carryOn();
  },
};

/**
 * Runs hooks written for Cursor unchanged. Exit code 2 denies with the reason on stderr; any other code but 0, or no
 * response in time, allows, unless the hook has `on_error = "closed"`, which is Cursor's `failClosed`. Source:
 * protocols.md §4.
 */
const cursor: AgentHandler = {
  format: CURSOR,
  fields: CURSOR_FIELDS,
  read(answer, call) {
    // Cursor also runs Claude Code's hooks, and reads their responses.
    const isClaudes = Object.hasOwn(answer, "hookSpecificOutput");
    return isClaudes && (getOwn(answer, "permission") ?? null) === null
      ? answerOf(claude, answer, call)
      : readCursorOutput(answer, call);
  },
  current: currentAnswer,
  projects: ["CURSOR_PROJECT_DIR"],
  env(call) {
    const sent = currentEvent(hostOf(call));
    const event = getOwn(sent, "hook_event_name");
    const host = typeof event === "string" && getOwn(CURSOR.events, event) ? sent : {};
    return {
      CURSOR_VERSION: host["cursor_version"],
      CURSOR_USER_EMAIL: host["user_email"],
      CURSOR_TRANSCRIPT_PATH: host["transcript_path"],
    };
  },
  isMeant: () => true,
  ended({ code, stderr }, call) {
    if (code !== BLOCKS) return undefined;
    const reason = stderr.trim() || "denied by a hook, no reason given";
    if (heedsRefusal(call)) return refuse(call, reason);
    const where = `${handlerEvent(CURSOR, call)}, where it cannot deny`;
    return failed("answer", `its command exited with code 2 at ${where}: ${reason}`, "open");
  },
};

/**
 * Runs hooks written for Gemini CLI unchanged. JSON counts with any exit code, from stdout, otherwise from stderr. Exit
 * code 2 blocks; with plain text, 1 is a warning and any other code but 0 a denial. A timeout or an unreachable handler
 * blocks nothing. Source: protocols.md §3; where code and reference differ, the stricter one is used.
 */
const gemini: AgentHandler = {
  format: GEMINI,
  fields: GEMINI_FIELDS,
  read: readGeminiOutput,
  env({ projectDir }, body) {
    const cwd = textAt(body, "cwd") ?? "";
    const directory = projectDir ?? cwd;
    return {
      GEMINI_PROJECT_DIR: directory,
      CLAUDE_PROJECT_DIR: directory,
      GEMINI_CWD: cwd,
      GEMINI_SESSION_ID: textAt(body, "session_id") ?? "",
    };
  },
  isMeant: (text) => text.startsWith("{"),
  ended: () => undefined,
  readExit(ended, call, parse) {
    const [stdout, stderr] = [ended.stdout.trim(), ended.stderr.trim()];
    if (!parse) return geminiText(ended.code, stderr, call);
    const read = geminiObject(stdout || stderr);
    if (read?.ok) return geminiAnswer(read.value, ended.code, stderr, call);
    // Half a response would also be text, and an intended response would get lost.
    if (read && ended.code === 0) return failed("answer", `its output ${read.why}`);
    // The reference says that stderr is the reason when a command blocks by its exit code.
    const text = ended.code === BLOCKS ? stderr || stdout : stdout || stderr;
    return geminiText(ended.code, text, call);
  },
};

type ReadObject =
  | Extract<ReadJson, { ok: false }>
  | { readonly ok: true; readonly value: JsonObject };

/** An object, even if it was serialised twice; undefined for plain text. */
function geminiObject(text: string): ReadObject | undefined {
  const read = readJson(text);
  const again = read.ok && typeof read.value === "string" ? readJson(read.value) : read;
  if (again.ok) return isJsonObject(again.value) ? { ok: true, value: again.value } : undefined;
  return text.startsWith("{") ? again : undefined;
}

/** Exit code 2 blocks by itself, whatever was printed. */
function geminiAnswer(
  answer: JsonObject,
  code: number,
  stderr: string,
  call: HandlerCall,
): HookReport {
  const refuses =
    getOwn(answer, "continue") === false ||
    ["deny", "block"].some((word) => getOwn(answer, "decision") === word);
  return code === BLOCKS && !refuses ? denied(call, stderr) : answerOf(gemini, answer, call);
}

function geminiText(code: number, text: string, call: HandlerCall): HookReport {
  if (code === 0) return carryOn();
  const isWarning = code === 1 || (code !== BLOCKS && text === "");
  return isWarning ? failedExit(code, text, "open") : denied(call, text);
}

/** The meaning of a response, and its fields for the agent. */
function answerOf(agent: AgentHandler, written: JsonObject, call: HandlerCall): HookReport {
  const answer = agent.current?.(written) ?? written;
  const report = strictIfDenied(agent.read(answer, call), written, call);
  return passFields(report, answer, agent.fields, call, `agent::${namedFormat(agent).name}`);
}

/** Qwen Code has the events of Claude Code. */
function namedFormat({ format }: AgentHandler): AgentFormat {
  return format === QWEN ? CLAUDE : format;
}

/** Agents themselves mostly do not use HTTP; a response is handled as usual. */
function agentHandler(agent: AgentHandler): HandlerProtocol {
  const { format, projects = [], texts = [], objects = [], deaf = [] } = agent;
  const named = namedFormat(agent);
  const readOutput: ReadOutput = (output, call) => {
    const { ignored } = agent;
    const lines = ignored ? output.split("\n").filter((line) => !ignored.test(line)) : [output];
    const text = lines.join("\n").trim();
    const event = handlerEvent(named, call);
    if (text === "" || deaf.includes(event)) return carryOn();
    const isText = texts.includes(event);
    const isMeant = agent.isMeant(text, isText);
    if (isMeant) {
      const read = readJsonObject(text);
      if (read.ok) return answerOf(agent, read.value, call);
      return failed("answer", `its output ${read.why}`, agent.broken);
    }
    if (objects.includes(event)) return failed("answer", "its output is not JSON", "open");
    return isText ? carryOn({ inject: text }) : carryOn();
  };
  const readExit: HandlerProtocol["readExit"] = (ended, call, parse) => {
    const { code, stdout, stderr } = ended;
    if (code === 0) return parse ? readOutput(stdout, call) : carryOn();
    return agent.ended(ended, call, parse, readOutput) ?? failedExit(code, stderr, "open");
  };
  return {
    name: format.name,
    encode(call) {
      const body = handlerInput(format, call);
      const named = projects.map((name) => [name, call.projectDir] as const);
      const given = Object.entries({ ...Object.fromEntries(named), ...agent.env?.(call, body) });
      const env = given.filter(
        // A variable cannot contain NUL, and a command that cannot start is no guard.
        (entry): entry is [string, string] =>
          typeof entry[1] === "string" && !entry[1].includes("\0"),
      );
      return { body, env: Object.fromEntries(env) };
    },
    readExit: agent.readExit ?? readExit,
    readHttp({ status, body }, call) {
      if (!isSuccess(status)) return failedStatus(status, "open");
      return (
        agent.readExit?.({ code: 0, stdout: body, stderr: "" }, call, true) ??
        readOutput(body, call)
      );
    },
    fails: PROTOCOL_FAILURES[format.name],
  };
}

/** For hooks written for each agent. */
export const AGENT_PROTOCOLS: Readonly<Record<HostName, HandlerProtocol>> = {
  "claude-code": agentHandler(claude),
  codex: agentHandler(codex),
  gemini: agentHandler(gemini),
  cursor: agentHandler(cursor),
  copilot: agentHandler(copilot),
  qwen: agentHandler(qwen),
};
