import { RUNTIME_VERBS } from "./runtime-verbs.ts";
import { TOOLS } from "./tools.ts";

/** A Lua value; `type` is a LuaCATS type. */
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
  readonly alsoReturns?: readonly LuaField[];
  /** Other ways to call it, as LuaCATS writes them. */
  readonly overloads?: readonly string[];
}

const reason = param("reason", "string", "The reason, shown to the agent.");
const why = { ...reason, optional: true } as const;
const key = param("key", "string", "The key; all scripts of the engine share the keys.");
const value = param("value", "any", "Any JSON value.");
const command = param(
  "command",
  "string|string[]",
  "The command line, or the words of one command, taken literally.",
);
const call = param(
  "ctx",
  "orcs.Context|table",
  "The context of a hook about a tool call, or a payload.",
);
const boolean = (doc: string): LuaField => ({ type: "boolean", doc });

/** The functions of `orcs`, without the short forms of tools (`TOOLS`) and the runtime functions (`RUNTIME_VERBS`). */
export const ORCS_FUNCTIONS = {
  hook: {
    doc: 'Register a hook. The point follows the last colon: "builtin::llm:tool.pre_execute".',
    params: [
      param("spec", "string", "The components and the point, as {FQL}:{point}."),
      param("handler", "orcs.Handler", "The function that is called at the point."),
    ],
    returns: { type: "string", doc: "The hook's id." },
    overloads: ["fun(hook: orcs.Hook): string"],
  },
  unhook: {
    doc: "Remove a hook of this script.",
    params: [param("id", "string", "The hook's id.")],
    returns: boolean("Whether it existed."),
  },
  get: {
    doc: "Run a tool through its hooks and wait for its result.",
    params: [
      param("kind", "string", "The tool's name."),
      optional("arg", "any", "The arguments, or the value of the main argument."),
      optional("options", "orcs.CallOptions", "Options of the call."),
    ],
    returns: {
      type: "orcs.ToolAnswer",
      doc: "The tool's result; ok says whether the call succeeded.",
    },
  },
  exec_argv: {
    doc: "Run a program by its arguments, without a shell. It is a call of the tool exec with shell = false: hooks and grants see its command line.",
    params: [
      param("program", "string", "The program, found as a shell finds it."),
      optional("args", "string[]", "Its arguments; each reaches it as it is."),
      optional(
        "options",
        "orcs.ExecArgvOptions",
        "cwd, timeout_ms and env as for exec, and metadata.",
      ),
    ],
    returns: { type: "orcs.ExecAnswer", doc: "The result of exec." },
  },
  deny: result("orcs.Abort", "Result that denies the operation.", [reason]),
  allow: result("orcs.Continue", "Result that allows the operation without a permission check.", [
    why,
  ]),
  ask: result("orcs.Continue", "Result that asks the user whether the operation may run.", [why]),
  skip: result("orcs.Skip", "Result that keeps the operation from running and gives its result.", [
    optional("result", "any", "The result; default null."),
  ]),
  replace: result("orcs.Replace", "Result that replaces the operation's result.", [
    optional("result", "any", "The result; default null."),
  ]),
  retry: result("orcs.Retry", "Result that runs the operation again.", [
    optional("ms", "number", "Milliseconds to wait first."),
  ]),
  inject: result(
    "orcs.Continue",
    "Result that adds a text for the model; the operation continues.",
    [param("text", "orcs.Injection|orcs.Injection[]", "One text or a list of texts.")],
  ),
  "state.get": {
    doc: "Read a value that scripts share.",
    params: [key],
    returns: { type: "any", doc: "The value, or nil." },
  },
  "state.set": {
    doc: "Store a value for all scripts of the engine.",
    params: [key, param("value", "any", "Any JSON value; nil deletes.")],
  },
  "state.delete": {
    doc: "Delete a value.",
    params: [key],
    returns: boolean("Whether it existed."),
  },
  "state.incr": {
    doc: "Add to a counter, atomically for all scripts.",
    params: [
      key,
      optional("by", "number", "The increment; default 1."),
      optional(
        "ttl_ms",
        "number",
        "Milliseconds after its first increment until the counter is deleted.",
      ),
      optional(
        "max",
        "number",
        "The maximum: if the sum would be more, nothing is added, and nil is returned.",
      ),
    ],
    returns: { type: "number", doc: "The new value of the counter." },
  },
  "state.compare_and_set": {
    doc: "Store a value only if the key has the expected one, atomically for all scripts.",
    params: [
      key,
      param("expected", "any", "The value that the key must have; nil: none."),
      optional("value", "any", "Any JSON value; nil deletes."),
    ],
    returns: boolean("Whether it was stored."),
  },
  log: {
    doc: "Write a line to the log.",
    params: [
      param("level", "orcs.LogLevel", "The level."),
      param(
        "value",
        "any",
        "The line; a value that is not a string is formatted by `orcs.inspect`.",
      ),
    ],
    overloads: ["fun(value: any)"],
  },
  inspect: {
    doc: 'Format a value for people: `{ 1, 2, name = "x" }`. Metamethods are ignored.',
    params: [param("value", "any", "The value.")],
    returns: { type: "string", doc: "The text, at most 4,096 characters." },
  },
  emit_output: {
    doc: "Send a text to the embedding program; the `orcs` command writes it to stderr.",
    params: [param("text", "string|number", "The text.")],
  },
  sleep: {
    doc: "Wait; the engine continues with other work.",
    params: [param("ms", "number", "Milliseconds.")],
  },
  now_ms: {
    doc: "The current time, for measuring durations.",
    params: [],
    returns: { type: "integer", doc: "Milliseconds since the engine started." },
  },
  is_enforced: {
    doc: "Whether this machine enforces the hooks of this script, so that its users cannot allow what they refuse.",
    params: [],
    returns: boolean("Whether only the administrator of the machine can change them."),
  },
  time: {
    doc: "The time of day; in tests and replays, that of their clock.",
    params: [],
    returns: { type: "integer", doc: "Seconds since 1970." },
  },
  date: {
    doc: "A date as text, as os.date of Lua; the local time, or UTC if the format begins with an exclamation mark.",
    params: [
      optional(
        "format",
        "string",
        'The format; default "%Y-%m-%d %H:%M:%S". "*t" returns a table.',
      ),
      optional("time", "number", "Seconds since 1970; default: now."),
    ],
    returns: {
      type: "string|orcs.Date",
      doc: "The text, or for *t a table with year, month, day, hour, min, sec, wday (1 is Sunday) and yday.",
    },
  },
  uuid: {
    doc: "Create a random UUID.",
    params: [],
    returns: { type: "string", doc: "The UUID." },
  },
  json_encode: {
    doc: "Encode a value as JSON.",
    params: [{ ...value, optional: true }],
    returns: { type: "string", doc: "The JSON." },
  },
  json_decode: {
    doc: "Decode JSON; null becomes orcs.null.",
    params: [param("text", "string", "The JSON.")],
    returns: { type: "any", doc: "The value." },
  },
  array: {
    doc: "Mark a table as a list, so that an empty table becomes [] in JSON.",
    params: [optional("list", "table", "The table; default a new table.")],
    returns: { type: "table", doc: "The same table." },
  },
  contains: {
    doc: "Whether a text contains a substring, or a list contains a value (no patterns).",
    params: [
      param("where", "string|any[]", "A text or a list."),
      param("what", "any", "The substring or the value."),
    ],
    returns: boolean("Whether it is contained."),
  },
  starts_with: {
    doc: "Whether a text begins with a prefix (no patterns).",
    params: [param("text", "string", "The text."), param("prefix", "string", "The prefix.")],
    returns: boolean("Whether the text begins with the prefix."),
  },
  glob_match: {
    doc: "Whether a path matches a glob, as in match.path.",
    params: [
      param("pattern", "string", "The glob; without / it matches at any depth."),
      param("path", "string", "The path."),
    ],
    returns: boolean("Whether the path matches."),
  },
  redact: {
    doc: "Mask the secrets in a text or in a value.",
    params: [param("value", "any", "A text, or any JSON value.")],
    returns: {
      type: "any",
      doc: "The text, or a copy of the value, with [redacted] in place of the secrets.",
    },
  },
  shell: {
    doc: "List the simple commands that a command line would run, without running them.",
    params: [
      command,
      optional(
        "cwd",
        "string",
        "Directory that the line starts in; without it, the cwd of the commands is relative.",
      ),
      optional(
        "options",
        "orcs.ShellOptions",
        "spans: each command has them, for orcs.shell_replace; dialect: the language of the line.",
      ),
    ],
    returns: { type: "orcs.ShellCommands", doc: "The commands, in the order of the line." },
  },
  effects: {
    doc: "What a call of any tool does: reads, writes, removes, runs, connects and so on, however it is spelled.",
    params: [call],
    returns: { type: "orcs.Effect[]", doc: "In the order of the call." },
    alsoReturns: [
      {
        type: "string",
        optional: true,
        doc: "Why a part of it could not be read, so that it may do anything.",
      },
      {
        type: "boolean",
        optional: true,
        doc: "Whether that is because an argument has a type that no tool takes, or because the call is too large.",
      },
      { type: "orcs.CallLine[]", doc: "The command lines of the call, for orcs.shell." },
    ],
  },
  only_reads: {
    doc: "Make a test for calls that a guard need not look at: a command line of known programs that does nothing but read what it names.",
    params: [
      param(
        "unless",
        "table",
        "Lists of what to look at in such a call: programs and their subcommands (git/log); given: programs with a word behind their first operand; says: texts in it; names: rules for what it reads, as .env, *.pem and .ssh/.",
      ),
    ],
    returns: {
      type: "fun(ctx: orcs.Context|table): boolean",
      doc: "Whether the call of a context, or a payload, is one of these.",
    },
  },
  name_rules: {
    doc: "Make rules for names of files: id_rsa, *.pem and .aws/credentials at any depth, /etc/shadow from the root, .ssh/ with all below it. Case is ignored; a path may be a shell glob that is specific enough.",
    params: [param("rules", "string[]", "The rules.")],
    returns: {
      type: "table",
      doc: "rules:match(path): the rule that a path matches; rules:below(path, files, whole): a rule for something below a folder, of files if wanted and only one that begins with the whole path; rules:matters(path): whether a path has a folder that a rule names.",
    },
  },
  tool_names: {
    doc: "The names of the tool of a call: as it came in, the coding agent's, and that of orcs.",
    params: [call],
    returns: { type: "string[]", doc: "Without duplicates." },
  },
  snapshot: {
    doc: "Take an undo point: keep what the call may change and the work tree, so that orcs undo can restore it. With any result of the hook.",
    params: [
      optional(
        "reason",
        "string",
        "Shown by orcs undo --list. Without one, only what the call may remove or overwrite is kept, if there is anything.",
      ),
      optional("limits", "table", "The options of orcs:undo."),
    ],
    returns: {
      type: "orcs.ToolAnswer",
      doc: "id of the point; complete: whether all that the call may remove or overwrite is in it.",
    },
  },
  undo_point: {
    doc: "The undo point that a hook has taken for this call.",
    params: [],
    returns: { type: "orcs.ToolAnswer", doc: "As orcs.snapshot; not ok if there is none." },
  },
  shell_replace: {
    doc: "Replace words of a command line by others, quoted as needed; everything else stays as it is.",
    params: [
      param("command", "string", "The command line."),
      param(
        "edits",
        "any[][]",
        "Each edit is a span of orcs.shell, and the word, or the words, that replace it.",
      ),
    ],
    returns: { type: "string", doc: "The changed line." },
  },
  runs: {
    doc: "Whether a command line would run one of the given commands, as in match.runs; nothing is run.",
    params: [
      command,
      param("patterns", "string|string[]", "Command patterns; one match is enough."),
    ],
    returns: boolean(
      "true when it would, when it might (a word is unknown), or when the line cannot be read.",
    ),
    alsoReturns: [
      {
        type: "string",
        doc: "Why the line could not be read completely, when no part that was read matches.",
        optional: true,
      },
    ],
  },
  real_path: {
    doc: "Resolve the symbolic links of a path, without opening it.",
    params: [
      param("path", "string", "The path; it need not exist."),
      optional(
        "cwd",
        "string",
        "Directory that a relative path starts from; default permissions.root.",
      ),
    ],
    returns: { type: "string", doc: "The absolute path that would be opened." },
  },
  transcript_usage: {
    doc: "Read which tokens an agent has written into its transcript (Claude Code, Codex) since a mark, at most 4 MB at once.",
    params: [
      param("path", "string", "The file: `ctx.payload.host.transcript_path`."),
      optional("mark", "table", "The mark of the last reading; default: the start."),
    ],
    returns: {
      type: "{ used: table<string, table>, mark: table }?",
      doc: "The usage of each model, and the next mark; nil if there is no such file.",
    },
  },
} as const satisfies Record<string, OrcsFunction>;

/** The fields of `orcs` that are not functions. */
export const ORCS_VALUES = {
  options: { type: "table<string, any>", doc: "The options of this hook from the configuration." },
  null: { type: "orcs.Null", doc: "JSON null; not nil, and true in a condition." },
} as const satisfies Record<string, LuaField>;

/** Every field of `orcs`; `state.get` is the field `get` of the table `orcs.state`. */
export const ORCS_NAMES: readonly string[] = [
  ...Object.keys(ORCS_FUNCTIONS),
  ...Object.keys(ORCS_VALUES),
  ...Object.keys(TOOLS),
  ...Object.keys(RUNTIME_VERBS),
];

/** A function that makes a result of a hook. */
function result<const Params extends readonly LuaParameter[]>(
  type: string,
  doc: string,
  params: Params,
) {
  return { doc, params, returns: { type, doc: "The value for the hook to return." } };
}

function param(name: string, type: string, doc: string): LuaParameter {
  return { name, type, doc };
}

function optional(name: string, type: string, doc: string): LuaParameter {
  return { ...param(name, type, doc), optional: true };
}
