import type { Diagnostic } from "./diagnostic.ts";

/**
 * All error codes of orcs, with how to fix each error. 1xxx definitions and configuration, 2xxx dispatch, 3xxx Lua,
 * 4xxx tools, 5xxx command line, 6xxx runtime, 7xxx service and coding agents, 8xxx trust and audit, 9xxx bundles.
 * docs/reference/errors.md is generated from this table.
 */
export const ERROR_CODES = {
  ORCS1001: "The configuration file cannot be read. Check the path and its permissions.",
  ORCS1002: "The configuration is not valid TOML. Fix the syntax at the position shown.",
  ORCS1003: "Unknown key. Use the suggested name, or remove the key.",
  ORCS1004: "A value has the wrong type or is out of range.",
  ORCS1005: "Unknown hook point. Use the suggested name, or an alias such as PreToolUse.",
  ORCS1006: "Two hooks in one file have the same id. Use different ids.",
  ORCS1007:
    "A hook has no handler. Add exactly one: script, handler_inline, shell, webhook, module or handler.",
  ORCS1008: "A hook has more than one handler. Keep exactly one.",
  ORCS1009:
    "The script cannot be found or read. Paths are relative to the config file and scripts.dirs.",
  ORCS1010: "A component id is not in the form namespace::name. An example is builtin::llm.",
  ORCS1011:
    "The component pattern (fql) is invalid. Write scope::target[/child][#instance], with * for any one part.",
  ORCS1012: "A pattern in match is invalid. Regular expressions have RE2 syntax.",
  ORCS1013: "A required key is missing.",
  ORCS1015: "The configuration has errors. Each is listed with its position.",
  ORCS1016:
    "A part of a configuration is ignored: a project's would replace one of your own hooks or loosen your own settings, or it is a setting of another system that has no meaning here.",
  ORCS1017: "A key is present in two spellings. Keep one.",
  ORCS1018:
    "The module of a hook cannot be loaded, or does not export the function. Write ./file.js#export, relative to the config file.",
  ORCS1019:
    "A ${NAME} of a webhook has no value. List the variable in allow_env and set it in the environment.",
  ORCS1020: "A discovered configuration, or a file that it names, is too large.",
  ORCS1021:
    "Loading the scripts and modules took too long. Make them load faster, or raise engine.load_ms.",
  ORCS1022:
    "A file is read as that of another hook system, because of its form. Write protocol at its top to state whose it is.",
  ORCS1023:
    "A command leaves something in the background, which is ended together with the command. Set background_s to how long it may live.",
  ORCS1024: "This Node is older than 20.19. Install a later one, and run orcs with it.",
  ORCS1025:
    "An edited JavaScript module was loaded again, but not what it loads by a computed or absolute name. Restart the process, or import by literal relative paths.",
  ORCS1101: "This global is never set, so it is nil. Use the suggested name, or declare it.",
  ORCS1102: "The name does not exist in orcs. Use the suggested name.",
  ORCS1103: "The function does not exist in the Lua library of orcs. Use the suggested name.",
  ORCS1104: "A denial has no reason. Write what to do instead, because the model reads it.",
  ORCS1105:
    "An action is not valid at its hook point, or has less effect there than expected. See the table of actions.",
  ORCS1106: "The result of a hook is invalid, and the hook would fail.",
  ORCS1107: "The key does not exist in the context or the payload. Use the suggested name.",
  ORCS1108:
    "A hook for all tools uses an argument that only some tools have. Match those tools, or check the argument first.",
  ORCS1109: "A hook can never run.",
  ORCS1110:
    "A hook that can deny calls would let them run, or one that masks results would let them pass, either when it fails (remove on_error, or set it to closed) or because it is asynchronous (remove async, or set observe = true).",
  ORCS1112:
    "A hook that can deny calls uses code that cannot be sealed. Use $ORCS_DIR for its script, import by relative paths, or set `unsealed = true`.",
  ORCS1113:
    "A hook allows or asks about operations that a later hook always denies. Remove one of them, or exclude its operations from the other.",
  ORCS1117:
    "No coding agent has a tool of this name, and one has a similar name. Use that name, or `exec`, `read`, `write` and so on, which are those of every agent.",
  ORCS1116:
    "A pcall around a tool call does not notice a denial, which is a result and no error. Read its ok.",
  ORCS1115:
    "A condition is written in another syntax: a regular expression as a Lua pattern (write `\\s` for `%s`), or a command as a regular expression (write its words).",
  ORCS1114:
    "A result of orcs is created and dropped, so nothing is decided. Write return before the call.",
  ORCS1111:
    "A Lua file is not UTF-8. Save it as UTF-8, because strings that are not UTF-8 cannot be converted.",
  ORCS2001: "A hook denied the operation.",
  ORCS2003: "The payload is invalid for the hook point.",
  ORCS2006: "The engine is closed. Create a new one with createOrcs.",
  ORCS2007: "A hook with this id is already registered. Ids are unique within an engine.",
  ORCS2008:
    "The result of a tool is a stream that is too large for its post hooks. Raise engine.max_payload_mb, or set `stream = true` on the hooks.",
  ORCS3001: "Lua syntax error. Fix the script at the line shown.",
  ORCS3002: "The script raised an error while it was loading.",
  ORCS3003: "The script did not define a hook. Return one or call orcs.hook.",
  ORCS3005:
    "The script ran too long without making a call that waits. Shorten its loops, or raise lua.max_run_ms.",
  ORCS3006: "The script used too much memory. Use less, or raise lua.memory_mb.",
  ORCS3008:
    "A script requires a module of a guard that is not part of orcs any more. Use the function that the message names.",
  ORCS4002: "A tool was called with invalid arguments.",
  ORCS4040: "A handler that lives on cannot be started or reached, or its handshake failed.",
  ORCS4041: "A handler that lives on ended, or did not respond in time. Its stderr is in the log.",
  ORCS4042:
    "Too many calls wait for a handler that lives on. Make it faster, or match fewer calls.",
  ORCS4043:
    "A handler that lives on does not handle this point. Add the point to its capabilities, or remove the hook.",
  ORCS5001: "The command line is invalid. See orcs --help.",
  ORCS5002:
    "A file of the project cannot be read, changed or written. Nothing was changed; the message contains the cause.",
  ORCS5003:
    "A coding agent ran a command that loosens the protection by orcs. Run it yourself, in your own terminal.",
  ORCS5021: "An undo point cannot be used or restored. The message says why; nothing is lost.",
  ORCS6001: "The component or child does not exist. Spawn it first, or correct its name.",
  ORCS6002: "A component or child with this id exists already. Stop it first, or use another id.",
  ORCS6003: "There was no response in time. Respond faster, or set a longer timeout_ms.",
  ORCS6004:
    "The mailbox is full, because the component is too slow. Send less, or wait for its responses.",
  ORCS6005: "A component or child threw, or returned a value that is not JSON.",
  ORCS6006:
    "The channel ended before it responded. Repeat the request when the component is running again.",
  ORCS6007: "The caller lacks a capability. Add it to the component, or avoid the call.",
  ORCS6008:
    "The caller is not permitted to run this command, or to grant it. Somebody who is permitted to grant it must do so.",
  ORCS6009:
    "There are too many children, or they are nested too deeply. Stop some, or raise the limits.",
  ORCS6010: "The value is not a valid component, child, signal or event.",
  ORCS6011:
    "The request would wait for itself, because its target is waiting for the caller. Send an event instead.",
  ORCS6012:
    "A grant must be a plain prefix of words, such as git status, without operators and quotes.",
  ORCS6014: "The call was cancelled by a signal or by the caller.",
  ORCS6015:
    "Only an elevated component can spawn an elevated one. Spawn it without elevated, or from one that is elevated.",
  ORCS7001: "The event is not valid for this coding agent. See the page of the coding agent.",
  ORCS7002: "The service ended or did not respond in time. Try again, or run orcs doctor.",
  ORCS7003: "Another service is already running for this configuration. Use it, or stop it.",
  ORCS7004:
    "The settings of a coding agent cannot be read or written, or have an unexpected structure. Nothing was changed.",
  ORCS7005: "The MCP server could not be started, or ended.",
  ORCS7006:
    "A file or folder of the service belongs to another user. Remove it, or correct its owner.",
  ORCS7007:
    "The path of orcs is in a cache that can be emptied, so it must not be stored. Install orcs permanently.",
  ORCS7008:
    "The state of an installation on this machine is gone, and with it the record of what was trusted. See orcs doctor --repair.",
  ORCS7009: "An HTTP event belongs to a session that is unknown or was started elsewhere.",
  ORCS7010: "Another program is using the HTTP port, and could respond instead of the hooks.",
  ORCS7011: "HTTP events of an agent would be sent to a proxy, which could respond to them.",
  ORCS7012:
    "A hook of a type that orcs cannot run is not imported. See the note, which says what to do instead.",
  ORCS7013: "Nothing is reported to OpenTelemetry, because its packages cannot be loaded.",
  ORCS7014: "A request to the service is invalid. See docs/reference/wire.md.",
  ORCS7015:
    "Client and service have no version of the protocol in common. Use the client of the installed orcs.",
  ORCS7016:
    "The service does not know the call: its result was reported already, or its caller or the service has ended meanwhile. A client then dispatches tool.post_execute itself.",
  ORCS7017:
    "A limit of the service was reached: of connections, open calls, readers, time or the size of a line. No hook has run.",
  ORCS7018: "The service is ending. No hook has run: send the request to the next service.",
  ORCS7019:
    "There is no service for this folder, so nothing is allowed. Start one with orcs serve, in a folder whose configuration is trusted.",
  ORCS7022:
    "A hook uses a variable that the event does not carry, so it is not run. Over HTTP, an agent sends no environment: install the entries as commands. Another program sends env.",
  ORCS7023:
    "A module reads process.env: in a service, that is the environment of the service, not of the agent. List the variables in env of the module, and read them from the fourth argument.",
  ORCS7025:
    "A file that decides whether hooks run was changed during a call of a coding agent, and was put back. If the change was yours: orcs trust --accept. See docs/explanation/trust.md.",
  ORCS7026:
    "A file that decides whether hooks run was changed during a call of a coding agent and cannot be put back, so calls are denied. To accept the change: orcs trust --accept.",
  ORCS7027:
    "A file that decides whether hooks run was changed while a session was open. The session goes on with what was accepted before, and its calls are asked about until you run orcs trust --accept.",
  ORCS7028:
    "A question cannot be sent to hil.answer_url, or its key cannot be used. The other ways to answer stay open.",
  ORCS8001: "A discovered configuration is not trusted, so it is inactive. See orcs trust.",
  ORCS8002: "The trust store cannot be used, so nothing is trusted.",
  ORCS8003:
    "A configuration names a file outside its folder, which cannot be sealed. Move the file into the folder.",
  ORCS8005:
    "The audit log cannot be written. Operations that must be logged are denied until it can be written again.",
  ORCS8006: "The audit log cannot be read, or was changed. See orcs audit verify.",
  ORCS8010:
    "The sealed copy of the trusted configuration cannot be used, so everything that it guards is denied. Run orcs trust again, or orcs trust --user for your own configuration.",
  ORCS8011:
    "A program wants to remove or disable a hook that this machine enforces. Only the administrator can, in the configuration of the machine.",
  ORCS8007: "The file is not a record that can be replayed.",
  ORCS8008: "A record cannot be written, so recording has stopped.",
  ORCS9001: "The file is not a bundle, or is damaged. Build or fetch it again.",
  ORCS9002:
    "The bundle is not signed by a trusted key. Sign it with orcs bundle sign, or add the key to [bundle] keys.",
  ORCS9003:
    "The bundle is not valid at this time. Check the clock, or publish a revision with a later expiry.",
  ORCS9004:
    "The bundle is older than one that was active. Publish it again with a higher revision.",
  ORCS9005: "The folder cannot become a bundle.",
  ORCS9006: "A bundle cannot be fetched or published.",
  ORCS9007: "A key of bundles cannot be read or written.",
  ORCS9008: "The bundle needs a later version of orcs. Update orcs.",
  ORCS9200: "The address of the shared state is not valid, or its client library is not installed.",
  ORCS9201:
    "The shared state did not answer in time, or cannot be reached. What follows is set by on_store_error of the hook.",
  ORCS9202: "The shared state refused an operation, or answered in a form that is not valid.",
  ORCS9203:
    "A value in the shared state is too large, or is not what the operation needs. Delete the key, or correct it.",
  ORCS9300: "A package of hooks is not installed. Install it with your package manager.",
  ORCS9301: "The package.json of a package of hooks is not valid.",
  ORCS9302: "A package of hooks contains a file that orcs does not load.",
  ORCS9303: "A package of hooks needs a later version of orcs. Update orcs.",
  ORCS9304:
    "A package is not in orcs.lock, so its content was never accepted. Look at it with orcs package update --dry-run, then run orcs package update.",
  ORCS9305:
    "A file of a package differs from orcs.lock. Look at the difference with orcs package update --dry-run, then run orcs package update, or install the locked version again.",
  ORCS9306: "The file orcs.lock cannot be used. Run orcs package update, which writes it again.",
  ORCS9307:
    "A package cannot be added to orcs.toml or removed from it without touching other lines. Edit it yourself.",
  ORCS9308:
    "A package of hooks cannot be begun in a folder that has a package.json or an orcs.toml.",
  ORCS9309: "The files of a package cannot be listed by npm.",
  ORCS9310:
    "A script of a package of hooks would be run by npm at its installation. Remove the script from package.json.",
  ORCS9311:
    "A package of hooks needs a file that npm does not publish. Add it to files in package.json.",
  ORCS9312:
    "A package whose checks or tests fail is not accepted by orcs package update. Stay with the version that orcs.lock has, or use --force.",
  ORCS9313: "No tests are among the published files of a package of hooks.",
  ORCS9320:
    "The configuration of this machine is not used, because others than root could have written it, or because it cannot be read. All tool calls are denied until its owner and mode are repaired.",
  ORCS9322: "A refusal by a hook that this machine enforces cannot be allowed once.",
  ORCS9323: "Only root can change the settings that coding agents have for all users of a machine.",
  ORCS9324:
    "Settings for all users of a machine could be changed by others than root, or not be read by them. Repair owner and mode of the path.",
  ORCS9325:
    "The program that the coding agents of all users would start could be changed by others than root, or not be run by them. Install orcs and Node.js as root.",
  ORCS9330: "The audit log is not sent to its receiver. It is tried again.",
  ORCS9331:
    "The rotation removed lines of the audit log before they were sent. Raise keep_days and keep_mb of [audit], or repair the receiver.",
  ORCS9332:
    "How much of the audit log was sent cannot be stored. Lines may be sent again; the receiver recognises them.",
  ORCS9340: "A received line was changed after it was written.",
  ORCS9341: "Lines of an audit log are missing where they were received.",
  ORCS9342: "A received line does not belong to the audit log that it claims to be of.",
  ORCS9343: "Received lines are not in the order in which they were written.",
  ORCS9344: "The end of what a machine has sent is missing where it was received.",
  ORCS9345:
    "An audit log began again: it was removed on the machine, or two machines have the same id.",
  ORCS9346: "A received line is of another machine or log than the batch that contains it.",
  ORCS9347: "A received line cannot be read, or is not of orcs.",
  ORCS9348: "Lines are missing that a machine removed before it had sent them.",
  ORCS9349: "What a receiver has stored cannot be read.",
  ORCS9400: "No page of the documentation has this name, or more than one begins with it.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The error class of orcs: a stable code, a message, additional fields for programs, a cause. */
export class OrcsError extends Error {
  override readonly name = "OrcsError";
  readonly code: ErrorCode;
  /** Values in the message, for programs: `hook`, `reason`, `path`, … */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The errors and warnings, if there are several, each with its location. */
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

/** The message of an error without its code. */
export function bareMessage({ code, message }: Pick<OrcsError, "code" | "message">): string {
  return message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message;
}

/** Whether an error says that the shared state could not be used. */
export function isStoreError(thrown: unknown): boolean {
  return thrown instanceof OrcsError && thrown.code.startsWith("ORCS92");
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The result of a function; undefined when it throws, for whatever reason. */
export function orUndefined<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** The result of a function. What it throws becomes an error of orcs, unless it is one. */
export function orFail<T>(run: () => T, failure: (thrown: unknown) => OrcsError): T {
  try {
    return run();
  } catch (thrown) {
    throw thrown instanceof OrcsError ? thrown : failure(thrown);
  }
}

/** The stack of a thrown value, for a failure that is a bug. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    if (typeof message === "string") return message;
  } catch {
    // Reading the message throws too.
  }
  return "a value that is not an Error was thrown";
}
