import { isPlainObject, setOwn } from "../../core/index.ts";
import type { Json, JsonObject, Outcome } from "../../core/index.ts";

/** The events. */
export const HookEvent = {
  PreToolUse: "PreToolUse",
  PostToolUse: "PostToolUse",
  PostToolUseFailure: "PostToolUseFailure",
  UserPromptSubmit: "UserPromptSubmit",
  PostAssistantResponse: "PostAssistantResponse",
  TurnComplete: "TurnComplete",
} as const;
export type HookEvent = keyof typeof HookEvent;

type ToolEvent = "PreToolUse" | "PostToolUse" | "PostToolUseFailure";
/** Keys that a context has only at some events. */
type At<E extends HookEvent, Where extends HookEvent, T> = E extends Where ? T : undefined;

/** The agent's own list and metadata, shared with its hooks: changes by hooks are changes there. */
export interface AgentInternals {
  session_id?: string;
  /** The conversation; any JSON. */
  messages?: object[];
  metadata?: Record<string, unknown>;
}

type Bag = Record<string, unknown>;

/** A context in the engine's form. */
interface Parts {
  readonly payload: Bag;
  readonly metadata: Bag;
}

/** The payload key with another name than here. */
const INPUT = "args";
const RESULT = "result";
const PROMPT = "prompt";
const RESPONSE = "response_text";

/**
 * What a hook sees, and can change in place. Typed by event: `tool_name` and `tool_input` exist at tool events,
 * `user_prompt` at `UserPromptSubmit`.
 * In a hook, edits are committed when it returns and dropped when it fails. For the caller of `run`, they are made when
 * it resolves, in its own objects: the input, `messages` and `metadata`. A frozen input stays as it is, and
 * `tool_input` is another object then.
 */
export class HookContext<E extends HookEvent = HookEvent> {
  readonly event: E;
  readonly #parts: Parts;

  /** @param parts payload and metadata in the engine's form; use the factories */
  constructor(event: E, parts: Parts) {
    this.event = event;
    this.#parts = parts;
  }

  /** Before a tool runs. */
  static preToolUse(
    internals: AgentInternals,
    toolName: string,
    input: object,
    toolUseId?: string,
  ): HookContext<"PreToolUse"> {
    const payload = toolPayload(toolName, input, toolUseId);
    return new HookContext("PreToolUse", partsOf(internals, payload));
  }

  /** After a tool ran. */
  static postToolUse(
    internals: AgentInternals,
    toolName: string,
    input: object,
    toolUseId: string | undefined,
    result: unknown,
  ): HookContext<"PostToolUse"> {
    const payload = { ...toolPayload(toolName, input, toolUseId), [RESULT]: result };
    return new HookContext("PostToolUse", partsOf(internals, payload));
  }

  /** After a tool failed. */
  static postToolUseFailure(
    internals: AgentInternals,
    toolName: string,
    input: object,
    toolUseId: string | undefined,
    error: string,
  ): HookContext<"PostToolUseFailure"> {
    const payload = { ...toolPayload(toolName, input, toolUseId), error };
    return new HookContext("PostToolUseFailure", partsOf(internals, payload));
  }

  /** Before a user's prompt is processed. */
  static userPromptSubmit(
    internals: AgentInternals,
    prompt: string,
  ): HookContext<"UserPromptSubmit"> {
    return new HookContext("UserPromptSubmit", partsOf(internals, { [PROMPT]: prompt }));
  }

  /** After the model answered. */
  static postAssistantResponse(
    internals: AgentInternals,
    response: string,
  ): HookContext<"PostAssistantResponse"> {
    return new HookContext("PostAssistantResponse", partsOf(internals, { [RESPONSE]: response }));
  }

  /** After a turn. */
  static turnComplete(internals: AgentInternals): HookContext<"TurnComplete"> {
    return new HookContext("TurnComplete", partsOf(internals, {}));
  }

  get tool_name(): At<E, ToolEvent, string> {
    return this.#parts.payload["tool_name"] as At<E, ToolEvent, string>;
  }

  get tool_input(): At<E, ToolEvent, JsonObject> {
    return this.#parts.payload[INPUT] as At<E, ToolEvent, JsonObject>;
  }

  set tool_input(input: object) {
    this.#parts.payload[INPUT] = input;
  }

  get tool_use_id(): string | undefined {
    return this.#parts.payload["tool_use_id"] as string | undefined;
  }

  get tool_result(): At<E, "PostToolUse", Json> {
    return this.#parts.payload[RESULT] as At<E, "PostToolUse", Json>;
  }

  set tool_result(result: unknown) {
    this.#parts.payload[RESULT] = result;
  }

  get error(): At<E, "PostToolUseFailure", string> {
    return this.#parts.payload["error"] as At<E, "PostToolUseFailure", string>;
  }

  set error(error: string) {
    this.#parts.payload["error"] = error;
  }

  get user_prompt(): At<E, "UserPromptSubmit", string> {
    return this.#parts.payload[PROMPT] as At<E, "UserPromptSubmit", string>;
  }

  set user_prompt(prompt: string) {
    this.#parts.payload[PROMPT] = prompt;
  }

