import { openApiDocument, wireJsonSchema } from "../../src/daemon/wire/wire-schema.ts";
import { KEY_DOCS } from "./key-docs.ts";
import { configJsonSchema, documentedPaths } from "./config-json-schema.ts";
import { pluginFiles } from "./plugins.ts";
import { keyDocPages } from "./key-doc-pages.ts";
import { withLinks } from "./links.ts";
import { errorsPage, hookPointsPage, PARTS, withParts } from "./rendered.ts";

/** A file as the tables of the code make it. */
export interface GeneratedFile {
  /** In the checkout. */
  readonly path: string;
  readonly text: string;
}

/**
 * Every file that is made from tables of the code.
 * @param read the text of a file of the checkout
 * @param pages paths of the README and everything in docs/
 * @throws Error where a table lacks a line, or a page a part
 */
export function generatedFiles(
  read: (path: string) => string,
  pages: readonly string[],
): GeneratedFile[] {
  const files = new Map<string, string>([
    ["docs/reference/hook-points.md", hookPointsPage()],
    ["docs/reference/errors.md", errorsPage()],
    ["schema/orcs-wire.schema.json", `${JSON.stringify(wireJsonSchema(), undefined, 2)}\n`],
    ["schema/orcs-wire.openapi.json", `${JSON.stringify(openApiDocument(), undefined, 2)}\n`],
    ["schema/orcs.schema.json", `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`],
    ...pluginFiles(JSON.parse(read("package.json")) as Parameters<typeof pluginFiles>[0]),
  ]);
  const keyDocs = keyDocPages(read);
  for (const { path, made } of keyDocs) files.set(path, made);
  requireSame("lines of the table of keys", Object.keys(KEY_DOCS), documentedPaths());
  requireSame(
    "keys in the tables of the docs",
    keyDocs.flatMap(({ paths }) => paths),
    keysInTables(),
  );
  const parts = new Set<string>();
  for (const path of pages) {
    const text = files.get(path) ?? read(path);
    for (const [, name = ""] of text.matchAll(/<!-- made: ([\w-]+) -->/g)) parts.add(name);
    if (text.includes("<!-- made: ")) files.set(path, withParts(text));
  }
  requireSame("generated parts of pages", [...parts], Object.keys(PARTS));
  return [...files].map(([path, text]) =>
    path.endsWith(".md") ? { path, text: withLinks(text, path, pages) } : { path, text },
  );
}

/** What is said of a table as a whole stands above it, in more words; tests have a page of their own. */
function keysInTables(): string[] {
  const documented = Object.keys(KEY_DOCS);
  return documented.filter(
    (path) =>
      !documented.some((other) => other.startsWith(`${path}.`)) &&
      !/^(?:tests|event|expect|calls)\./.test(path),
  );
}

function requireSame(what: string, found: readonly string[], expected: readonly string[]): void {
  const missing = expected.filter((each) => !found.includes(each));
  const extra = found.filter((each) => !expected.includes(each));
  if (missing.length + extra.length === 0) return;
  throw new Error(
    `${what}: missing ${missing.join(", ") || "none"}; unknown ${extra.join(", ") || "none"}`,
  );
}
