import type {
  Agent,
  AgentOutputType,
  FunctionTool,
  Handoff,
  RunContext,
  Tool,
} from "@openai/agents-core";
import { denialError, denialText, jsonOr } from "../../core/index.ts";
import type { OrcsSession } from "../../engine/index.ts";
import { beginCall, hasToAsk, type BegunCall, type Run } from "./begun-call.ts";
import { NewestMap } from "./newest-map.ts";
import { promptGuardrail, responseGuardrail, withTexts } from "./openai-output.ts";

/** Options of `governed`. */
export interface GovernedOptions {
  /**
   * Who answers `ask`: `"sdk"` is the approval of the SDK (`needsApproval`, `result.interruptions`), `"engine"` is
   * `onAsk` of the engine or the session. Default `"sdk"`.
   */
  readonly approval?: "sdk" | "engine" | undefined;
}

/**
 * A clone of an agent, with hooks around each call of its function tools and of its MCP servers' tools, and with
 * guardrails for what goes in and out: `run(governed(orcs, agent), input)`. The agents that it hands off to are
 * governed, too. A denial is the output of the tool, which the model reads. A process warning names tools that hooks
 * cannot govern.
 * @param orcs the engine, or the session that the calls belong to; the name of the agent becomes their `agent_id`
 */
export function governed<Context, Output extends AgentOutputType>(
  orcs: OrcsSession,
  agent: Agent<Context, Output>,
  { approval = "sdk" }: GovernedOptions = {},
): Agent<Context, Output> {
  const agents = new GovernedAgents(orcs, approval);
  return agents.around(agent as unknown as AnyAgent) as unknown as Agent<Context, Output>;
}

type AnyAgent = Agent<unknown, AgentOutputType>;
type Callable = FunctionTool<unknown, never>;
type Details = Parameters<Callable["invoke"]>[2];

/** Marks agents and tools with who governs them, so that hooks do not run twice. */
const GOVERNED = Symbol("orcs.governed");
/** Makes the tool of an agent that is governed itself: the SDK finds the agent by the object that it has made. */
const REMADE = Symbol("orcs.remade");

function isGoverned(value: object, by: OrcsSession): boolean {
  return GOVERNED in value && value[GOVERNED] === by;
}

/** The clones of one `governed`: one per agent, since agents can hand off to each other in a circle. */
class GovernedAgents {
  readonly #orcs: OrcsSession;
  readonly #approval: "sdk" | "engine";
  readonly #clones = new Map<AnyAgent, AnyAgent>();

  constructor(orcs: OrcsSession, approval: "sdk" | "engine") {
    this.#orcs = orcs;
    this.#approval = approval;
  }

  around(agent: AnyAgent): AnyAgent {
    const known = isGoverned(agent, this.#orcs) ? agent : this.#clones.get(agent);
    if (known) return known;
    warnOfOthers(agent);
    const orcs = this.#orcs.session({ agent_id: agent.name });
    const calls = new GovernedCalls(this.#orcs, orcs, this.#approval);
    const clone = agent.clone({
      tools: agent.tools.map((tool) => calls.around(tool)),
      handoffs: [],
      inputGuardrails: [...agent.inputGuardrails, promptGuardrail(orcs)],
      outputGuardrails: [...agent.outputGuardrails, responseGuardrail(orcs)],
    });
    this.#clones.set(agent, clone);
    clone.handoffs = agent.handoffs.map((to) =>
      "onInvokeHandoff" in to ? this.#handoff(to) : this.around(to as AnyAgent),
    );
    const getMcpTools = clone.getMcpTools.bind(clone);
    const asTool = clone.asTool.bind(clone);
    return Object.assign(clone, {
      [GOVERNED]: this.#orcs,
      getMcpTools: async (...given: Parameters<AnyAgent["getMcpTools"]>) =>
        (await getMcpTools(...given)).map((tool) => calls.around(tool)),
      asTool: (options: Parameters<AnyAgent["asTool"]>[0]) =>
        Object.assign(asTool(options), { [REMADE]: () => asTool(options) }),
    });
  }

  #handoff(handoff: Handoff<unknown, AgentOutputType>): typeof handoff {
    return handoff.clone({
      agent: this.around(handoff.agent),
      // It may choose an agent only now.
      onInvokeHandoff: async (...given) => this.around(await handoff.onInvokeHandoff(...given)),
    });
  }
}

/** Name the tools of an agent whose calls hooks do not see. */
function warnOfOthers({ name, tools, ...agent }: AnyAgent): void {
  const warn = (what: readonly string[], why: string): void => {
    const message = `hooks cannot govern ${what.join(", ")} of agent ${name}: ${why}`;
    if (what.length > 0) process.emitWarning(message, "OrcsWarning");
  };
  const namesOf = (are: (tool: Tool) => boolean) => tools.filter(are).map((tool) => tool.name);
  const others = namesOf((tool) => tool.type !== "function");
  if ("capabilities" in agent) others.push("the tools of its sandbox");
  warn(others, "the provider or the SDK runs them, not as function tools");
  const agents = namesOf((tool) => "on" in tool && !(REMADE in tool));
  const inside = agents.map((agent) => `what ${agent} calls`);
  warn(inside, "make the tool with governed(orcs, agent).asTool()");
}

/** A call whose pre hooks have run, and whose tool waits to be executed. */
interface Pending extends BegunCall {
  readonly key: readonly unknown[];
  /** Whether the SDK has been told to ask: it executes the call only if it was approved. */
  readonly isAsked: boolean;
}

/** The calls of one agent's tools. */
class GovernedCalls {
  readonly #by: OrcsSession;
  readonly #orcs: OrcsSession;
  readonly #approval: "sdk" | "engine";
  /**
   * Calls that the SDK executes next, or when they are approved. Their keys are more than the id: runs go on at once,
   * and some providers count calls.
   */
  readonly #pending = new NewestMap<readonly unknown[], Pending>();

