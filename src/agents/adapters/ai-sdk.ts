import { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { Tool, ToolExecutionOptions, ToolSet } from "ai";
import { denialError, injectedText, Snapshots } from "../../core/index.ts";
import type { OrcsSession } from "../../engine/index.ts";
import { beginCall, hasToAsk, type BegunCall, type Run } from "./begun-call.ts";
import { NewestMap } from "./newest-map.ts";

export { orcsMiddleware } from "./ai-sdk-model.ts";

/** Options of `governed`. */
export interface GovernedOptions {
  /**
   * Who answers `ask`: `"sdk"` is the approval of the AI SDK (`needsApproval`, `tool-approval-request`), `"engine"` is
   * `onAsk` of the engine or the session. Default `"sdk"`.
   */
  readonly approval?: "sdk" | "engine" | undefined;
}

/**
 * The tools of an agent, with hooks around each call: `generateText({ tools: governed(orcs, tools) })`. A denial is a
 * `tool-error` that the model reads. Texts of hooks for the model are added to what it sees of the result.
 * A tool without `execute` is executed elsewhere, and is returned as it is; a process warning names it.
 * @param orcs the engine, or the session that the calls belong to
 */
export function governed<Tools extends ToolSet>(
  orcs: OrcsSession,
  tools: Tools,
  { approval = "sdk" }: GovernedOptions = {},
): Tools {
  const calls = new GovernedCalls(orcs, approval);
  const made = Object.entries(tools).map(([name, tool]) => [
    name,
    calls.around(name, tool as Tool),
  ]);
  const outside = Object.keys(tools).filter((name) => typeof tools[name]?.execute !== "function");
  if (outside.length > 0) {
    const why = "they have no execute function, so the provider or the client runs them";
    process.emitWarning(`hooks cannot govern ${outside.join(", ")}: ${why}`, "OrcsWarning");
  }
  return Object.fromEntries(made) as Tools;
}

/** A call whose pre hooks have run, and whose tool waits to be executed. */
interface Pending extends BegunCall {
  readonly input: unknown;
  /** The conversation up to the call. */
  readonly messages: readonly unknown[];
  /** Whether the SDK has been told to ask: it executes the call only if it was approved. */
  readonly isAsked: boolean;
}

/** The calls of one set of tools, by `toolCallId`. */
class GovernedCalls {
  readonly #orcs: OrcsSession;
  readonly #approval: "sdk" | "engine";
  readonly #pending = new NewestMap<string, Pending>();
  /** Texts for the model. */
  readonly #inject = new NewestMap<string, readonly string[]>();

  constructor(orcs: OrcsSession, approval: "sdk" | "engine") {
    this.#orcs = orcs;
    this.#approval = approval;
  }

  around(name: string, tool: Tool): Tool {
    const { execute } = tool;
    if (typeof execute !== "function") return tool;
    const run = (input: unknown, options: ToolExecutionOptions): Promise<unknown> =>
      this.#run(name, input, options, (args) => asSnapshots(execute.call(tool, args, options)));
    const changed: Partial<Tool> = {
      // The SDK tells preliminary results by what the function returns, before anything has run.
      execute: isAsyncGenerator(execute)
        ? (input, options) => streamed(run(input, options))
        : async (input, options) => lastOf(await run(input, options)),
      toModelOutput: async (given) => {
        const output = tool.toModelOutput
          ? await tool.toModelOutput(given)
          : defaultOutput(given.output as unknown);
        return withTexts(output, this.#inject.get(given.toolCallId));
      },
      ...(this.#approval === "sdk" && {
        needsApproval: (input: unknown, options: ToolExecutionOptions) =>
          this.#needsApproval(name, tool, input, options),
      }),
    };
    return Object.assign(
      Object.create(Object.getPrototypeOf(tool) as object) as Tool,
      tool,
      changed,
    );
  }

  async #run(
    name: string,
    input: unknown,
    options: ToolExecutionOptions,
    execute: Run,
  ): Promise<unknown> {
    const { toolCallId: id, abortSignal: signal } = options;
    const run: Run = (args) => {
      signal?.throwIfAborted();
      return execute(args);
    };
    const pending = this.#pending.take(id);
    const begun = pending && isOf(pending, input, options) ? pending : undefined;
    if (!begun) pending?.cancel();
    const called = begun
      ? await begun.execute(run, begun.isAsked)
      : await this.#orcs.call(name, input, { ...keysOf(options), signal, fn: run });
    if (!called.ok) throw denialError(name, called.denied, { tool: name });
    if (called.inject.length > 0) this.#inject.keep(id, called.inject.map(injectedText));
    return called.result;
  }

  /**
   * Runs the pre hooks. The call goes on when the SDK executes it: at once, or when it was approved. If that is in
   * another process, the hooks run again there.
   */
  async #needsApproval(
    name: string,
    tool: Tool,
    input: unknown,
    options: ToolExecutionOptions,
  ): Promise<boolean> {
    const { toolCallId: id, messages } = options;
    const known = this.#pending.get(id);
    if (known?.isAsked && !known.hasEnded() && isOf(known, input, options)) {
      // The SDK makes sure, before it executes what was approved, that it had to be.
      return true;
    }
    const begun = beginCall(this.#orcs, name, input, keysOf(options));
    const own = tool.needsApproval as boolean | ((...given: unknown[]) => unknown) | undefined;
    const isAsked = await hasToAsk(begun, () =>
      typeof own === "function" ? own.call(tool, input, options) : own,
    );
    this.#pending.keep(id, { ...begun, input, messages, isAsked })?.cancel();
    return isAsked;
  }
}

