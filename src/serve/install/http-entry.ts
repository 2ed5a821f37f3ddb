import type { HostName } from "../../core/hosts.ts";
import type { JsonObject } from "../../core/json.ts";
import { SERVICE_ROUTES } from "../../core/verbs.ts";
import { HOST_SETTINGS, TOKEN_VARIABLE } from "./host-settings.ts";

/** What an entry says that is sent over HTTP, besides what a failure means. */
export function httpEntry(host: HostName, port: number, seconds: number): JsonObject {
  const path = `${SERVICE_ROUTES.hook.path}${host}`;
  return {
    type: "http",
    url: `http://127.0.0.1:${port}${path}?timeout=${seconds}`,
    headers: { Authorization: ["Bearer", `$${TOKEN_VARIABLE}`].join(" ") },
    allowedEnvVars: [TOKEN_VARIABLE],
    timeout: seconds * HOST_SETTINGS[host].perSecond,
  };
}

/** Whether events are sent there by an entry of ours. */
export function isOrcsUrl(url: string | undefined, host: HostName): boolean {
  if (url === undefined || HOST_SETTINGS[host].http === undefined) return false;
  const [, path] = /^http:\/\/127\.0\.0\.1:\d+(\/[^?#]*)\?timeout=\d+$/.exec(url) ?? [];
  return path === `${SERVICE_ROUTES.hook.path}${host}`;
}
