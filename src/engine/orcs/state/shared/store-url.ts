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
