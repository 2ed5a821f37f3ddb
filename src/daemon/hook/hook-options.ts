import { isAbsolute } from "node:path";
import { HOST_NAMES } from "../../core/index.ts";
import type { HostName } from "../../core/index.ts";
import type { UserFolders } from "../../machine/index.ts";

/** The options of `orcs hook`. */
export interface HookOptions {
  readonly host: HostName;
  /** File of the configuration, as written. */
  readonly config: string | undefined;
  /** The agent's time limit in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** The part of it that had passed when the process was started, in milliseconds. */
  readonly spentMs: number;
  /** The file as written. */
  readonly record: { readonly file: string; readonly whole: boolean } | undefined;
  /** The user's folders in a user's entry, which override the environment. */
  readonly folders: UserFolders | undefined;
  /** Digest of the sealed copy that stands for the file of the configuration. */
  readonly seal: string | undefined;
  /** The installation of a user's entry. */
  readonly id: string | undefined;
  /** Whether tool calls are denied in folders whose configuration was never trusted. */
  readonly strict: boolean;
  /** Whether the other events of its session are sent over HTTP. */
  readonly http: boolean;
  /** How bin/orcs-hook lost a service that may have run the hooks. */
  readonly lost: LostService | undefined;
  /**
   * Whether the process was not started by the agent: it has the variables that were recorded at the session's start.
   */
  readonly carried: boolean;
}

/** Parse the command line of `orcs hook`; a text is its error. */
export function readHookOptions(args: readonly string[]): HookOptions | string {
  const found: Record<string, string> = {};
  for (let i = 0; i < args.length; i++) {
    const [name = "", inline] = (args[i] ?? "").split(/=(.*)/s);
    if (FLAGS.includes(args[i] ?? "")) {
      found[name] = "";
      continue;
    }
    if (!VALUE_OPTIONS.includes(name)) {
      const isHost = HOST_NAMES.some((known) => known === name);
      return `unknown argument ${JSON.stringify(args[i])}${isHost ? `: use --host ${name}` : ""}`;
    }
    const value = inline ?? args[++i];
    if (value === undefined) return `${name} needs a value`;
    found[name] = value;
  }
  const host = HOST_NAMES.find((known) => known === found["--host"]);
  if (host === undefined) return `--host must be one of ${HOST_NAMES.join(", ")}`;
  const seconds = found["--timeout"] === undefined ? undefined : Number(found["--timeout"]);
  if (seconds !== undefined && !(seconds > 0 && seconds <= MAX_SECONDS)) {
    return "--timeout must be a number of seconds";
  }
  const spent = Number(found["--spent"] ?? 0);
  if (!(spent >= 0)) return "--spent must be a number of seconds";
  const file = found["--record"];
  const whole = found[RECORD_WHOLE] !== undefined;
  if (whole && file === undefined) return `${RECORD_WHOLE} needs --record`;
  const record = file === undefined ? undefined : { file, whole };
  const folders = foldersOf(found);
  if (typeof folders === "string") return folders;
  const lost = LOST.find((how) => how === found["--lost"]);
  if (lost !== found["--lost"]) return `--lost must be one of ${LOST.join(", ")}`;
  const id = found["--id"];
  if (found["--seal"] !== undefined && found["--config"] === undefined) {
    return "--seal needs --config";
  }
  if (id !== undefined && folders === undefined) return "--id needs --config-dir and --state-dir";
  return {
    host,
    config: found["--config"],
    seal: found["--seal"],
    timeoutMs: seconds && seconds * 1000,
    spentMs: spent * 1000,
    record,
    folders,
    id,
    strict: found[STRICT] !== undefined,
    http: found[HTTP] !== undefined,
    lost,
    carried: found[CARRIED] !== undefined,
  };
}

const LOST = ["gone", "late"] as const;
/** It ended without a response, or did not respond in time. */
export type LostService = (typeof LOST)[number];

/** Both or none: with one folder in the entry, the other would come from the environment. */
function foldersOf(found: Readonly<Record<string, string>>): UserFolders | string | undefined {
  const { "--config-dir": config, "--state-dir": state } = found;
  if (config === undefined && state === undefined) return undefined;
  if (config === undefined || state === undefined) return "--config-dir needs --state-dir";
  return isAbsolute(config) && isAbsolute(state)
    ? { config, state }
    : "--config-dir and --state-dir must be absolute paths";
}

const VALUE_OPTIONS: readonly string[] = [
  "--host",
  "--config",
  "--timeout",
  "--spent",
  "--record",
  "--config-dir",
  "--state-dir",
  "--id",
  "--seal",
  "--lost",
];
const RECORD_WHOLE = "--record-whole";
const STRICT = "--strict";
const HTTP = "--http";
const CARRIED = "--carried";
const FLAGS: readonly string[] = [RECORD_WHOLE, STRICT, HTTP, CARRIED];
const MAX_SECONDS = 86_400;
