import { equalJson, getOwn, isJsonObject, textAt, toJson } from "../../core/index.ts";
import type { AgentTools, Json, JsonObject } from "../../core/index.ts";
import type { AgentEvent, AgentFormat } from "../agent-format.ts";
import { swapKeys } from "../agent-tools.ts";
import type { AgentEncoder, EncodeCall, Wish } from "../encode-event.ts";
import { hostProtocol, showText, withContext } from "../encode-event.ts";
import { asText, type DecodedEvent, type HostAnswer, type HostProtocol } from "../host-protocol.ts";
import { ownFields } from "../host-fields.ts";
import { CLAUDE_FIELDS, CLAUDE, claudeHostEvent, NO_TEXT, type ClaudeHostEvent } from "./events.ts";

const encoding = claudeEncoding(CLAUDE);

/** Claude Code, which runs our command or sends a request to our service for each of its events. */
export const claudeCodeHost: HostProtocol = hostProtocol<ClaudeHostEvent>({
  ...encoding,
  newer: NO_TEXT,
  fields: CLAUDE_FIELDS,
  finish(wish, call) {
    handOver(wish, call);
    encoding.finish(wish, call);
  },
  // An unreadable event has no name, and is denied like an unknown one.
  deny: (event = "", refusal, wish) => claudeAnswer(event, { ...wish, refusal }),
  goOn: claudeAnswer,
});

/** A response of a command. A denial that the event ignores is shown to the user. */
export function claudeAnswer(event: string, wish: ClaudeWish): HostAnswer {
  const row = claudeHostEvent(event);
  const isDenied = wish.refusal !== undefined && row.refusable;
  const lost = wish.refusal === undefined || isDenied ? [] : [wish.refusal];
  const why = `a denial at ${event}: Claude Code ignores it there, so it is shown to the user instead`;
  const downgrades = lost.length === 0 ? wish.downgrades : [...wish.downgrades, why];
  const notes = [...wish.notes, ...lost];
  const refusal = isDenied ? wish.refusal : undefined;
  const fields = ownFields(CLAUDE_FIELDS, event, { ...wish, notes, refusal });
  const output = Object.keys(fields).length > 0 ? fields : undefined;
  const exits = isDenied && row.refusal === "exit";
  return { output, code: exits ? 2 : 0, downgrades, ...(exits && { message: refusal }) };
}

/** With a result in place of the operation. */
type ClaudeWish = Wish & { handed?: Json | undefined };

