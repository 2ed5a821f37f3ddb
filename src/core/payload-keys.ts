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
  /** One line for the docs and the Lua definitions. */
  readonly doc?: string;
}

/** A key of a built-in point: its line is there. */
export interface DocumentedKey extends KeySpec {
  readonly doc: string;
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
  readonly keys: Readonly<Record<string, DocumentedKey>>;
}

export const str = (doc: string) => ({ kind: "string", doc }) as const;
export const int = (doc: string) => ({ kind: "integer", doc }) as const;
export const obj = (doc: string) => ({ kind: "object", doc }) as const;
export const list = (doc: string) => ({ kind: "list", doc }) as const;
export const strs = (doc: string) => ({ kind: "strings", doc }) as const;
export const any = (doc: string) => ({ kind: "any", doc }) as const;
export const bool = (doc: string) => ({ kind: "boolean", doc }) as const;
/** A name or id the host gives: always there, never changed by a hook. */
export const name = (doc: string) =>
  ({ kind: "string", required: true, fixed: true, doc }) as const;
/** A name or id that may be missing. */
export const id = (doc: string) => ({ kind: "string", fixed: true, doc }) as const;
export const bits = (doc: string) => ({ kind: "integer", shrinks: true, doc }) as const;

const needed = <Kind extends KeyKind>(kind: Kind, doc: string) =>
  ({ kind, required: true, doc }) as const;

export const elapsed = { elapsed_ms: int("Milliseconds that the operation took.") } as const;
export const component = {
  component_id: id("The component, namespace::name."),
  channel_id: id("The channel that it lives in."),
} as const;
export const session = {
  session_id: id("The session of the agent."),
  agent_id: id("The agent, as its host names it."),
} as const;
export const child = {
  child_id: id("The child's path below its component."),
  parent_id: id("Who spawned it."),
} as const;
export const tool = {
  tool_name: name("The tool's name."),
  tool: id("The same name, shorter to write."),
  args: needed("object", "The arguments of the call; a change is what the tool gets."),
  capabilities: bits(
    "What the call may do: READ 1, WRITE 2, DELETE 4, EXECUTE 8, SPAWN 16, LLM 32, HTTP 64.",
  ),
  sandbox_root: id("The directory that the tool cannot leave."),
  ...session,
  cwd: str("Working directory of the call; relative paths are relative to it."),
  messages: list("The conversation so far, as the host sends it."),
  tool_use_id: id("The host's id of this call."),
  recent_tools: strs("Names of the tools called before, the latest last."),
} as const;
export const request = {
  id: name("The request's id."),
  category: str(
    "What kind it is, such as Request; events have the category that is subscribed to.",
  ),
  operation: needed("string", "What the component is asked to do."),
  source: id("Who asks."),
  target: id("The component that is asked."),
  payload: any("What it is asked with."),
  timeout_ms: int("Milliseconds from sending to the answer."),
} as const;
export const model = {
  model_provider: str("Who runs the model."),
  model_name: str("The model's name."),
} as const;
export const prompt = {
  prompt: needed("string", "What the user wrote; a change is what the agent gets."),
  user_prompt: str("The same, as other systems call it."),
  ...session,
  messages: list("The conversation so far, as the host sends it."),
  cwd: str("Working directory of the agent."),
} as const;
export const generate = {
  prompt: str("What the model is asked."),
  system_prompt: str("The instructions above the conversation."),
  ...model,
  available_tools: strs("Names of the tools that the model may call."),
  messages: list("The conversation that goes to the model."),
  ...session,
} as const;
export const compact = {
  trigger: str("Why: auto or manual."),
  custom_instructions: str("What the summary should keep."),
  messages: list("The conversation; after compacting, what is left of it."),
  ...session,
} as const;
export const question = {
  query: any("What is asked."),
  result: any("The answer so far; replace gives another."),
  ...session,
} as const;
