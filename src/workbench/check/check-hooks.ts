import { existsSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import {
  codePath,
  diagnosticOf,
  HANDLER_KEYS,
  isCodeVariable,
  isPathInside,
  isTable,
  processLine,
  readerOfEnvironment,
  shownFile,
  unsealedModules,
  valueOf,
  writtenCommandCode,
  writtenHandlerCode,
} from "../../config/index.ts";
import type { Diagnostic, PointSet, PointSpec } from "../../core/index.ts";
import { realpath } from "../../machine/index.ts";
import type { SeenHook } from "../../engine/index.ts";
import { SESSION_VARIABLES } from "../../formats/index.ts";
import { leavesBackground } from "../../matching/index.ts";
import { configuredFacts, configuredPoint, writtenConditions } from "./check-scripts.ts";
import type { CheckedScripts } from "./check-scripts.ts";
import type { RawHook } from "./raw-layers.ts";

/** For each condition, the payload keys of which it reads one; without any of these keys it is false. */
const LOOKS_AT: Readonly<Record<string, readonly string[]>> = {
  tool: ["tool_name", "tool"],
  tool_regex: ["tool_name", "tool"],
  path: ["args"],
  command: ["args", "command"],
  runs: ["args", "command"],
  writes: ["args", "command"],
  removes: ["args", "command"],
  reads: ["args", "command"],
  connects: ["args", "command"],
  event: ["event"],
};

/** What a payload lacks for a condition, if not a tool. */
const SUBJECTS: Readonly<Record<string, string>> = {
  path: "no arguments",
  command: "no command",
  runs: "no command",
  writes: "no arguments",
  removes: "no arguments",
  reads: "no arguments",
  connects: "no arguments",
  event: "no event",
};

/**
 * Findings about a hook as a whole: conditions that are never true, denials that are ignored or come too late.
 * @param isOverHttp whether an agent of this user sends its events over HTTP
 */
export function checkHooks(
  hooks: readonly RawHook[],
  { ofHook }: CheckedScripts,
  points: PointSet,
  cwd: string,
  isOverHttp: boolean,
): Diagnostic[] {
  const checks = isOverHttp ? [...CHECKS, notSentOverHttp] : CHECKS;
  return hooks.flatMap((hook) => {
    const linted = ofHook.get(hook);
    const own = configuredPoint(hook.table, points);
    const seen = linted?.hooks ?? [];
    // All points of its script, if it has none of its own.
    const at = own ? [own] : seen.map(({ point }) => point);
    const file = hook.script === undefined ? undefined : shownFile(hook.script, cwd);
    const { isAsync } = configuredFacts(hook.table, points);
    const mayRefuse = linted?.mayRefuse === true;
    const looked = { ...hook, own, at, seen, mayRefuse, isAsync, file, cwd };
    return checks.flatMap((check) => check(looked));
  });
}

/** A hook's table, and what is known of it. */
interface LookedAt extends RawHook {
  /** The point that its table states. */
  readonly own: PointSpec | undefined;
  /** Its points; undefined for one that is not known. */
  readonly at: readonly (PointSpec | undefined)[];
  /** The hooks in its text. */
  readonly seen: readonly SeenHook[];
  /** Whether anything in its text denies an operation. */
  readonly mayRefuse: boolean;
  /** As its table states it. */
  readonly isAsync: boolean | undefined;
  /** Its script, as shown. */
  readonly file: string | undefined;
  readonly cwd: string;
}

const CHECKS: readonly ((hook: LookedAt) => Diagnostic[])[] = [
  impossibleConditions,
  ignoredDenials,
  unsealedCode,
  missingScripts,
  endedBackground,
  ofAnotherEnvironment,
  passedOverByScript,
  unawaited,
];

/** A warning about a key of a hook's table. */
function warning(
  { path, layer }: RawHook,
  key: readonly (string | number)[],
  found: Pick<Diagnostic, "code" | "message"> & { readonly hint?: string },
  at: "key" | "value" = "value",
): Diagnostic {
  const placed = { ...found, severity: "warning", path: [...path, ...key], at } as const;
  return diagnosticOf(placed, layer.source);
}

/** A command of orcs' own protocol that starts something in the background, without saying how long that may live. */
function endedBackground(hook: RawHook): Diagnostic[] {
  const shell = valueOf(hook.table, "shell");
  const command = isTable(shell) ? valueOf(shell, "command") : shell;
  if (typeof command !== "string") return [];
  if (isTable(shell)) {
    const protocol = valueOf(shell, "protocol") ?? "orcs";
    if (protocol !== "orcs" || valueOf(shell, "background_s") !== undefined) return [];
  }
  if (!leavesBackground(command)) return [];
  const message = "what this command starts in the background is ended together with it";
  const hint =
    "set background_s of shell to how long it may live, in seconds; 0 if it should end so";
  return [warning(hook, ["shell"], { code: "ORCS1023", message, hint })];
}

function impossibleConditions(hook: LookedAt): Diagnostic[] {
  const { at } = hook;
  return writtenConditions(hook.table).flatMap(({ key, path }) => {
    const keys = LOOKS_AT[key];
    const [first] = at;
    if (!keys || !first || !at.every((point) => point && lacks(point, keys))) return [];
    const subject = SUBJECTS[key] ?? "no tool";
    const message = `the hook never runs: the payload of ${first.name} has ${subject}, so match.${key} is always false`;
    return warning(hook, path, { code: "ORCS1109", message }, "key");
  });
}

/** A point without listed keys, or one for arbitrary events of an agent, can have any key. */
function lacks({ name, known }: PointSpec, keys: readonly string[]): boolean {
  if (known.size === 0 || name.startsWith("host.")) return false;
  return !keys.some((key) => known.has(key));
}

/** `on_error = "open"` on a hook that can deny, set in the configuration. */
function ignoredDenials(hook: LookedAt): Diagnostic[] {
  const { table, at, isAsync, mayRefuse } = hook;
  if (isAsync === true || !at.some((point) => point?.phase === "pre")) return [];
  const outside = HANDLER_KEYS.some(
    (key) => key !== "script" && key !== "handler_inline" && valueOf(table, key) !== undefined,
  );
  if (!outside && !mayRefuse) return [];
  return ["on_error", "on_timeout"].flatMap((key) =>
    valueOf(table, key) === "open"
      ? warning(hook, [key], { code: "ORCS1110", message: PASSED_OVER })
      : [],
  );
}

const PASSED_OVER = "this hook can deny, but the operation passes when the hook fails";

/** The same, set in the script. */
function passedOverByScript({ table, own, seen, mayRefuse, file }: LookedAt): Diagnostic[] {
  if (valueOf(table, "on_error") !== undefined || !mayRefuse || file === undefined) return [];
  return seen.flatMap(({ point, openAt }) => {
    if (!openAt || (own ?? point)?.phase !== "pre") return [];
    const { line, column, length } = openAt;
    const place = { file, line, column };
    return { code: "ORCS1110", severity: "warning", message: PASSED_OVER, place, length } as const;
  });
}

/** A command or module that can deny, and whose code cannot be sealed. */
function unsealedCode(hook: LookedAt): Diagnostic[] {
  const { table, layer, own } = hook;
  // The user's own and those of the machine run as they are.
  if (layer.layer.isOwn || valueOf(table, "unsealed") === true) return [];
  if (own?.phase !== "pre") return [];
  const { codeDir } = layer.layer;
  const written = writtenCode(hook);
  if (!written) return [];
  const { key, text, code } = written;
  const isModule = code === undefined;
  const [file = ""] = text.split("#");
  const words = isModule
    ? unsealedModules(codePath(layer.layer, file), realpath(codeDir))
    : [...code.unsealed, ...codeVariablesOf(valueOf(table, key))];
  return words.map((word) => {
    const isInFolder = isAbsolute(word) && isPathInside(codeDir, word);
    const script = isInFolder ? relative(codeDir, word) : "check.sh";
    const hint = isModule
      ? "import it by a literal relative path, or set unsealed = true"
      : `run a script in the folder of the configuration, ${isInFolder ? "" : "such as "}"$ORCS_DIR/${script}", or set unsealed = true`;
    const message = `orcs trust cannot seal ${JSON.stringify(word)}: it may be a different program at each run`;
    return warning(hook, [key], { code: "ORCS1112", message, hint });
  });
}

/** Scripts of a command that are not there: each call would fail, and a call that waits for it is denied. */
function missingScripts(hook: LookedAt): Diagnostic[] {
  const { key = "shell", code } = writtenCode(hook) ?? {};
  const missing = (code?.files ?? []).filter((file) => !existsSync(file));
  return missing.map((file) => {
    const message = `${shownFile(file, hook.cwd)} was not found`;
    return warning(hook, [key], { code: "ORCS1009", message });
  });
}

/** The code that a hook's table names for a program; `code` is undefined for a module, which imports others. */
function writtenCode({ table, layer: { layer } }: RawHook) {
  const key = ["shell", "handler", "module"].find((name) => valueOf(table, name) !== undefined);
  if (key === undefined) return undefined;
  const value = valueOf(table, key);
  const text = commandText(value, layer.codeDir);
  if (text === undefined) return undefined;
  if (key === "module") return { key, text, code: undefined };
  const code =
    key === "handler" && !isTable(value)
      ? writtenHandlerCode({ handler: text, type: table["type"] }, layer.codeDir, (path) =>
          codePath(layer, path),
        )
      : writtenCommandCode(text, layer.codeDir);
  return { key, text, code };
}

/** A module that reads the variables of its process: of the service, where there is one. */
function ofAnotherEnvironment(hook: LookedAt): Diagnostic[] {
  const { table, layer, cwd } = hook;
  const written = commandText(valueOf(table, "module"), layer.layer.codeDir);
  if (written === undefined) return [];
  const [file = ""] = written.split("#");
  const reader = readerOfEnvironment(codePath(layer.layer, file));
  if (reader === undefined) return [];
  const message = `${shownFile(reader, cwd)} reads process.env: in a service, that is not the environment of the agent`;
  const hint = `write module = { function = ${JSON.stringify(written)}, env = ["NAME"] }, and read the fourth argument`;
  return [warning(hook, ["module"], { code: "ORCS7023", message, hint })];
}

/** A hook that reads variables which an event over HTTP does not carry. */
function notSentOverHttp(hook: RawHook): Diagnostic[] {
  return ["shell", "webhook", "module", "handler"].flatMap((key) => {
    const value = valueOf(hook.table, key);
    if (!isTable(value)) return [];
    const names = [value["env"], value["allow_env"]]
      .flatMap((list) => (Array.isArray(list) ? list.map(String) : []))
      .filter((name) => !SESSION_VARIABLES.includes(name));
    if (names.length === 0) return [];
    const message = `over HTTP, an event does not carry ${names.join(", ")}, so what this hook would decide is denied`;
    const hint = "send events with commands: orcs install --transport command";
    return warning(hook, [key], { code: "ORCS7022", message, hint });
  });
}

/** A command or a function as it is written, or the process of a handler that lives on as a command. */
function commandText(value: unknown, codeDir: string): string | undefined {
  const table = isTable(value) ? value : { command: value };
  const { process, function: name, command = name } = table;
  if (typeof command === "string") return command;
  const isArgv = Array.isArray(process) && process.every((word) => typeof word === "string");
  return isArgv ? processLine(process, codeDir) : undefined;
}

/** Variables in a command's `env` that make programs load code. */
function codeVariablesOf(shell: unknown): string[] {
  const env = isTable(shell) ? shell["env"] : undefined;
  return Array.isArray(env) ? env.filter((name) => isCodeVariable(String(name))).map(String) : [];
}

/** `async = true` at a pre point, without a declaration that the hook only observes. */
function unawaited(hook: LookedAt): Diagnostic[] {
  const { table, own, seen, file } = hook;
  const observes = valueOf(table, "observe");
  const isTried = ["audit", "warn"].includes(String(valueOf(table, "mode")));
  const isGuard = (each: Pick<SeenHook, "point" | "observes">): boolean =>
    (own ?? each.point)?.phase === "pre" && (observes ?? each.observes) !== true && !isTried;
  const key = ["async", "async_execution"].find((name) => valueOf(table, name) !== undefined);
  if (key !== undefined) {
    // The table's values apply to all hooks of its script.
    const guards = seen.length > 0 ? seen.some(isGuard) : isGuard(NOT_SEEN);
    if (valueOf(table, key) !== true || !guards) return [];
    return [warning(hook, [key], UNAWAITED)];
  }
  if (file === undefined) return [];
  return seen.flatMap((each) => {
    if (!each.asyncAt || !isGuard(each)) return [];
    const { line, column, length } = each.asyncAt;
    const { code, message, hint } = UNAWAITED;
    return { code, severity: "warning", message, hint, place: { file, line, column }, length };
  });
}

const NOT_SEEN = { point: undefined, observes: false };
const UNAWAITED = {
  code: "ORCS1110",
  message: "an async hook cannot deny: its result is ignored",
  hint: 'remove async, or set observe = true if the hook only observes; to try it out, mode = "audit"',
} as const;
