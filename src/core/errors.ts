import type { Diagnostic } from "./diagnostic.ts";

/**
 * Every code an error or diagnostic of orcs carries, with what to do about it.
 * 1xxx definitions and configuration, 2xxx dispatch, 3xxx Lua, 4xxx tools, 5xxx command line,
 * 6xxx runtime.
 * docs/errors.md is generated from this table.
 */
export const ERROR_CODES = {
  ORCS1001: "The configuration file cannot be read. Check the path and its permissions.",
  ORCS1002: "The configuration is not valid TOML. Fix the syntax at the place shown.",
  ORCS1003:
    "Unknown key. Use the name suggested, or remove it: a key that nothing reads is a mistake.",
  ORCS1004: "A value has the wrong type or is out of range. Write what the message expects.",
  ORCS1005: "Unknown hook point. Use the name suggested, or an alias such as PreToolUse.",
  ORCS1006: "Two hooks of one file have the same id. Give each its own.",
  ORCS1007:
    "A hook has no handler. Add exactly one: script, handler_inline, shell, webhook or module.",
  ORCS1008: "A hook has more than one handler. Keep exactly one.",
  ORCS1009:
    "The script cannot be found or read. Paths are relative to the config file and scripts.dirs.",
  ORCS1010: "A component id is not namespace::name. Write it like builtin::llm.",
  ORCS1011:
    "The FQL does not parse. Write scope::target[/child][#instance], with * for any one part.",
  ORCS1012: "A pattern of a matcher is not valid. Regular expressions have RE2 syntax.",
  ORCS1013: "A required key is missing.",
  ORCS1015: "The configuration has mistakes. Each is listed with its place.",
  ORCS1016:
    "A configuration found in a project would replace your own hook or loosen your own settings. That part is ignored.",
  ORCS1017: "A key is given in two spellings. Keep one.",
  ORCS1018:
    "A module of a hook cannot be loaded or has no such function. Write ./file.js#export, relative to the config file.",
  ORCS1019:
    "A ${NAME} of a webhook cannot be filled in. List it in allow_env and set it in the environment.",
  ORCS1020:
    "A configuration that was found, or what it names, is larger than orcs looks at. The message says which limit it exceeds.",
  ORCS1021:
    "Scripts and modules took longer to load than they may. Make them load quicker, or raise engine.load_ms.",
  ORCS1101: "Nothing sets this global, so it is nil. Use the name suggested, or declare it.",
  ORCS1102: "There is no such name in orcs. Use the name suggested.",
  ORCS1103: "A library has no such function here. Use the name suggested.",
  ORCS1104: "A refusal has no reason. Say what to do instead: the model reads it.",
  ORCS1105:
    "An action is not legal at its hook point, or does less there than it seems. The table of actions says which are legal where.",
  ORCS1106: "An answer makes no sense, and the hook would fail. The message says why.",
  ORCS1107: "A context or a payload has no such key. Use the name suggested.",
  ORCS1108:
    "A hook for every tool uses an argument that not every tool has. Match the tools, or test the argument first.",
  ORCS1109: "A hook can never run. The message says what keeps it from running.",
  ORCS1110:
    "A hook that can deny lets pass: when it fails (leave on_error out, or write closed), or as nobody waits for it (leave async out, or write observe = true).",
  ORCS1112:
    "A hook that can deny runs what no seal can hold. Name its script by $ORCS_DIR, import by relative paths, or say `unsealed = true`.",
  ORCS1111: "A Lua file is not UTF-8. Save it as UTF-8: strings that are not cannot go anywhere.",
  ORCS2001: "A hook refused the operation. The message gives the hook's id and its reason.",
  ORCS2003: "The payload does not fit the hook point. The message names the key.",
  ORCS2006: "The engine is closed. Create a new one with createOrcs.",
  ORCS2007: "A hook with this id is registered already. Ids are unique in an engine.",
  ORCS2008:
    "A tool's result is a stream, and more than its post hooks may be shown. Raise engine.max_payload_mb, or let the hooks say `stream = true`.",
  ORCS3001: "Lua syntax error. Fix the script at the line shown.",
  ORCS3002: "The script raised an error while it was loaded.",
  ORCS3003: "The script did not define a hook. Return one or call orcs.hook.",
  ORCS3005:
    "The script ran longer than it may without waiting. Make the loop shorter or raise lua.max_run_ms.",
  ORCS3006: "The script took more memory than it may. Use less or raise lua.memory_mb.",
  ORCS3007:
    "A test of a hook fails. Mend the hook or the test: with engine.test_on_reload, the last good hooks stay.",
  ORCS4002: "A tool was called with arguments it cannot use.",
  ORCS5001: "The command line is not right. See orcs --help.",
  ORCS5002:
    "A file of the project cannot be read, changed or written. Nothing was changed; the message says why.",
  ORCS5003:
    "A coding agent ran a verb that loosens what orcs guards. Run it yourself, in a terminal of your own.",
  ORCS6001: "There is no such component or child. Spawn it first, or mend its name.",
  ORCS6002:
    "A component or child with this id is there already. Stop it first, or take another id.",
  ORCS6003: "No answer came in time. Make the answer quicker or give it a longer timeout_ms.",
  ORCS6004:
    "The mailbox is full: the component does not keep up. Send less, or wait for its answers.",
  ORCS6005: "A component or child threw, or answered what is not JSON. The message says what.",
  ORCS6006: "The channel ended before it answered. Ask again when the component is back.",
  ORCS6007: "The caller lacks a capability. Give it to the component, or do without.",
  ORCS6008: "A command may not be run or granted. Somebody with the right to must grant it.",
  ORCS6009:
    "More children, or deeper nested ones, than an engine allows. Stop some, or raise its limits.",
  ORCS6010:
    "This is no component, child, signal or event. The message says what is missing or wrong.",
  ORCS6011:
    "The request would wait for itself: its target waits for the caller. Send an event instead.",
  ORCS6012:
    "A grant is a plain prefix of words, such as git status. Leave out operators and quotes.",
  ORCS6013:
    "A snapshot cannot be read, used or written. The message says what was wrong, and where.",
  ORCS6014: "The call was cancelled, by a signal or by whoever asked.",
  ORCS7001:
    "This is no event of the host. The message says what is missing; see the page of the host.",
  ORCS7002: "The service went away or did not answer in time. Ask again; see orcs doctor.",
  ORCS7003: "Another service serves this configuration already. Use that one, or stop it.",
  ORCS7004:
    "Settings of a host cannot be read or written, or have another shape. Nothing was changed.",
  ORCS7005: "The MCP server could not be started, or ended. The message says how.",
  ORCS7006:
    "A file or folder of the service belongs to somebody else. Remove it, or mend its owner.",
  ORCS7007:
    "The orcs that runs is in a cache that may be emptied, so nothing may name it there. Install it for good.",
  ORCS7008:
    "An install was made here, and its state is gone: what was trusted is lost. See orcs doctor --repair.",
  ORCS7009:
    "Events come over HTTP of a session that orcs does not know, or that began elsewhere. The message says what to do.",
  ORCS7010:
    "Another program has the port of the HTTP side, and could answer in the place of the hooks. The message says what to do.",
  ORCS7011:
    "A proxy would be sent what an agent asks over HTTP, and could answer it. The message says what to do.",
  ORCS8001:
    "A configuration that was found is not trusted: none of it is in force. See orcs trust.",
  ORCS8002: "The trust store cannot be used: nothing is trusted. The message says what to mend.",
  ORCS8003:
    "A configuration names a file outside of its folder, where it cannot be sealed. Move it inside.",
  ORCS8005: "The audit log cannot be written. What it had to record is refused until it can.",
  ORCS8006: "The audit log cannot be read, or is not what was written. See orcs audit verify.",
  ORCS8010:
    "The copy of what was trusted cannot be used, so nothing that it would guard is allowed. Run orcs trust again.",
  ORCS8007: "This is no record of events that can be replayed. The message says what is wrong.",
  ORCS8008: "A record cannot be written: nothing more is recorded. The message says why.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The one error class of orcs: a stable code, a message, the fields that a program may want, a cause. */
export class OrcsError extends Error {
  override readonly name = "OrcsError";
  readonly code: ErrorCode;
  /** Values named in the message, for programs: `hook`, `reason`, `path`, … */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The mistakes found, when there are several with places of their own. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(
    code: ErrorCode,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
    options: { cause?: unknown; diagnostics?: readonly Diagnostic[] } = {},
  ) {
    super(`${code}: ${message}`, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.fields = fields;
    this.diagnostics = options.diagnostics ?? [];
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    if (typeof message === "string") return message;
  } catch {
    // Reading it throws, too.
  }
  return "something that is not an Error was thrown";
}
