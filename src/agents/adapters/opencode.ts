import { isJsonObject, messageOf, OrcsError } from "../../core/index.ts";
import type { Json, JsonObject, PointName } from "../../core/index.ts";
import { createOrcs, stderrLogger, type CreateOrcsOptions, type Orcs } from "../../engine/index.ts";
import { agentVerdict, asText, noticeLine, ourTool } from "../../formats/index.ts";
import type { AgentVerdict } from "../../formats/index.ts";
import { answeredOutcome, waitsForSomebody } from "../answers/answered-outcome.ts";
import { withTexts } from "./model-hooks.ts";
import { NewestMap } from "./newest-map.ts";
import {
  fromOpencodeCall,
  json,
  OPENCODE_TOOLS,
  replaceInput,
  replaceResult,
} from "./opencode-calls.ts";

/** What opencode tells a plugin when it starts it: the part that is used here. */
export interface OpencodeInput {
  /** The folder that it works in. */
  readonly directory: string;
}

/** A call of a tool, as opencode names it. */
interface OpencodeCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

/** Functions that opencode 1.18 calls. They change the second parameter, and deny by throwing. */
export interface OpencodeHooks {
  "tool.execute.before"(input: OpencodeCall, output: { args: unknown }): Promise<void>;
  "tool.execute.after"(input: OpencodeCall & { args?: unknown }, output: object): Promise<void>;
  "chat.message"(
    input: { readonly sessionID: string; readonly agent?: string },
    output: { readonly parts: readonly object[] },
  ): Promise<void>;
  "permission.ask"(
    input: { readonly type: string; readonly sessionID: string; readonly metadata?: object },
    output: { status: "ask" | "deny" | "allow" },
  ): Promise<void>;
  event(input: { readonly event: { readonly type: string } }): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * A plugin for opencode, the default export of `orcs/opencode`: a file `.opencode/plugin/orcs.js` with
 * `export { default } from "orcs/opencode"`. It denies tool calls and prompts when its configuration does not load.
 * @param options of the engine; by default, the discovered configuration of opencode's folder, and `selfGuard`
 */
export function orcsPlugin(options: CreateOrcsOptions = {}) {
  return async ({ directory }: OpencodeInput): Promise<OpencodeHooks> => {
    const plugin = new OpencodePlugin({
      cwd: directory,
      untrusted: "ignore",
      selfGuard: true,
      ...options,
    });
    return plugin.hooks;
  };
}

export default orcsPlugin();

/** One start of opencode. */
class OpencodePlugin {
  readonly #options: CreateOrcsOptions;
  #engine: Promise<Orcs> | undefined;
  /** Of calls that run: metadata that their hooks share, and texts for the model from before the call. */
  readonly #calls = new NewestMap<string, { metadata: JsonObject; context: string | undefined }>();

  constructor(options: CreateOrcsOptions) {
    this.#options = options;
  }

  readonly hooks: OpencodeHooks = {
    "tool.execute.before": (input, output) => this.#before(input, output),
    "tool.execute.after": (input, output) => this.#after(input, output),
    "chat.message": (input, { parts }) => this.#prompt(input, parts),
    "permission.ask": (input, output) => this.#permission(input, output),
    event: ({ event }) => this.#event(event),
    dispose: async () => (await this.#engine?.catch(() => undefined))?.close(),
  };

  async #before(call: OpencodeCall, output: { args: unknown }): Promise<void> {
    // It shows its user no notice.
    const { inactive } = await this.#orcs();
    if (inactive !== undefined) throw new OrcsError("ORCS8001", inactive);
    const payload = this.#payload(call, output.args);
    const { verdict, metadata } = await this.#ask("tool.pre_execute", payload);
    expectAllowed(verdict, await this.#orcs());
    const { input, context } = verdict;
    // opencode runs the tool with this very object.
    if (input !== undefined) replaceInput(output.args, call.tool, input);
    this.#calls.keep(call.callID, { metadata, context });
  }

  async #after(call: OpencodeCall & { args?: unknown }, output: object): Promise<void> {
    const { metadata = {}, context } = this.#calls.take(call.callID) ?? {};
    // A tool of an MCP server has the result of the protocol.
    const key = "output" in output ? "output" : "content";
    const result = json(Reflect.get(output, key));
    const payload = { ...this.#payload(call, call.args ?? {}), result };
    let shown: Json = result;
    try {
      const { verdict } = await this.#ask("tool.post_execute", payload, metadata);
      shown = verdict.refusal ?? verdict.result ?? result;
      const texts = [context, verdict.context].filter((text) => text !== undefined);
      shown = withTexts(shown, texts);
    } catch (thrown) {
      shown = `the result is withheld: ${messageOf(thrown)}`;
    }
    if (shown !== result) replaceResult(output, key, result, shown);
  }

  async #prompt(
    { sessionID, agent }: { readonly sessionID: string; readonly agent?: string },
    parts: readonly object[],
  ): Promise<void> {
    const typed = parts.filter(isTypedText);
    const prompt = typed.map(({ text }) => text).join("\n\n");
    const [first, ...rest] = typed;
    if (!first) return;
    const payload = { prompt, session_id: sessionID, ...(agent !== undefined && { agent }) };
    const { verdict } = await this.#ask("prompt.pre_submit", payload);
    const orcs = await this.#orcs();
    expectAllowed(verdict, orcs);
    const { input, context } = verdict;
    if (input !== undefined) {
      first.text = asText(input);
      for (const part of rest) part.text = "";
    }
    // For example that nobody has trusted the hooks of this folder, so they do not run.
    const notice = orcs.takeNotice(sessionID, "model");
    const texts = [context, notice === undefined ? undefined : noticeLine(notice)];
    for (const text of texts) if (text !== undefined) first.text += `\n\n${text}`;
  }

