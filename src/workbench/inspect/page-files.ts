import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { messageOf, OrcsError } from "../../core/index.ts";

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** Compressed. */
  readonly gzip: Buffer;
}

/** Where `npm run build` puts the page. */
const BUILT = fileURLToPath(new URL("../../ui/", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * The files of the page, by their path. Only what is in the folder now can be asked for: no path of a request leads
 * anywhere else.
 * @throws OrcsError ORCS5002 when the page was not built
 */
export function pageFiles(folder: string = BUILT): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  try {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      const body = readFileSync(join(folder, name));
      const path = name === "index.html" ? "/" : `/${name.replaceAll("\\", "/")}`;
      files.set(path, { type, body, gzip: gzipSync(body) });
    }
  } catch (thrown) {
    throw new OrcsError("ORCS5002", `the page is not there: ${messageOf(thrown)}`, {
      path: folder,
    });
  }
  if (files.has("/")) return files;
  throw new OrcsError("ORCS5002", `${folder} has no index.html`, { path: folder });
}
