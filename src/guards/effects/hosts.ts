/** `host`, `user@host:port`, `https://host/path`; `host:path` of git and scp. */
const ADDRESS = /^(?:[a-z][\w+.-]*:\/\/)?(?:[^/?#@\s]*@)?(\[[^\]]*\]|[^/?#:\s]+)(:\d+(?![^/?#]))?/i;
/** The host of an address, with its port if there is one; undefined if it is not known. */
export function hostOf(address: string): string | undefined {
  const [, host, port = ""] = ADDRESS.exec(address) ?? [];
  return host === undefined || /[$`{}…]/.test(host + port) ? undefined : host + port;
}
