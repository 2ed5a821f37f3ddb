import type { HostName } from "../../core/hosts.ts";
import { HOST_SETTINGS } from "../install/settings-places.ts";
import { SENT_VARIABLES } from "../service/entry-request.ts";

/** Variables that say where the folders are in which services have their sockets, and where programs are. */
const OTHERS = ["XDG_RUNTIME_DIR", "TMPDIR", "PATH"];

/** The variables that decide which hooks a session has. */
export function decidingVariables(): string[] {
  const settings = Object.values(HOST_SETTINGS).flatMap(({ variable }) => variable ?? []);
  return [...SENT_VARIABLES, ...settings];
}

/** Those, and what else its entries are run with. */
export function sessionVariables(): string[] {
  return [...decidingVariables(), ...OTHERS];
}

/** Those that are set in this process. */
export function ownSessionVariables(): Record<string, string> {
  const own = sessionVariables().flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(own);
}

const PROXIES = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
const EXCEPTIONS = ["no_proxy", "NO_PROXY"];

/**
 * The variable by which a host would send its events to a proxy in the place of this machine: that could answer them, and
 * would be told the token. Undefined where there is none, or 127.0.0.1 is excepted by name.
 */
export function proxyInTheWay(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const said = EXCEPTIONS.flatMap((name) => (env[name] ? [env[name]] : []));
  // Which of the two counts, each client decides for itself.
  const isExcepted =
    said.length > 0 &&
    said.every((list) => list.split(/[\s,]+/).some((host) => host === "127.0.0.1" || host === "*"));
  return isExcepted ? undefined : PROXIES.find((name) => (env[name] ?? "") !== "");
}

/** What to do about it. */
export function proxyText(variable: string, host: HostName): string {
  return (
    `${variable} sends what the agent asks over HTTP to a proxy, which could answer in the place of the hooks: put ` +
    `127.0.0.1 into NO_PROXY where ${variable} is set, or use commands: orcs install --host ${host} --transport command`
  );
}
