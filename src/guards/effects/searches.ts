import type { EffectCall } from "./command-effects.ts";
import { base } from "./copies.ts";
import { HERE } from "./effect-list.ts";

/** What grep, rg, ag and ack take in: named files, or all below a folder, of which they show what matches. */
export function search({ command, args, found, byRole }: EffectCall): void {
  const name = command.program.toLowerCase();
  const { meanings, parts, operands } = args;
  if (meanings.has("quiet")) return byRole(parts, { shows: "nothing" });
  const patterns = parts.filter(({ role }) => role === "pattern");
  const isFixed = meanings.has("fixed") || name === "fgrep";
  const isWide =
    meanings.has("all") || patterns.some(({ text, known }) => known && isAnyLine(text, isFixed));
  const only = parts.filter(({ role }) => role === "only");
  const chosen = only.filter(({ text }) => !text.startsWith("!"));
  const except = [
    ...parts.flatMap(({ role, text }) => (role === "omits" ? [text] : [])),
    ...only.flatMap(({ text }) => (text.startsWith("!") ? [text.slice(1)] : [])),
  ];
  const walks = !name.includes("grep") || meanings.has("recursive");
  // rg and ag leave out hidden files, unless told not to.
  const levels = args.options.filter(({ row }) => row?.meaning === "unrestricted").length;
  const isHidden = meanings.has("hidden") || levels > 1;
  if (!isHidden && ["rg", "ripgrep", "ag"].includes(name)) except.push(".*");
  const files = parts.filter(({ role }) => role === "scans");
  const isFed = command.from.length > 0 || command.redirects.some(({ op }) => op.startsWith("<"));
  if (walks && files.length === 0 && operands.length <= 1 && !(isFed && !meanings.has("recursive")))
    files.push({ ...HERE, role: "scans" });
  byRole(parts.filter(({ role }) => role === "reads"));
  const shows = isWide && !meanings.has("chosen") ? undefined : "part";
  const leaves = except.length > 0 ? { except } : {};
  for (const file of files) {
    if (walks && chosen.length > 0)
      for (const { text } of chosen) {
        const below = { ...file, text: `${file.text}/**/${base(text)}` };
        found.file("read", below, { shows: "part", ...leaves });
      }
    else
      found.file("read", file, {
        ...(walks && { recursive: true }),
        ...leaves,
        ...(shows && { shows }),
      });
  }
}

/**
 * Whether any line matches a regular expression, or each that assigns something: what remains without classes,
 * quantifiers and anchors is nothing or "=".
 */
export function isAnyLine(pattern: string, isFixed = false): boolean {
  if (isFixed) return pattern === "" || pattern === "=";
  return pattern
    .replaceAll("\\|", "|")
    .split("|")
    .some((branch) => {
      const rest = branch
        .replace(/\\[wWsSbBdD<>]/g, "")
        .replace(/\[\^?\]?[^\]]*\]/g, ".")
        .replace(/\\?\{[\d,]*\\?\}/g, "")
        .replace(/\w\\?[*?]/g, "");
      const isBlank = branch.replace(/\\s[*+]?|\[\[:space:\]\][*+]?/g, "") === "^$";
      return !isBlank && !/[^.*+?^$()\\=:\s"'-]/.test(rest);
    });
}
