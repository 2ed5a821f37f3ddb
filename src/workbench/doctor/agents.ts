import { constants } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { orUndefined } from "../../core/index.ts";
import { SETTINGS_VARIABLES } from "../../formats/index.ts";
import { isFileFor, runProcess } from "../../machine/index.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment in which an agent started from a menu or by another program runs its hooks. */
export interface AgentEnvironment {
  /** The session's variables of this process, with the `PATH` of a login. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's login shell, absolute. */
  readonly shell: string;
}

/**
 * The environment of a login: the variables of this process that belong to the session, and the `PATH` that the user's
 * shell sets at login, without entries that version managers add for terminals only.
 */
export async function agentEnvironment(env: Variables): Promise<AgentEnvironment> {
  const ownShell = orUndefined(() => userInfo().shell) ?? undefined;
  const shell = [env["SHELL"], ownShell].find(isProgram) ?? "/bin/sh";
  const kept = Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] =>
        pair[1] !== undefined &&
        (SESSION_VARIABLES.test(pair[0]) || SETTINGS_VARIABLES.includes(pair[0])),
    ),
  );
  const path = await loginPath(shell, { ...kept, PATH: DEFAULT_PATH });
  return { env: { ...kept, PATH: path }, shell };
}

const SESSION_VARIABLES =
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|ORCS_\w+|\w+_(?:proxy|PROXY))$/;
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Folders that nvm, volta, asdf, fnm, mise, nodenv and n put on the `PATH` of an interactive shell. */
const SHIMS =
  /[/\\](?:\.?nvm|\.volta|\.asdf|\.?fnm|fnm_multishells|mise|rtx|\.nodenv|\.nodebrew|\.n)[/\\]|[/\\]node_modules[/\\]\.bin$/;
const LOGIN_MS = 5000;

async function loginPath(shell: string, env: Record<string, string>): Promise<string> {
  const result = await runProcess({
    file: shell,
    args: ["-lc", 'printf "\\n%s" "$PATH"'],
    cwd: "/",
    env,
    timeoutMs: LOGIN_MS,
    maxOutputBytes: 2 ** 16,
  });
  // The output of profiles precedes it.
  const path =
    result.kind === "exited" && result.code === 0
      ? Buffer.from(result.stdout).toString("utf8").split("\n").at(-1)
      : undefined;
  const folders = (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const usual = folders.filter((folder) => !SHIMS.test(`${folder}/`) && !SHIMS.test(folder));
  return usual.length > 0 ? usual.join(delimiter) : DEFAULT_PATH;
}

function isProgram(file: string | undefined): file is string {
  if (file === undefined || !isAbsolute(file) || /nologin$|\/false$/.test(file)) return false;
  return isFileFor(file, constants.X_OK);
}
