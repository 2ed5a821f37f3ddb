import { isReference } from "./innocent.ts";
import type { Spans } from "./spans.ts";

const SCHEME_END = "://";
/** A password with a `/` in it is against the rules and common: so far its `@` is looked for, in characters. */
const MAX_UNRULY = 256;

/** Finds the passwords in URLs: `scheme://user:password@host`. */
export function findUrlPasswords(text: string, spans: Spans): void {
  const authority = /[^\s/?#"'`<>\\]*/y;
  for (let at = text.indexOf(SCHEME_END); at >= 0;) {
    const from = at + SCHEME_END.length;
    authority.lastIndex = from;
    const found = authority.exec(text)?.[0] ?? "";
    const end = from + found.length;
    const password = passwordIn(text, from, end);
    if (password) spans.add(password.from, password.to);
    at = text.indexOf(SCHEME_END, Math.max(from, password?.to ?? end));
  }
}

function passwordIn(
  text: string,
  from: number,
  end: number,
): { from: number; to: number } | undefined {
  const authority = text.slice(from, end);
  // In brackets, it is a part of an address.
  const colon = authority.startsWith("[") ? -1 : authority.indexOf(":");
  let at = authority.lastIndexOf("@");
  // On the web, a path may have an `@`; where a database is, a password that nobody encoded is likelier.
  const isWeb = /^https?$/i.test(
    text.slice(Math.max(0, from - 8), from - 3).replace(/^.*[^a-z]/i, ""),
  );
  const port = authority.slice(colon + 1, colon + 8);
  if (colon >= 0 && (at < 0 ? !/^\d{0,5}$/.test(port) : !isWeb)) {
    const unruly = /^[^\s"'`<>\\]*/.exec(text.slice(from, end + MAX_UNRULY))?.[0] ?? "";
    at = unruly.lastIndexOf("@");
  }
  if (at < 0) return undefined;
  const password = { from: from + (colon >= 0 && colon < at ? colon + 1 : 0), to: from + at };
  const written = text.slice(password.from, password.to);
  if (written === "" || isReference(written)) return undefined;
  // Alone it is the name of a user, or a token in the place of one.
  if (password.from === from && !(written.length >= 20 && /[0-9]/.test(written))) return undefined;
  return password;
}
