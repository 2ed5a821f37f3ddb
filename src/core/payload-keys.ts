/** `pre` may rewrite, skip, abort; `post` may replace the result; `on` observes. */
export type Phase = "pre" | "post" | "on";

/** Kind of a payload key; `strings` is a list of strings, `any` any JSON value. */
export type KeyKind =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "object"
  | "list"
  | "strings"
  | "any";

/** What is known of one payload key. */
export interface KeySpec {
  readonly kind: KeyKind;
  /** The host always sets it. */
  readonly required?: true;
  /** Names and ids: a hook that changes one has failed. */
  readonly fixed?: true;
  /** Capability bits: a hook may take some away; one that adds any has failed. */
  readonly shrinks?: true;
}

export interface PointRow {
  readonly phase: Phase;
  /** One line for the docs. */
  readonly doc: string;
  /** Asks for an answer: `replace` is legal. */
  readonly question?: true;
  /** Key a rewrite of the input writes. */
  readonly input?: string;
  /** Key that holds the result. */
  readonly result?: string;
  readonly keys: Readonly<Record<string, KeySpec>>;
}

export const str = { kind: "string" } as const;
export const int = { kind: "integer" } as const;
export const obj = { kind: "object" } as const;
export const list = { kind: "list" } as const;
export const strs = { kind: "strings" } as const;
export const any = { kind: "any" } as const;
export const bool = { kind: "boolean" } as const;
/** A name or id the host gives: always there, never changed by a hook. */
export const name = { kind: "string", required: true, fixed: true } as const;
/** A name or id that may be missing. */
export const id = { kind: "string", fixed: true } as const;
export const bits = { kind: "integer", shrinks: true } as const;

export const component = { component_id: id, channel_id: id } as const;
export const session = { session_id: id, agent_id: id } as const;
export const tool = {
  tool_name: name,
  tool: id,
  args: { kind: "object", required: true },
  capabilities: bits,
  sandbox_root: id,
  ...session,
  cwd: str,
  messages: list,
  tool_use_id: id,
  recent_tools: strs,
} as const;
export const request = {
  id: name,
  category: str,
  operation: { kind: "string", required: true },
  source: id,
  target: id,
  payload: any,
  timeout_ms: int,
} as const;
export const model = { model_provider: str, model_name: str } as const;
export const prompt = {
  prompt: { kind: "string", required: true },
  user_prompt: str,
  ...session,
  messages: list,
  cwd: str,
} as const;
export const generate = {
  prompt: str,
  system_prompt: str,
  ...model,
  available_tools: strs,
  messages: list,
  ...session,
} as const;
export const compact = {
  trigger: str,
  custom_instructions: str,
  messages: list,
  ...session,
} as const;
export const question = { query: any, result: any, ...session } as const;