  async #permission(
    { type, sessionID, metadata }: Parameters<OpencodeHooks["permission.ask"]>[0],
    output: Parameters<OpencodeHooks["permission.ask"]>[1],
  ): Promise<void> {
    try {
      const call = { tool: type, sessionID, callID: "" };
      const { tool_use_id: _, ...payload } = this.#payload(call, metadata ?? {});
      const { command } = payload.args;
      const asked = { ...payload, ...(typeof command === "string" && { command }) };
      const { verdict } = await this.#ask("auth.pre_check", asked);
      const { refusal, decision } = verdict;
      if (refusal !== undefined) output.status = "deny";
      else if (decision === "allow" || decision === "ask") output.status = decision;
    } catch {
      // The hooks of the call itself say why.
      output.status = "deny";
    }
  }

  /** Events that only tell: a failure of their hooks changes nothing. */
  async #event(event: { readonly type: string }): Promise<void> {
    const point = EVENTS[event.type];
    if (!point) return;
    const { properties } = event as { properties?: { info?: { id?: unknown } } };
    const id = properties?.info?.id;
    try {
      const { verdict } = await this.#ask(point, typeof id === "string" ? { session_id: id } : {});
      if (verdict.context === undefined) return;
      const { logger = stderrLogger("warn") } = this.#options;
      logger.warn(`${event.type}: text for the model, which opencode does not pass on: ignored`);
    } catch {
      // A configuration that does not load is reported by the first call that it denies.
    }
  }

  #payload({ tool, sessionID, callID }: OpencodeCall, args: unknown) {
    return {
      tool_name: ourTool(OPENCODE_TOOLS, tool),
      args: fromOpencodeCall(tool, json(args)),
      session_id: sessionID,
      tool_use_id: callID,
      host: { tool_name: tool },
      ...(this.#options.cwd !== undefined && { cwd: this.#options.cwd }),
    };
  }

  async #ask(
    point: PointName,
    payload: JsonObject,
    metadata: JsonObject = {},
  ): Promise<{ verdict: AgentVerdict; metadata: JsonObject }> {
    const orcs = await this.#orcs();
    const component = "agent::opencode";
    const dispatched = await orcs.dispatch(point, payload, { component, metadata });
    // opencode waits for its plugins as long as they take.
    const until = Date.now() + orcs.settings.hil.timeout_ms;
    const { logger = stderrLogger("warn") } = this.#options;
    const outcome = waitsForSomebody(dispatched, point, orcs)
      ? await answeredOutcome("opencode", dispatched, orcs, until, logger)
      : dispatched;
    const decoded = {
      event: point,
      point,
      payload,
      component,
      child: undefined,
      timeoutMs: Number.POSITIVE_INFINITY,
    };
    const left = json(outcome.ctx.metadata);
    return { verdict: agentVerdict(decoded, outcome), metadata: isJsonObject(left) ? left : {} };
  }

  /** The engine; a configuration that did not load is tried again. */
  #orcs(): Promise<Orcs> {
    if (!this.#engine) {
      this.#engine = createOrcs(this.#options);
      this.#engine.catch(() => (this.#engine = undefined));
    }
    return this.#engine;
  }
}

const EVENTS: Readonly<Record<string, PointName>> = {
  "session.created": "session.on_start",
  "session.deleted": "session.on_end",
};

/** @throws OrcsError ORCS2001 for a denial, and for a question: opencode cannot ask on behalf of a plugin */
function expectAllowed({ refusal, decision, reason }: AgentVerdict, orcs: Orcs): void {
  const isAsked = decision === "ask" || decision === "defer";
  const isDenied = isAsked && (decision === "defer" || orcs.settings.hosts.ask === "deny");
  const why = `a hook returned ${decision}, and the user cannot be asked: ${reason}`;
  const denial = refusal ?? (isDenied ? why : undefined);
  if (denial !== undefined) throw new OrcsError("ORCS2001", denial, {});
}

/** A text that the user wrote: opencode adds others. */
function isTypedText(part: object): part is { text: string } {
  const { type, text, synthetic } = part as { type?: unknown; text?: unknown; synthetic?: unknown };
  return type === "text" && typeof text === "string" && synthetic !== true;
}