/** How Claude Code takes what hooks want, for an agent with the same protocol and tools of its own. */
export function claudeEncoding<Row extends AgentEvent>(
  format: AgentFormat<Row> & { readonly tools: AgentTools },
): Required<Pick<AgentEncoder<Row>, "format" | "rewrites" | "results" | "texts" | "finish">> {
  const { label, tools } = format;
  const inKeys = (decoded: DecodedEvent, args: JsonObject): JsonObject =>
    inAgentKeys(tools, decoded, args);
  return {
    format,
    rewrites: {
      PreToolUse(wish, input, { decoded }) {
        if (isJsonObject(input)) wish.input = inKeys(decoded, input);
      },
      UserPromptSubmit(wish, input) {
        const prompt =
          "A hook has rewritten the user's prompt. Follow this text instead of what the user " +
          `wrote:\n\n${asText(input)}`;
        wish.context = withContext(prompt, wish);
        wish.downgrades.push(
          `a rewritten prompt: ${label} keeps the original prompt, so the new one is added as context`,
        );
      },
      /** A changed input of a request is accepted only together with the permission. */
      PermissionRequest(wish, _input, call) {
        const { options, verdict } = call;
        const args = requestedArgs(call);
        if (args === undefined) return;
        if (wish.decision !== "allow") {
          if (options.rewrite === "refuse" || verdict.decision === "ask") {
            wish.refusal =
              "a hook has rewritten the call, which is possible only together with an approval";
            wish.downgrades.push(
              "a rewrite at PermissionRequest without allow: the call is denied",
            );
            return;
          }
          wish.decision = "allow";
          wish.downgrades.push(
            "a rewrite at PermissionRequest: the call is approved, as configured",
          );
        }
        wish.input = inKeys(call.decoded, args);
      },
    },
    results: {
      PostToolUse(wish, result, { decoded }) {
        const { value, misfit } = fittedResult(decoded.payload["result"] ?? null, result);
        wish.result = value;
        if (misfit === undefined) return;
        wish.downgrades.push(
          `a replaced result of ${sentTool(decoded)}: its ${misfit} is missing or of another type, and ` +
            `${label} may show the model the tool's own result`,
        );
      },
    },
    texts: {
      // At the end of a turn text makes the agent continue: only once, or it would never stop.
      Stop(wish, _context, call) {
        if (call.decoded.payload["stop_hook_active"] === true) showText(wish, label, call, "shown");
      },
      // At the end of a subagent, too.
      SubagentStop(wish, context) {
        wish.refusal = context;
        wish.context = undefined;
      },
    },
    finish(wish, call) {
      const { event, outcome, decoded, limits } = call;
      if (event === "SubagentStop" && outcome.action === "retry") {
        wish.refusal ??= `hook ${outcome.hook} requests a retry`;
        wish.downgrades.length = 0;
      }
      if (event === "PostToolUse" && wish.refusal !== undefined) {
        // For a result that hooks deny (or that failed closed), the model must only see the reason.
        wish.result = withheldResult(decoded.payload["result"] ?? null, wish.refusal);
      }
      if (wish.context !== undefined && limits.inject) showText(wish, label, call);
    },
  };
}

/** Take a hook's result where Claude Code accepts one in place of the operation. */
function handOver(wish: ClaudeWish, { event, outcome }: EncodeCall): void {
  if (outcome.action === "retry") wish.handed = event === "PermissionDenied" ? true : undefined;
  else if (outcome.action === "skip" && getOwn(HANDED, event)?.(outcome.result) === true)
    wish.handed = outcome.result;
  if (wish.handed !== undefined) {
    wish.refusal = undefined;
    wish.downgrades.length = 0;
  } else if (event === "WorktreeCreate" && wish.refusal === undefined) {
    wish.downgrades.push(
      `${event}: Claude Code expects a result from its hooks, but no hook returned skip with a result`,
    );
  }
}

/** The results that events accept in place of the operation's. */
const HANDED: Readonly<Record<string, (result: Json) => boolean>> = {
  WorktreeCreate: (result) => typeof result === "string",
  MessageDisplay: (result) => typeof result === "string",
  Elicitation: isJsonObject,
  ElicitationResult: isJsonObject,
};

/** The arguments of a request if hooks changed them, or the command beside them. */
function requestedArgs({ decoded, outcome, verdict }: EncodeCall): JsonObject | undefined {
  const before = getOwn(decoded.payload, "args");
  const now = getOwn(outcome.ctx.payload, "args") ?? before;
  const args = toJson(now, undefined, ["payload", "args"]);
  if (!isJsonObject(args)) return undefined;
  const { input } = verdict;
  const isCommand = typeof input === "string" && "command" in decoded.payload;
  const whole = isCommand ? { ...args, command: input } : args;
  return equalJson(before, whole) ? undefined : whole;
}

/** Arguments of the called tool in the agent's keys. */
export function inAgentKeys(
  tools: AgentTools,
  decoded: DecodedEvent,
  args: JsonObject,
): JsonObject {
  const tool = textAt(decoded.payload, "tool_name") ?? "";
  return swapKeys(tools, tool, args, sentTool(decoded));
}

/** The tool's name in the agent. */
function sentTool({ payload }: DecodedEvent): string | undefined {
  const host = getOwn(payload, "host");
  return isJsonObject(host) ? textAt(host, "tool_name") : undefined;
}