/**
 * Whether a call that waits is this one. A model may use an id again. What the SDK has asked about comes back as part
 * of the messages that the program gives it.
 */
function isOf(
  { input: its, messages: before, isAsked }: Pending,
  input: unknown,
  { messages }: ToolExecutionOptions,
): boolean {
  if (its === input) return true;
  if (!isAsked || !isDeepStrictEqual(its, input)) return false;
  return isDeepStrictEqual(messages.slice(0, before.length), before);
}

/** What hooks see of a call besides its input. */
function keysOf({ toolCallId, messages }: Pick<ToolExecutionOptions, "toolCallId" | "messages">) {
  return { tool_use_id: toolCallId, messages };
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

/** As the AI SDK does it for a tool without `toModelOutput`. */
function defaultOutput(output: unknown): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "json", value: (output ?? null) as never };
}

/** What the model sees of a result, and the texts of hooks behind it. */
function withTexts(output: ModelOutput, texts: readonly string[] | undefined): ModelOutput {
  if (!texts) return output;
  const parts = texts.map((text) => ({ type: "text" as const, text }));
  switch (output.type) {
    case "text":
      return { ...output, value: [output.value, ...texts].join("\n\n") };
    case "json":
      return {
        type: "content",
        value: [{ type: "text", text: JSON.stringify(output.value) }, ...parts],
      };
    case "content":
      return { ...output, value: [...output.value, ...parts] };
    default:
      return output;
  }
}

/** Whether the SDK passes on what this function yields, while it runs. */
function isAsyncGenerator(run: unknown): boolean {
  return Object.prototype.toString.call(run) === "[object AsyncGeneratorFunction]";
}

/**
 * What the `execute` function of a tool has returned, as the SDK takes it: what can be iterated shows the progress of
 * one result. The chunks of a stream are parts of one, and hooks must see them together.
 */
function asSnapshots(result: unknown): unknown {
  if (!isAsyncIterable(result)) return result;
  const isStream = result instanceof ReadableStream || result instanceof Readable;
  return new Snapshots(isStream ? whole(result) : result);
}

/** What a generator tool yields, as the hooks left it. */
async function* streamed(running: Promise<unknown>): AsyncGenerator {
  const result = await running;
  if (result instanceof Snapshots) yield* result;
  else yield result;
}

/** The result of a function; of one that turns out to be a generator, compiled to older JavaScript, the last value. */
async function lastOf(result: unknown): Promise<unknown> {
  if (!(result instanceof Snapshots)) return result;
  let last: unknown;
  for await (const value of result) last = value;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** All that a stream contains, as one value: its text, or the list of its chunks if they are something else. */
async function* whole(stream: AsyncIterable<unknown>): AsyncGenerator {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const decoder = new TextDecoder();
  let text = "";
  for (const chunk of chunks) {
    if (typeof chunk === "string") text += chunk;
    else if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true });
    else {
      yield chunks;
      return;
    }
  }
  yield text + decoder.decode();
}
