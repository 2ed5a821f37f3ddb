import {
  type ArgKind,
  type ArgsOf,
  type ArgSpec,
  beginning,
  BUILTIN_TOOLS,
  codeOf,
  isPlainObject,
  type Json,
  type JsonObject,
  nearest,
  type ObjectTool,
  quotedBeginning,
  type ToolAnswer,
  type ToolCall,
  type ToolName,
} from "../../core/index.ts";

/** What a built-in tool knows of its call. */
export type BuiltinCall = Pick<ToolCall, "signal"> & Partial<Pick<ToolCall, "caller">>;

/** A tool that returns errors and never throws. */
export interface BuiltinTool<N extends ToolName = ToolName> extends ObjectTool {
  readonly name: N;
  run(args: JsonObject, call: BuiltinCall): Promise<ToolAnswer>;
}

/**
 * Define a tool of the table. Its arguments are checked before the body runs; whatever the body throws becomes the
 * result `{ ok: false, error: "<tool> <paths>: <reason>" }`.
 */
export function defineTool<N extends ToolName>(
  name: N,
  body: (args: ArgsOf<N>, call: BuiltinCall) => Promise<ToolAnswer>,
): BuiltinTool<N> {
  const { capability, args: specs, short } = BUILTIN_TOOLS[name];
  return {
    name,
    capability,
    mainArg: short[0],
    async run(args, call) {
      try {
        return await body(checkArgs(name, args), call);
      } catch (error) {
        return { ok: false, error: `${name}${pathsOf(args, specs)}: ${reasonOf(error)}` };
      }
    },
  };
}

/** The paths in the arguments, as given. */
function pathsOf(args: JsonObject, specs: Readonly<Record<string, ArgSpec>>): string {
  return Object.keys(specs)
    .filter((key) => specs[key]?.kind === "path" && Object.hasOwn(args, key))
    .map((key) => args[key])
    .filter((value) => typeof value === "string")
    .map((path) => ` ${quotedBeginning(path)}`)
    .join("");
}

/** Node's timers have 31 bits; a longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1;

/**
 * The arguments of a call, checked against the table; null counts as left out.
 * @throws Refusal naming the missing, unknown or wrongly typed argument
 */
function checkArgs<N extends ToolName>(tool: N, args: JsonObject): ArgsOf<N> {
  const specs: Readonly<Record<string, ArgSpec>> = BUILTIN_TOOLS[tool].args;
  const given = Object.entries(args).filter(([, value]) => value !== null);
  for (const [key, value] of given) {
    const spec = Object.hasOwn(specs, key) ? specs[key] : undefined;
    if (!spec) throw new Refusal(unknownArgument(key, Object.keys(specs)));
    const [expected] = KINDS[spec.kind].find(([, fits]) => !fits(value)) ?? [];
    if (expected !== undefined) {
      const why = `is ${beginning(JSON.stringify(value), 60)}; expected ${expected}`;
      throw new Refusal(`argument ${JSON.stringify(key)} ${why}`);
    }
  }
  const missing = Object.keys(specs).find(
    (key) => specs[key]?.required && !given.some(([name]) => name === key),
  );
  if (missing !== undefined) throw new Refusal(`argument ${JSON.stringify(missing)} is missing`);
  return Object.fromEntries(given) as ArgsOf<N>;
}

const isText = (value: Json): value is string => typeof value === "string" && value !== "";

/** What values of each kind are, and the words for it; the first row that does not hold counts. */
const KINDS: Readonly<Record<ArgKind, readonly (readonly [string, (value: Json) => boolean])[]>> = {
  string: [["a string", (value) => typeof value === "string"]],
  text: [["a non-empty string", isText]],
  path: [
    ["a path", isText],
    ["a path without NUL", (value) => isText(value) && !value.includes("\0")],
  ],
  milliseconds: [[`an integer number of milliseconds from 1 to ${MAX_MS}`, isMilliseconds]],
  flag: [["true or false", (value) => typeof value === "boolean"]],
  strings: [["an object whose values are strings", isStrings]],
};

function isMilliseconds(value: Json): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_MS;
}

function isStrings(value: Json): boolean {
  return isPlainObject(value) && Object.values(value).every((item) => typeof item === "string");
}

function unknownArgument(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  const hint =
    meant === undefined ? `known arguments: ${known.join(", ")}` : `did you mean ${meant}?`;
  return `unknown argument ${JSON.stringify(key)}; ${hint}`;
}

/** Why a tool cannot do its work; it becomes the error of the result. */
export class Refusal extends Error {}

/** The system's error codes in words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is exceeded",
  EEXIST: "it already exists",
  EFBIG: "the file would be too large",
  EINVAL: "the operating system rejects it as invalid",
  EIO: "disk I/O error",
  EISDIR: "it is a directory",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space is left on the disk",
  ENOTDIR: "a part of the path is not a directory",
  ENOTEMPTY: "the directory is not empty",
  ENXIO: "no such device",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ETXTBSY: "the program is running",
  EXDEV: "source and target are on different file systems",
};

/** The reason of a failure, in one line. */
export function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown);
  const reason = code === undefined ? undefined : REASONS[code];
  if (reason !== undefined) return reason;
  return thrown instanceof Error ? thrown.message : "a value that is not an Error was thrown";
}
