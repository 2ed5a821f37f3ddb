import { RUNTIME_VERBS } from "./runtime-verbs.ts";
import { TOOLS } from "./tools.ts";

/** A value of Lua; the type is written as LuaCATS writes it. */
export interface LuaField {
  readonly type: string;
  /** One line. */
  readonly doc: string;
  readonly optional?: true;
}

export interface LuaParameter extends LuaField {
  readonly name: string;
}

/** A function of `orcs`. */
export interface OrcsFunction {
  readonly doc: string;
  readonly params: readonly LuaParameter[];
  readonly returns?: LuaField;
  /** Its second result. */
  readonly alsoReturns?: LuaField;
  /** Other ways to call it, as LuaCATS writes them. */
  readonly overloads?: readonly string[];
}

const reason = param("reason", "string", "Why, for the agent to read.");
const why = { ...reason, optional: true } as const;
const key = param("key", "string", "Names the value, for all scripts of the engine.");
const value = param("value", "any", "Any JSON value.");
const boolean = (doc: string): LuaField => ({ type: "boolean", doc });

/** The functions of `orcs` besides the short forms of tools and what asks the runtime. */
export const ORCS_FUNCTIONS = {
  hook: {
    doc: 'Register a hook. The point stands behind the last colon: "builtin::llm:tool.pre_execute".',
    params: [
      param("spec", "string", "The components and the point: {FQL}:{point}."),
      param("handler", "orcs.Handler", "What it does."),
    ],
    returns: { type: "string", doc: "The hook's id." },
    overloads: ["fun(hook: orcs.Hook): string"],
  },
  unhook: {
    doc: "Remove a hook of this script.",
    params: [param("id", "string", "The hook's id.")],
    returns: boolean("Whether there was one."),
  },
  get: {
    doc: "Run a tool through its hooks and wait for its answer.",
    params: [
      param("kind", "string", "The tool's name."),
      { ...param("arg", "any", "Its arguments, or the value of its main one."), optional: true },
      {
        ...param("options", "orcs.CallOptions", "What goes along with the call."),
        optional: true,
      },
    ],
    returns: { type: "orcs.ToolAnswer", doc: "What the tool answered; ok says whether it worked." },
  },
  deny: {
    doc: "Answer: the operation is refused.",
    params: [reason],
    returns: { type: "orcs.Abort", doc: "To be returned." },
  },
  allow: {
    doc: "Answer: the operation may run without a check of permissions.",
    params: [why],
    returns: { type: "orcs.Continue", doc: "To be returned." },
  },
  ask: {
    doc: "Answer: somebody is asked whether the operation may run.",
    params: [why],
    returns: { type: "orcs.Continue", doc: "To be returned." },
  },
  skip: {
    doc: "Answer: the operation does not run, and this is its result.",
    params: [{ ...param("result", "any", "Without one: null."), optional: true }],
    returns: { type: "orcs.Skip", doc: "To be returned." },
  },
  replace: {
    doc: "Answer: this takes the place of the result.",
    params: [{ ...param("result", "any", "Without one: null."), optional: true }],
    returns: { type: "orcs.Replace", doc: "To be returned." },
  },
  retry: {
    doc: "Answer: the operation runs again.",
    params: [{ ...param("ms", "number", "Milliseconds to wait first."), optional: true }],
    returns: { type: "orcs.Retry", doc: "To be returned." },
  },
  inject: {
    doc: "Answer: a text is given to the model; the operation goes on.",
    params: [param("text", "orcs.Injection|orcs.Injection[]", "One text or several.")],
    returns: { type: "orcs.Continue", doc: "To be returned." },
  },
  "state.get": {
    doc: "Read a value that scripts share.",
    params: [key],
    returns: { type: "any", doc: "The value, or nil." },
  },
  "state.set": {
    doc: "Keep a value for all scripts of the engine.",
    params: [key, param("value", "any", "Any JSON value; nil deletes.")],
  },
  "state.delete": {
    doc: "Forget a value.",
    params: [key],
    returns: boolean("Whether there was one."),
  },
  "state.incr": {
    doc: "Add to a counter, at once for all scripts.",
    params: [
      key,
      { ...param("by", "number", "What is added; default 1."), optional: true },
      {
        ...param("ttl_ms", "number", "The counter ends that long after its first increment."),
        optional: true,
      },
    ],
    returns: { type: "number", doc: "The sum." },
  },
  log: {
    doc: "Write a line to the log.",
    params: [
      param("level", "orcs.LogLevel", "How important it is."),
      param("value", "any", "The line; what is not a string is shown as `orcs.inspect` shows it."),
    ],
    overloads: ["fun(value: any)"],
  },
  inspect: {
    doc: 'A value as text, for people: `{ 1, 2, name = "x" }`. Metamethods are not consulted.',
    params: [param("value", "any", "What is shown.")],
    returns: { type: "string", doc: "At most 4,096 characters." },
  },
  emit_output: {
    doc: "Give a text to the program; the command line writes it to stderr.",
    params: [param("text", "string|number", "The text.")],
  },
  sleep: {
    doc: "Wait; the engine goes on with other work.",
    params: [param("ms", "number", "Milliseconds.")],
  },
  now_ms: {
    doc: "The time, for measuring.",
    params: [],
    returns: { type: "integer", doc: "Milliseconds since the engine started." },
  },
  uuid: {
    doc: "Make a random UUID.",
    params: [],
    returns: { type: "string", doc: "The UUID." },
  },
  json_encode: {
    doc: "Write a value as JSON.",
    params: [{ ...value, optional: true }],
    returns: { type: "string", doc: "The JSON." },
  },
  json_decode: {
    doc: "Read JSON; its null is orcs.null.",
    params: [param("text", "string", "The JSON.")],
    returns: { type: "any", doc: "The value." },
  },
  array: {
    doc: "Mark a table as a list, so that an empty one stays one.",
    params: [{ ...param("list", "table", "The table; default a new one."), optional: true }],
    returns: { type: "table", doc: "The same table." },
  },
  contains: {
    doc: "Whether a text or a value is in there; no pattern.",
    params: [
      param("where", "string|any[]", "A text or a list."),
      param("what", "any", "A part of the text, or a value of the list."),
    ],
    returns: boolean("Whether it is."),
  },
  starts_with: {
    doc: "Whether a text begins with another; no pattern.",
    params: [
      param("text", "string", "The text."),
      param("prefix", "string", "What it may begin with."),
    ],
    returns: boolean("Whether it does."),
  },
  glob_match: {
    doc: "Whether a path matches a glob, as in match.path.",
    params: [
      param("pattern", "string", "The glob; without / it matches at any depth."),
      param("path", "string", "The path."),
    ],
    returns: boolean("Whether it does."),
  },
  redact: {
    doc: "Mask the secrets in a text or in a value.",
    params: [param("value", "any", "A text, or any JSON value.")],
    returns: {
      type: "any",
      doc: "The text, or a copy of the value, with [redacted] in their place.",
    },
  },
  shell: {
    doc: "List the simple commands that a command line would run; nothing runs.",
    params: [
      param("command", "string|string[]", "The line, or the words of one command as they are."),
      {
        ...param("cwd", "string", "Directory it starts in; left out, cwd counts from there."),
        optional: true,
      },
    ],
    returns: { type: "orcs.ShellCommands", doc: "In the order of the line." },
  },
  runs: {
    doc: "Whether a command line would run one of some commands, as in match.runs; nothing runs.",
    params: [
      param("command", "string|string[]", "The line, or the words of one command as they are."),
      param("patterns", "string|string[]", "Patterns of commands; one is enough."),
    ],
    returns: boolean("Whether it would, or may where it is not known, or cannot be read."),
    alsoReturns: {
      type: "string",
      doc: "Why the line could not be read whole, where nothing that could be read matches.",
      optional: true,
    },
  },
  real_path: {
    doc: "Follow the symbolic links of a path; it only tells where they lead.",
    params: [
      param("path", "string", "The path; it need not exist."),
      {
        ...param("cwd", "string", "Directory it is seen from; default permissions.root."),
        optional: true,
      },
    ],
    returns: { type: "string", doc: "The absolute path that opening it would end at." },
  },
} as const satisfies Record<string, OrcsFunction>;

/** What of `orcs` is no function. */
export const ORCS_VALUES = {
  options: { type: "table<string, any>", doc: "The options of the configuration." },
  null: { type: "orcs.Null", doc: "JSON's null; not nil, and true in a condition." },
} as const satisfies Record<string, LuaField>;

/** Every name that a script finds in `orcs`; `state.get` stands for a name in a table. */
export const ORCS_NAMES: readonly string[] = [
  ...Object.keys(ORCS_FUNCTIONS),
  ...Object.keys(ORCS_VALUES),
  ...Object.keys(TOOLS),
  ...Object.keys(RUNTIME_VERBS),
];

function param(name: string, type: string, doc: string): LuaParameter {
  return { name, type, doc };
}