/** A result as Claude Code accepts it, and why it might not. */
interface FittedResult {
  readonly value: Json;
  /** A key of the tool's own result that is missing, or has another type. */
  readonly misfit?: string | undefined;
}

/** Keys under which Bash stores a copy of its output, which the model would be shown. */
const COPIES = ["persistedOutputPath", "persistedOutputSize", "rawOutputPath"];

/**
 * A changed result in the form of the tool's own: Claude Code drops other forms, and the model would see the original.
 * No text of the original is kept.
 */
function fittedResult(own: Json, other: Json): FittedResult {
  if (typeof own === "string") return { value: asText(other) };
  // Blocks of content, as in results of MCP tools.
  if (Array.isArray(own)) {
    return { value: Array.isArray(other) ? other : [{ type: "text", text: asText(other) }] };
  }
  if (!isJsonObject(own)) return { value: other };
  if (isJsonObject(other)) return fittedObject(own, other);
  const value = typeof other === "string" ? textInside(own, other) : undefined;
  return value ? { value } : { value: other, misfit: Object.keys(own)[0] };
}

/**
 * A text in place of a withheld result, in any form that the tool's own may have. Of the original, only what Claude
 * Code needs to accept it is kept.
 */
function withheldResult(own: Json, text: string): Json {
  if (!isJsonObject(own)) return fittedResult(own, text).value;
  const { file } = own;
  // A read image, notebook or document becomes a text; otherwise the model's API would reject it.
  const filePath = (isJsonObject(file) && textAt(file, "filePath")) || "";
  const read = isJsonObject(file) ? { type: "text", file: { ...TEXT_FILE, filePath } } : own;
  return textInside(read, text) ?? blanked(own, text);
}

const TEXT_FILE = { filePath: "", content: "", numLines: 1, startLine: 1, totalLines: 1 };

/** Values that determine the form of the rest of a result in Claude Code's tools. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  type: ["text", "create", "update", "image", "base64"],
  mode: ["content", "files_with_matches", "count"],
  status: ["completed", "async_launched", "remote_launched"],
};

/** A value with each text replaced, each number 0 and each list cut to one item; keys and kinds are kept. */
function blanked(value: Json, text: string): Json {
  if (typeof value === "string") return text;
  if (typeof value === "number") return 0;
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => blanked(item, text));
  if (!isJsonObject(value)) return value;
  // If names are data, they are as secret as their values.
  const entries = Object.entries(value).filter(([key]) => /^[A-Za-z_]\w{0,40}$/.test(key));
  return Object.fromEntries(
    entries
      .filter(([key]) => !COPIES.includes(key))
      .map(([key, item]) => [
        key,
        (KINDS[key] as readonly Json[] | undefined)?.includes(item) ? item : blanked(item, text),
      ]),
  );
}

function fittedObject(own: JsonObject, other: JsonObject): FittedResult {
  const value = { ...flagsOf(own), ...other };
  if (own["stdout"] !== value["stdout"]) for (const key of COPIES) delete value[key];
  const misfit = Object.keys(own).find(
    (key) => !COPIES.includes(key) && kindOf(own[key]) !== kindOf(value[key]),
  );
  return { value, misfit };
}

/** A text in place of a command's output, or of a file's content. */
function textInside(own: JsonObject, text: string): JsonObject | undefined {
  if (typeof own["stdout"] === "string") {
    const flags = flagsOf(own);
    if ("isImage" in flags) flags["isImage"] = false;
    return { ...flags, stdout: text, stderr: "" };
  }
  const { file } = own;
  const isText =
    own["type"] === "text" && isJsonObject(file) && typeof file["content"] === "string";
  return isText ? { type: "text", file: { ...file, content: text } } : undefined;
}

/** Booleans are kept: they reveal nothing that a hook may want to hide. */
function flagsOf(own: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => typeof value === "boolean"));
}

function kindOf(value: Json | undefined): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
