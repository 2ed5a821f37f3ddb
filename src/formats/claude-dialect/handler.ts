import { isJsonObject } from "../../core/index.ts";
import type { HookReport, Json, JsonObject } from "../../core/index.ts";
import { sentTool } from "../claude-code/handler-input.ts";
import { claudeCodeProtocol } from "../claude-code/handler.ts";
import { CLAUDE_TOOLS } from "../claude-code/tools.ts";
import type { HandlerCall, HandlerProtocol } from "../handler-protocol.ts";
import { PROTOCOL_FAILURES } from "../protocol-failures.ts";
import { jsonAt, stringAt } from "../payload.ts";
import type { ClaudeDialect } from "./dialect.ts";
import { agentTool, swapKeys } from "../agent-tools.ts";

/** Runs hooks written for an agent that speaks Claude Code's protocol: the same, with the agent's tools and variables. */
export function dialectHandler(dialect: ClaudeDialect): HandlerProtocol {
  return {
    ...claudeCodeProtocol,
    name: dialect.name,
    fails: PROTOCOL_FAILURES[dialect.name],
    encode(call) {
      const { body } = claudeCodeProtocol.encode(call);
      const { projectDir } = call;
      return {
        body: isJsonObject(body) ? { ...body, ...calledTool(dialect, call, body) } : body,
        env: projectDir === undefined ? {} : dialect.variables(projectDir),
      };
    },
    readExit: (ended, call, parse) =>
      inOurKeys(dialect, call, claudeCodeProtocol.readExit(ended, call, parse)),
    readHttp: (answer, call) => inOurKeys(dialect, call, claudeCodeProtocol.readHttp(answer, call)),
  };
}

/** The call of an event in the agent's names. */
function calledTool({ tools }: ClaudeDialect, call: HandlerCall, body: JsonObject): JsonObject {
  if (body["tool_name"] === undefined) return {};
  const tool = stringAt(call, "tool_name");
  const args: Json | undefined = jsonAt(call, "args");
  const sent = sentTool(call);
  if (tool === undefined) {
    // A permission was requested for a bare command.
    return { ...body, tool_name: agentTool(tools, "exec", sent) };
  }
  return {
    tool_name: agentTool(tools, tool, sent),
    tool_input: isJsonObject(args) ? swapKeys(tools, tool, args, sent) : {},
  };
}

/** Changed arguments were read with Claude Code's keys. */
function inOurKeys({ tools }: ClaudeDialect, call: HandlerCall, report: HookReport): HookReport {
  const tool = stringAt(call, "tool_name");
  if (!("edits" in report) || tool === undefined) return report;
  const sent = sentTool(call);
  const edits = report.edits.map((edit) => {
    const { path, value } = edit;
    if (path.join(".") !== "payload.args" || !isJsonObject(value)) return edit;
    const agentInput = swapKeys(CLAUDE_TOOLS, tool, value, sent);
    return { path, value: swapKeys(tools, tool, agentInput, sent) };
  });
  return { ...report, edits };
}
