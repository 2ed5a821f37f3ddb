/** A word as a shell reads it back: bare where it can be, else in single quotes. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The first word of a text as `shellWord` writes it, without its quotes; undefined when there is none. */
export function firstShellWord(text: string): string | undefined {
  const [word] = /^(?:'[^']*'|\\'|[^\s'"\\])+/.exec(text) ?? [];
  return word?.replaceAll(/'([^']*)'|\\'/g, (_, inside: string | undefined) => inside ?? "'");
}