  get assistant_response(): At<E, "PostAssistantResponse", string> {
    return this.#parts.payload[RESPONSE] as At<E, "PostAssistantResponse", string>;
  }

  set assistant_response(response: string) {
    this.#parts.payload[RESPONSE] = response;
  }

  /** The conversation; empty if the agent shares none. */
  get messages(): JsonObject[] {
    // Kept, so that elements pushed by a hook are not lost.
    return (this.#parts.payload["messages"] ??= []) as JsonObject[];
  }

  set messages(messages: object[]) {
    this.#parts.payload["messages"] = messages;
  }

  get session_id(): string | undefined {
    return this.#parts.payload["session_id"] as string | undefined;
  }

  get metadata(): Readonly<Bag> {
    return this.#parts.metadata;
  }

  setMetadata(key: string, value: unknown): void {
    setOwn(this.#parts.metadata, key, value);
  }

  /**
   * For `HookRegistry.run`: pass this context to the engine, and take over its changes.
   * @param dispatch gets payload and metadata in the engine's form
   */
  async lend<T extends { readonly ctx: Parts }>(
    dispatch: (payload: Bag, metadata: Bag) => Promise<T>,
  ): Promise<T> {
    const { payload, metadata } = this.#parts;
    const { messages, [INPUT]: input } = payload;
    const outcome = await dispatch(payload, metadata);
    refill(payload, outcome.ctx.payload);
    refill(metadata, outcome.ctx.metadata);
    const now = payload[INPUT];
    if (isPlainObject(input) && isPlainObject(now) && !Object.isFrozen(input)) {
      refill(input, now);
      payload[INPUT] = input;
    }
    if (Array.isArray(messages) && Array.isArray(payload["messages"])) {
      refillList(messages, payload["messages"]);
      payload["messages"] = messages;
    }
    return outcome;
  }
}

function toolPayload(name: string, input: object, toolUseId: string | undefined): Bag {
  return {
    tool_name: name,
    [INPUT]: input,
    ...(toolUseId !== undefined && { tool_use_id: toolUseId }),
  };
}

function partsOf(internals: AgentInternals, payload: Bag): Parts {
  const { session_id, messages } = internals;
  // Contexts of one agent share it, also if the agent began without one.
  if (Object.isExtensible(internals)) internals.metadata ??= {};
  const { metadata } = internals;
  return {
    payload: {
      ...payload,
      ...(session_id !== undefined && { session_id }),
      ...(messages !== undefined && { messages }),
    },
    metadata: metadata ?? {},
  };
}

/** Give a bag the content of another one, in place. */
function refill(bag: Bag, now: Bag): void {
  if (bag === now) return;
  for (const key of Object.keys(bag)) if (!Object.hasOwn(now, key)) delete bag[key];
  for (const key of Object.keys(now)) setOwn(bag, key, now[key]);
}

function refillList(list: unknown[], now: readonly unknown[]): void {
  if (list === now) return;
  list.length = 0;
  for (const item of now) list.push(item);
}

/** The decision of a hook, or of all hooks. */
export const PermissionDecision = {
  /** Skip the permission check. */
  Allow: "allow",
  /** Deny. */
  Deny: "deny",
  /** Go through the permission check. */
  Ask: "ask",
} as const;
export type PermissionDecision = (typeof PermissionDecision)[keyof typeof PermissionDecision];

/**
 * An optional decision and its reason. Decisions are for `PreToolUse` and `UserPromptSubmit`; `deny` at `PostToolUse`
 * withholds the tool's result.
 */
export interface HookResult {
  readonly decision?: PermissionDecision;
  readonly reason?: string;
}

/** Creates results. */
export const HookResult = {
  allow: (): HookResult => ({ decision: "allow" }),
  deny: (reason: string): HookResult => ({ decision: "deny", reason }),
  ask: (): HookResult => ({ decision: "ask" }),
  /** No decision. */
  none: (): HookResult => ({}),
} as const;

/** A result in the engine's form; the engine rejects an invalid one. */
export function actionOf(result: unknown): unknown {
  return isPlainObject(result) ? { ...result, action: "continue" } : result;
}

/**
 * An outcome as a result. Results of other hooks of the engine that v3 does not support become denials: a result in the
 * tool's place, a retry, and a deferred decision.
 */
export function resultOf(outcome: Outcome): HookResult {
  switch (outcome.action) {
    case "abort":
      return HookResult.deny(outcome.reason);
    case "skip": {
      const result = JSON.stringify(outcome.result);
      return HookResult.deny(
        `hook ${outcome.hook} skipped the call and returned ${result} in its place`,
      );
    }
    case "retry":
      return HookResult.deny(
        `hook ${outcome.hook} requests a retry in ${outcome.delay_ms} milliseconds`,
      );
    case "continue": {
      const { decision, reason } = outcome;
      if (decision === "defer") {
        return HookResult.deny(reason === undefined ? "deferred" : `deferred: ${reason}`);
      }
      return {
        ...(decision !== undefined && { decision }),
        ...(reason !== undefined && { reason }),
      };
    }
  }
}
