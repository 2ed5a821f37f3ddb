import type { HostName } from "../../core/hosts.ts";
import { getOwn, isPlainObject } from "../../core/json.ts";

/** A hook that a host sends to a URL, as a handler here. */
export interface ImportedWebhook {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allow_env?: readonly string[];
  readonly allow_hosts?: readonly string[];
}

/** Hosts that are not on the public internet: they have to be allowed here. */
const PRIVATE =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[)|^[^.]+$|\.(?:local|internal|localhost)$/;

/** A text is why it cannot be one. */
export function importedWebhook(
  entry: Readonly<Record<string, unknown>>,
): ImportedWebhook | string {
  const { url, headers, allowedEnvVars } = entry;
  if (typeof url !== "string" || !URL.canParse(url)) return "its url is none";
  if (url.includes("${")) return "its url would be filled in from the environment here";
  const { hostname, host } = new URL(url);
  const names: readonly unknown[] = Array.isArray(allowedEnvVars) ? allowedEnvVars : [];
  const used = new Set<string>();
  const filled = isPlainObject(headers)
    ? Object.entries(headers).map(([name, value]) => [name, inBraces(String(value), names, used)])
    : [];
  return {
    url,
    ...(filled.length > 0 && { headers: Object.fromEntries(filled) as Record<string, string> }),
    ...(used.size > 0 && { allow_env: [...used] }),
    ...(PRIVATE.test(hostname) && { allow_hosts: [host] }),
  };
}

/** `$NAME` is written `${NAME}` here; a variable that is not listed is nothing there. */
function inBraces(value: string, names: readonly unknown[], used: Set<string>): string {
  return value.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    if (!names.includes(name)) return "";
    used.add(name);
    return `\${${name}}`;
  });
}

/** Whether it is the service of orcs that a host asks there. */
export function isOrcsService(entry: Readonly<Record<string, unknown>>, host: HostName): boolean {
  const url = getOwn(entry, "url");
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const { hostname, pathname } = new URL(url);
  return hostname === "127.0.0.1" && pathname === `/hooks/${host}`;
}
