import type { HostName } from "../../core/hosts.ts";

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
