import { resolve } from "node:path";
import { ANY_FILE, fileBytes, replaceFile } from "../machine/index.ts";
import {
  BUNDLE_LIMITS,
  bundleBytes,
  contentOf,
  openBundle,
  privateKey,
  publicKey,
  signHeader,
  splitBundle,
  withSignature,
} from "../fleet/index.ts";
import type { BundleContent, PublicKey, UncheckedBundle } from "../fleet/index.ts";
import { type ErrorCode, messageOf, OrcsError } from "../core/index.ts";

/** The bytes of a bundle. @throws OrcsError ORCS9001 */
export function bundleIn(file: string): Buffer {
  return readOr(file, "ORCS9001", BUNDLE_LIMITS.file);
}

/** A bundle and its content, whoever signed it. @throws OrcsError ORCS9001 */
export function contentIn(file: string): BundleContent & Pick<UncheckedBundle, "signatures"> {
  const split = splitBundle(bundleIn(file));
  return { ...contentOf(split), signatures: split.signatures };
}

/** Add a signature to a bundle. @returns the id of the key. @throws OrcsError ORCS9001, ORCS9007, ORCS5002 */
export function signFile(file: string, keyFile: string, out: string): string {
  const split = splitBundle(bundleIn(file));
  // A damaged one is not signed.
  contentOf(split);
  const pem = readOr(keyFile, "ORCS9007", MAX_KEY_BYTES).toString("latin1");
  const signature = signHeader(split.header, privateKey(pem, keyFile));
  writeOut(out, bundleBytes(withSignature(split, signature)));
  return signature.key;
}

/** Public keys: as in `[bundle] keys`, or in a file with one. @throws OrcsError ORCS9007 */
export function publicKeys(given: readonly string[]): PublicKey[] {
  return given.map((text) => {
    if (text.startsWith("ed25519:")) return publicKey(text);
    return publicKey(readOr(text, "ORCS9007", MAX_KEY_BYTES).toString("latin1").trim());
  });
}

/** The verified content of a bundle file. @throws OrcsError ORCS9001, ORCS9002 */
export function verifiedFile(file: string, keys: readonly PublicKey[]) {
  return openBundle(bundleIn(file), keys);
}

export const MAX_KEY_BYTES = 10_000;

/** A file that must be readable. @throws OrcsError with the code */
export function readOr(file: string, code: ErrorCode, most: number): Buffer {
  try {
    return fileBytes(resolve(file), most);
  } catch (thrown) {
    throw new OrcsError(code, `${file} cannot be read: ${messageOf(thrown)}`, { file });
  }
}

/**
 * Write a file in one step: it is complete, or as it was before.
 * @param how `mode` for the permissions of a new file; `isNew` expects that there is none
 * @throws OrcsError ORCS5002
 */
export function writeOut(
  file: string,
  bytes: Uint8Array | string,
  how: { readonly mode?: number; readonly isNew?: true } = {},
): void {
  try {
    replaceFile(resolve(file), bytes, {
      mode: how.mode ?? ANY_FILE,
      isNew: how.isNew,
      isDurable: true,
    });
  } catch (thrown) {
    throw new OrcsError("ORCS5002", `${file} cannot be written: ${messageOf(thrown)}`, { file });
  }
}
