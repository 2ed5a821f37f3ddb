import { OrcsError } from "../../../core/errors.ts";

/** The address of a shared state, as it may be printed: without its password. */
export function shownStoreUrl(url: string): string {
  try {
    const { protocol, username, password, host, pathname } = new URL(url);
    const user = password === "" ? username : `${username}:***`;
    return `${protocol}//${user === "" ? "" : `${user}@`}${host}${pathname}`;
  } catch {
    return "an invalid URL";
  }
}

/** Whether a text is an address of a shared state. */
export function isStoreUrl(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return (protocol === "redis:" || protocol === "rediss:") && hostname !== "";
  } catch {
    return false;
  }
}

/** @throws OrcsError ORCS9200 */
export function expectStoreUrl(url: string): void {
  if (isStoreUrl(url)) return;
  const why = `state.url must be redis://… or rediss://…, not ${shownStoreUrl(url)}`;
  throw new OrcsError("ORCS9200", why);
}
