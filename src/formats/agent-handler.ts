import { readJsonObject } from "../core/index.ts";
import type { FailureMode, HookReport, JsonObject } from "../core/index.ts";
import type { AgentFormat } from "./agent-format.ts";
import { handlerEvent, handlerInput } from "./handler-input.ts";
import type { EndedProcess, HandlerCall, HandlerProtocol } from "./handler-protocol.ts";
import {
  carryOn,
  failed,
  failedExit,
  failedStatus,
  isSuccess,
  strictIfDenied,
} from "./handler-report.ts";
import { passFields, type HostFields } from "./host-fields.ts";
import { PROTOCOL_FAILURES } from "./handler-protocol.ts";

type ReadOutput = (output: string, call: HandlerCall) => HookReport;

/** How the hooks of an agent answer, besides the keys of a response. */
export interface AgentHandler {
  readonly format: AgentFormat;
  /** The agent whose events and responses it has, if it is another one. */
  readonly like?: AgentFormat;
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

/** The exit code with which a hook blocks, in most agents. */
export const BLOCKS = 2;

/** The meaning of a response, and its fields for the agent. */
export function answerOf(agent: AgentHandler, written: JsonObject, call: HandlerCall): HookReport {
  const answer = agent.current?.(written) ?? written;
  const report = strictIfDenied(agent.read(answer, call), written, call);
  return passFields(
    report,
    answer,
    agent.fields,
    call,
    `agent::${(agent.like ?? agent.format).name}`,
  );
}

/** Agents themselves mostly do not use HTTP; a response is handled as usual. */
export function agentHandler(agent: AgentHandler): HandlerProtocol {
  const { format, projects = [], texts = [], objects = [], deaf = [] } = agent;
  const named = agent.like ?? format;
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
      const named = Object.fromEntries(projects.map((name) => [name, call.projectDir]));
      const env = Object.entries({ ...named, ...agent.env?.(call, body) }).filter(
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
