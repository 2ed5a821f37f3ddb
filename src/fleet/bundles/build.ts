import { gzipSync } from "fflate";
import { OrcsError } from "../../core/index.ts";
import { bundleBytes, unsignedBundle } from "./bundle-file.ts";
import { sha256 } from "../../machine/index.ts";
import { listProblem } from "./file-names.ts";
import { type BundleHeader, type BundleStatement, statementProblem } from "./header.ts";
import { BUNDLE_LIMITS } from "./limits.ts";

/**
 * The bytes of a bundle without signatures: the same for the same files and statements, wherever and whenever it is
 * built.
 * @throws OrcsError ORCS9005
 */
export function buildBundle(
  stated: BundleStatement,
  content: ReadonlyMap<string, Uint8Array>,
): { readonly bytes: Buffer; readonly header: BundleHeader } {
  const sorted = [...content].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = sorted.map(([path, bytes]) => ({
    path,
    size: bytes.length,
    sha256: sha256(bytes),
  }));
  const large = files.find(({ size }) => size > BUNDLE_LIMITS.oneFile);
  const expanded = files.reduce((sum, { size }) => sum + size, 0);
  const problem =
    statementProblem(stated) ??
    (large && `${large.path} is larger than ${BUNDLE_LIMITS.oneFile} bytes`) ??
    (expanded > BUNDLE_LIMITS.expanded
      ? `its files have more than ${BUNDLE_LIMITS.expanded} bytes`
      : undefined) ??
    listProblem(files.map(({ path }) => path));
  if (problem !== undefined) throw refused(problem);
  // Node's own zlib makes other bytes of the same content on another processor or in another version; this one is
  // JavaScript, so a bundle is the same wherever it is built.
  const joined = Buffer.concat(sorted.map(([, bytes]) => bytes));
  const compressed = gzipSync(joined, { level: 9, mem: 12, mtime: 0 });
  const payload = { size: compressed.length, sha256: sha256(compressed) };
  const header = { ...stated, payload, files };
  const bytes = bundleBytes(unsignedBundle(header, compressed));
  if (bytes.length > BUNDLE_LIMITS.file) {
    throw refused(`it would have ${bytes.length} bytes; the limit is ${BUNDLE_LIMITS.file}`);
  }
  return { bytes, header };
}

function refused(why: string): OrcsError {
  return new OrcsError("ORCS9005", `the bundle cannot be built: ${why}`);
}
