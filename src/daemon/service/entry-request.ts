import { realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { numbersOf, stringifyExact, traceContext, traceHeadersIn } from "../../core/index.ts";
import type { Environment, TraceContext } from "../../core/index.ts";
import { OWN_LAUNCHER, userFolders } from "../../machine/index.ts";
import type { HostAnswer } from "../../formats/index.ts";
import { configPlace } from "../../config/index.ts";
import { projectDirectory, serviceKey } from "../address.ts";
import { type HookOptions, readHookOptions } from "../hook/hook-options.ts";
import { installationStatus } from "../../agents/index.ts";
import { carriedEnvironment, type EntryCall } from "../service-protocol.ts";

/** The first line of bin/orcs-hook: a different one is another version. */
const GREETING = "orcs-hook 2";
/** A request of bin/orcs-hook. */
interface LauncherRequest extends EntryCall {
  /** The path of the launcher that was started. */
  readonly at: string;
  /** The process that started it. */
  readonly parent: number | undefined;
  /** Its time limit, in milliseconds. */
  readonly withinMs: number;
}

/** An entry whose event this service may answer. */
export type AcceptedEntry = Pick<HookOptions, "host" | "strict"> & {
  readonly trace: TraceContext | undefined;
  readonly environment: Environment;
};

/**
 * As `entryRequest`, for the header of bin/orcs-hook.
 * @param key of the service, from `serviceKey`
 */
export async function launcherRequest(
  about: string,
  key: string,
): Promise<(AcceptedEntry & Pick<LauncherRequest, "withinMs" | "parent">) | string> {
  const launcher = readLauncher(about);
  if (typeof launcher === "string") return launcher;
  const { at, cwd, parent, withinMs } = launcher;
  const started = realPathOf(resolve(cwd, at));
  if (started === undefined || started !== realPathOf(OWN_LAUNCHER))
    return `${at} belongs to another version of orcs`;
  const asked = await entryRequest(launcher, key);
  return typeof asked === "string" ? asked : { ...asked, parent, withinMs };
}

/**
 * Whether a service may answer an entry in place of `orcs hook`: exactly when `orcs hook` would ask this service and
 * add nothing to the response. A text is the reason why not.
 * @param key of the service, from `serviceKey`
 */
export async function entryRequest(
  { cwd, env: carried, umask, args }: EntryCall,
  key: string,
): Promise<AcceptedEntry | string> {
  const directory = realPathOf(cwd);
  if (directory === undefined) return `${cwd} is gone`;
  const options = readHookOptions(args);
  if (typeof options === "string") return options;
  const { host, config, seal, record, folders, id, strict } = options;
  if (record) return "it is recorded";
  if (options.http) return "its session has to be registered";
  const here = userFolders();
  const env = Object.fromEntries(
    Object.entries(carried).filter((each): each is [string, string] => each[1] !== null),
  );
  const theirs = folders ?? userFolders({ env, home: env["HOME"] ?? "" });
  if (theirs.config !== here.config || theirs.state !== here.state) {
    return "the user's folders differ";
  }
  if (id !== undefined && (await installationStatus(id, here)) !== "installed")
    return "it is not installed";
  const from =
    config !== undefined && isAbsolute(config) ? "/" : projectDirectory(host, env, directory);
  const place = configPlace(from, config, seal);
  if (serviceKey(place, env) !== key) return "it belongs to another configuration";
  if (place.nearer !== undefined) return `${place.nearer} is not trusted`;
  const trace = traceContext(traceHeadersIn(env));
  return { host, strict, trace, environment: carriedEnvironment(carried, umask) };
}

/** The response for bin/orcs-hook: the exit code, a line of stdout, the lines of stderr, and an end line. */
export function entryAnswer(
  { output, message, notice, code }: HostAnswer,
  numbers?: ReturnType<typeof numbersOf>,
): string {
  const stderrLines = [message, notice].flatMap((text) => text?.split("\n") ?? []);
  const lines = [
    `orcs ${code}`,
    ...(output === undefined ? [] : [`=${stringifyExact(output, numbers)}`]),
    // A shell drops NUL bytes.
    ...stderrLines.map((line) => `>${line.replaceAll("\0", "")}`),
    ".",
  ];
  return `${lines.join("\n")}\n`;
}

function readLauncher(about: string): LauncherRequest | string {
  const [greeting, ...lines] = about.split("\n");
  if (greeting !== GREETING) return "it is from another version";
  const fields: Record<string, string> = {};
  const env: Record<string, string | null> = {};
  const args: string[] = [];
  for (const line of lines) {
    const [, name = "", value = ""] = /^(\w+) (.*)$/s.exec(line) ?? [];
    const [, variable = "", text = null] = /^([^=]+)(?:=(.*))?$/s.exec(value) ?? [];
    if (name === "arg") args.push(value);
    else if (name === "env") env[variable] = text;
    else fields[name] = value;
  }
  const { at = "", cwd = "", parent = "", within = "", umask = "" } = fields;
  const isWhole = isAbsolute(cwd) && at !== "" && Number(within) > 0 && /^[0-7]+$/.test(umask);
  if (!isWhole) return "it is incomplete";
  const started = /^\d+$/.test(parent) ? Number(parent) : undefined;
  const withinMs = Number(within) * 1000;
  return { at, cwd, env, umask: parseInt(umask, 8), args, parent: started, withinMs };
}

/** Undefined when it does not exist or is not accessible. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
