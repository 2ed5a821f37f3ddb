import { join } from "node:path";
import type { BundleContent } from "../fleet/index.ts";
import { CONFIG_NAME } from "../config/index.ts";
import { createFiles, inTemporaryFolder, realpath } from "../machine/index.ts";
import type { ReplaySummary, SetOptions } from "../workbench/index.ts";
import { contentIn } from "./bundle-files.ts";
import { EXIT } from "./options.ts";
import { printEither } from "./output.ts";
import { printFlips } from "./replay-both.ts";
import { renderTable } from "./table.ts";

/** A file that differs. */
interface FileDifference {
  readonly path: string;
  readonly is: "new" | "gone" | "changed";
}

/**
 * Show how two bundles differ, and which decisions of recorded events the second one would change.
 * @returns the exit code
 */
export async function diffBundles(
  from: string,
  to: string,
  { replay: record, json = false }: { readonly replay?: string; readonly json?: boolean },
): Promise<number> {
  const [old, next] = [contentIn(from), contentIn(to)];
  const files = fileDifferences(old, next);
  const side = ({ header: { name, revision, mode } }: BundleContent) => ({ name, revision, mode });
  printEither(json, { from: side(old), to: side(next), files }, () => {
    const rows = files.map(({ path, is }) => [path, is]);
    const title = `${old.header.name} ${old.header.revision} → ${next.header.name} ${next.header.revision}`;
    return rows.length > 0 ? renderTable([title, ""], rows) : `${title}: the same files`;
  });
  const summary = record === undefined ? undefined : await flips(old, next, record, json);
  return files.length > 0 || (summary?.differ ?? 0) > 0 ? EXIT.findings : EXIT.fine;
}

function fileDifferences(from: BundleContent, to: BundleContent): FileDifference[] {
  const hashes = ({ header: { files } }: BundleContent) =>
    new Map(files.map(({ path, sha256 }) => [path, sha256]));
  const [was, is] = [hashes(from), hashes(to)];
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((path): FileDifference[] => {
    if (was.get(path) === is.get(path)) return [];
    if (!was.has(path)) return [{ path, is: "new" }];
    return [{ path, is: is.has(path) ? "changed" : "gone" }];
  });
}

/** The events that the two bundles decide differently. */
function flips(
  from: BundleContent,
  to: BundleContent,
  record: string,
  json: boolean,
): Promise<ReplaySummary> {
  return inTemporaryFolder("orcs-diff-", async (folder) => {
    const set = ({ files }: BundleContent, name: string): SetOptions => {
      const cwd = join(realpath(folder), name);
      createFiles(cwd, files);
      return { config: join(cwd, CONFIG_NAME), cwd };
    };
    return printFlips({ record, set: set(to, "new"), against: set(from, "old") }, json);
  });
}
