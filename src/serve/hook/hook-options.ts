import { HOST_NAMES } from "../../core/hosts.ts";
import type { HostName } from "../../core/hosts.ts";

/** What `orcs hook` was called with. */
export interface HookOptions {
  readonly host: HostName;
  /** File of the configuration, as it was written. */
  readonly config: string | undefined;
  /** Milliseconds after which the host goes on without an answer. */
  readonly timeoutMs: number | undefined;
  /** The file as it was written. */
  readonly record: { readonly file: string; readonly whole: boolean } | undefined;
}

/** Read the command line of `orcs hook`; a text is what is wrong with it. */
export function readHookOptions(args: readonly string[]): HookOptions | string {
  const found: Record<string, string> = {};
  for (let i = 0; i < args.length; i++) {
    const [name = "", inline] = (args[i] ?? "").split(/=(.*)/s);
    if (args[i] === WHOLE) {
      found[WHOLE] = "";
      continue;
    }
    if (!NAMES.includes(name)) return `unknown argument ${JSON.stringify(args[i])}`;
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
  const file = found["--record"];
  const whole = found[WHOLE] !== undefined;
  if (whole && file === undefined) return `${WHOLE} needs --record`;
  const record = file === undefined ? undefined : { file, whole };
  return { host, config: found["--config"], timeoutMs: seconds && seconds * 1000, record };
}

const NAMES: readonly string[] = ["--host", "--config", "--timeout", "--record"];
const WHOLE = "--record-whole";
const MAX_SECONDS = 86_400;
