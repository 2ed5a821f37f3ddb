import { basename, resolve } from "node:path";
import { buildBundle, type BundleHeader, collectFiles } from "../fleet/index.ts";
import { OrcsError } from "../core/index.ts";
import { ownVersion, realpath } from "../machine/index.ts";
import type { BuildFlags } from "./bundle.ts";
import { type BundleProof, isProven, proveBundle } from "./bundle-proof.ts";
import { writeOut } from "./bundle-files.ts";
import { withoutComments } from "../engine/index.ts";

/** A built bundle. */
export interface Built {
  /** Undefined when it was not written, because of its proof. */
  readonly header: BundleHeader | undefined;
  /** Size of the file. */
  readonly size: number;
  readonly proof: BundleProof;
}

/**
 * Check and test a folder, and write its bundle.
 * @throws OrcsError ORCS9005, ORCS1015, ORCS5002
 */
export async function buildFolder(dir: string, flags: BuildFlags): Promise<Built> {
  const collected = [...(await collectFiles(resolve(dir)))];
  const files = new Map(collected.map(([path, bytes]) => [path, shipped(path, bytes)]));
  const { name = basename(realpath(resolve(dir))), revision, expires, notBefore, mode } = flags;
  const version = ownVersion();
  const stated = {
    name,
    revision,
    not_before: time(notBefore, "--not-before"),
    expires: time(expires, "--expires"),
    created_by: version,
    requires: flags.requires ?? version,
    mode: mode ?? "enforce",
  };
  // Mistakes in the options first: tests may take a while.
  const { bytes, header } = buildBundle(stated, files);
  const proof = await proveBundle(files);
  if (!isProven(proof)) return { header: undefined, size: 0, proof };
  writeOut(flags.out, bytes);
  return { header, size: bytes.length, proof };
}

/** Comments would be a third of a bundle. What is tested and signed has none. */
function shipped(path: string, bytes: Uint8Array): Uint8Array {
  if (!path.endsWith(".lua")) return bytes;
  // Byte by byte: Lua has no encoding.
  return Buffer.from(withoutComments(Buffer.from(bytes).toString("latin1")), "latin1");
}

/** A date, or a time in UTC, in the form of a header. */
function time(text: string | undefined, option: string): string | null {
  if (text === undefined) return null;
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) && !Number.isNaN(at.getTime())) {
    return at.toISOString().replace(".000Z", "Z");
  }
  const why = `${option} ${text} is neither a date such as 2026-12-31 nor a time such as 2026-12-31T18:00Z`;
  throw new OrcsError("ORCS5001", why);
}