  constructor(by: OrcsSession, orcs: OrcsSession, approval: "sdk" | "engine") {
    this.#by = by;
    this.#orcs = orcs;
    this.#approval = approval;
  }

  around(given: Tool): Tool {
    if (given.type !== "function" || isGoverned(given, this.#by)) return given;
    const tool = given as Callable;
    const changed = {
      [GOVERNED]: this.#by,
      invoke: (context: RunContext, input: string, details: Details) =>
        this.#invoke(tool, context, input, details),
      ...(this.#approval === "sdk" && {
        needsApproval: (context: RunContext, args: unknown, id?: string) =>
          this.#needsApproval(tool, context, args, id),
      }),
    };
    const remade = REMADE in given ? (given[REMADE] as () => Tool)() : undefined;
    const made = remade ?? (Object.create(Object.getPrototypeOf(tool) as object) as Tool);
    return Object.defineProperties(made, {
      ...Object.getOwnPropertyDescriptors(tool),
      ...Object.getOwnPropertyDescriptors(changed),
    });
  }

  async #invoke(
    tool: Callable,
    context: RunContext,
    input: string,
    details: Details,
  ): Promise<unknown> {
    const { name } = tool;
    const { toolCall, signal } = details ?? {};
    const id = toolCall?.callId;
    const args = jsonOr(input, input);
    const json = JSON.stringify(args);
    const run: Run = (after) => {
      signal?.throwIfAborted();
      const isSame = after === args || JSON.stringify(after) === json;
      const text = typeof after === "string" && args === input ? after : JSON.stringify(after);
      return tool.invoke(context, isSame ? input : text, details);
    };
    const begun = this.#waiting([context, tool, id, json]);
    if (begun) this.#pending.delete(begun.key);
    const isOpen = this.#approval === "sdk" && begun?.isAsked !== false;
    const isAnswered = isOpen && isApproved(context, tool, toolCall);
    const called = begun
      ? await begun.execute(run, isAnswered)
      : await this.#orcs.call(name, args, {
          tool_use_id: id,
          signal,
          fn: run,
          ...(isAnswered && { onAsk: () => true }),
        });
    // Its output is JSON of its schema, in which no other text has a place.
    const isStructured = tool.outputSchema !== undefined;
    if (called.ok) return isStructured ? called.result : withTexts(called.result, called.inject);
    signal?.throwIfAborted();
    const { denied, inject } = called;
    if (!isStructured || !tool.errorFunction) return withTexts(denialText(denied, name), inject);
    return tool.errorFunction(context, denialError(name, denied, { tool: name }), details);
  }

  #waiting(key: readonly unknown[]): Pending | undefined {
    for (const [its, call] of this.#pending) {
      if (its.every((part, i) => part === key[i])) return call;
    }
    return undefined;
  }

  /**
   * Runs the pre hooks. The call goes on when the SDK executes it: at once, or when it was approved. If that is in
   * another process, the hooks run again there.
   */
  async #needsApproval(
    tool: Callable,
    context: RunContext,
    args: unknown,
    id: string | undefined,
  ): Promise<boolean> {
    const key = [context, tool, id, JSON.stringify(args)];
    const known = this.#waiting(key);
    if (known?.isAsked && !known.hasEnded()) return true;
    const begun = beginCall(this.#orcs, tool.name, args, { tool_use_id: id });
    const isAsked = await hasToAsk(begun, () => tool.needsApproval(context, args as never, id));
    if (known) this.#pending.delete(known.key);
    this.#pending.keep(key, { ...begun, key, isAsked })?.cancel();
    return isAsked;
  }
}

/** Whether somebody has approved this call, in this process or before the state of the run was saved. */
function isApproved(
  context: RunContext,
  tool: Pick<FunctionTool, "name" | "deferLoading">,
  call: NonNullable<Details>["toolCall"],
): boolean {
  if (!call) return false;
  const { name, deferLoading } = tool;
  const { callId, namespace = name } = call;
  let toolName = name;
  // As the SDK names tools in the state of a run.
  if (namespace !== name) toolName = JSON.stringify(["namespaced", namespace, name]);
  else if (deferLoading) toolName = JSON.stringify(["deferred_top_level", name]);
  return context.isToolApproved({ toolName, callId }) === true;
}
