import { KEY_DOCS } from "./key-docs.ts";

/** A page whose tables of keys end with what `KEY_DOCS` says of each. */
interface KeyDocPage {
  readonly path: string;
  /** As it should be. */
  readonly made: string;
  /** The keys in it. */
  readonly paths: readonly string[];
}

/** The pages with tables of keys. */
export function keyDocPages(read: (path: string) => string): KeyDocPage[] {
  return Object.entries(PREFIXES).map(([path, prefixOf]) => keyDocPage(path, read(path), prefixOf));
}

/** Under which path the keys of a table stand, by the headings above it; undefined when it has none. */
type PrefixOf = (chapter: string, section: string) => string | undefined;

const PREFIXES: Readonly<Record<string, PrefixOf>> = {
  "docs/reference/configuration.md": (chapter, section) => {
    if (chapter === "Settings") return /^\w+$/.test(section) ? `${section}.` : "";
    if (chapter === "Agents") return "";
    if (chapter === "Packages") return "packages.";
    if (chapter !== "Hooks") return undefined;
    return section === "" ? "hooks." : section === "match" ? "match." : undefined;
  },
  "docs/reference/handlers.md": (chapter, section) => {
    const known = section === "" && ["shell", "webhook", "module", "handler"].includes(chapter);
    return known ? `${chapter}.` : undefined;
  },
};

function keyDocPage(path: string, text: string, prefixOf: PrefixOf): KeyDocPage {
  let chapter = "";
  let section = "";
  const paths: string[] = [];
  const lines = text.split("\n").map((line) => {
    const [, level, heading = ""] = /^(##|###) (.*)$/.exec(line) ?? [];
    if (level === "##") [chapter, section] = [heading, ""];
    else if (level === "###") section = heading;
    const [, key] = /^\| `([^`]+)`/.exec(line) ?? [];
    const prefix = prefixOf(chapter, section);
    if (key === undefined || prefix === undefined) return line;
    const known = `${prefix}${key}`.replace("agents.NAME", "agents");
    paths.push(known);
    return withLastCell(line, KEY_DOCS[known] ?? "no line in scripts/generate/key-docs.ts");
  });
  return { path, made: lines.join("\n"), paths };
}

function withLastCell(row: string, text: string): string {
  const cells = row.slice(2, -2).split(/ (?<!\\)\| /);
  return `| ${[...cells.slice(0, -1), text.replaceAll("|", "\\|")].join(" | ")} |`;
}
