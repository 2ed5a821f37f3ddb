/** Whether a text is an address, not a file: `https://example.com/x`. */
export function isAddress(text: string): boolean {
  return text.includes("://") && /^\s*[a-z][\w+.-]*:\/\//i.test(text) && !/^\s*file:/i.test(text);
}

/**
 * The host of an address or of `user@host:path`, with its port if one is given; undefined if there is none, or if it is
 * a pattern.
 */
export function hostOf(address: string): string | undefined {
  const bare = address.trim().replace(/^[a-z][\w+.-]*:\/\//i, "");
  const [authority = ""] = bare.split(/[/?#\\]/, 1);
  const host = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  const [, name, port] = /^(\[[\da-f:.]+\]|[^:]*)(?::(\d+))?/.exec(host) ?? [];
  if (name === undefined || name === "" || /[$`*?{}\s]/.test(name)) return undefined;
  return port === undefined ? name : `${name}:${port}`;
}
