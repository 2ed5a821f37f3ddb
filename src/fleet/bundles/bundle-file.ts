import { bufferOf, sha256 } from "../../machine/index.ts";
import { isUtf8 } from "node:buffer";
import { gunzipSync } from "node:zlib";
import { isPlainObject, jsonOr, messageOf, OrcsError, orFail } from "../../core/index.ts";
import { type BundleHeader, headerText, parseHeader } from "./header.ts";
import { type BundleSignature, type PublicKey, signersOf } from "./keys.ts";
import { BUNDLE_LIMITS } from "./limits.ts";

/**
 * A bundle is one file:
 *
 * 1. the line `orcs-bundle 1`
 * 2. the header: one line of JSON in canonical form (`header.ts`)
 * 3. the signatures of the header: one line of JSON, `[{"key":"…","sig":"…"}]`, sorted by key
 * 4. the content of all files in the order of the header, one after another, compressed by gzip
 *
 * The header has the size and SHA-256 of part 4 and of each file, so a signature of the header covers everything but
 * the signatures. Signatures are checked before the header is parsed, and everything before something is decompressed.
 */
const MAGIC = "orcs-bundle 1\n";
const NEWLINE = 10;
const ID = /^[0-9a-f]{16}$/;

/** A bundle whose content was not compared with its header, nor its signatures with anything. */
export interface UncheckedBundle {
  /** The bytes of the header, as they are signed. */
  readonly header: Uint8Array;
  readonly signatures: readonly BundleSignature[];
  /** Compressed. */
  readonly payload: Uint8Array;
}

/** The content of a bundle. */
export interface BundleContent {
  readonly header: BundleHeader;
  /** By name, sorted. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A bundle by trusted keys. */
export interface VerifiedBundle extends BundleContent {
  readonly signers: readonly PublicKey[];
}

/** The bytes of a bundle. */
export function bundleBytes({ header, signatures, payload }: UncheckedBundle): Buffer {
  const line = `\n${signaturesText(signatures)}\n`;
  return Buffer.concat([Buffer.from(MAGIC), header, Buffer.from(line), payload]);
}

/** Take a bundle apart, within the limits of its parts. @throws OrcsError ORCS9001 */
export function splitBundle(bytes: Uint8Array): UncheckedBundle {
  if (bytes.length > BUNDLE_LIMITS.file) {
    throw damaged(`it has ${bytes.length} bytes; the limit is ${BUNDLE_LIMITS.file}`);
  }
  const buffer = bufferOf(bytes);
  if (buffer.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw damaged("it does not begin with the line orcs-bundle 1");
  }
  const headerEnd = lineEnd(buffer, MAGIC.length, BUNDLE_LIMITS.header, "header");
  const signaturesEnd = lineEnd(buffer, headerEnd + 1, BUNDLE_LIMITS.signatures, "signatures");
  return {
    header: buffer.subarray(MAGIC.length, headerEnd),
    signatures: parseSignatures(buffer.toString("latin1", headerEnd + 1, signaturesEnd)),
    payload: buffer.subarray(signaturesEnd + 1),
  };
}

function lineEnd(bytes: Buffer, from: number, most: number, what: string): number {
  const length = bytes.subarray(from, from + most + 1).indexOf(NEWLINE);
  if (length < 0) throw damaged(`its ${what} has no end within ${most} bytes`);
  return from + length;
}

/**
 * The content of a bundle that one of these keys signed.
 * @throws OrcsError ORCS9001, ORCS9002
 */
export function openBundle(bytes: Uint8Array, keys: readonly PublicKey[]): VerifiedBundle {
  const split = splitBundle(bytes);
  // Nothing of it is used before: a parser and a decompressor see only what somebody trusted has signed.
  const signers = signersOf(split.header, split.signatures, keys);
  return { ...contentOf(split), signers };
}

/** The content of a bundle, whoever signed it. @throws OrcsError ORCS9001 */
export function contentOf({ header: bytes, payload }: UncheckedBundle): BundleContent {
  const header = readHeader(bytes);
  if (payload.length !== header.payload.size) {
    throw damaged(`its content has ${payload.length} bytes instead of ${header.payload.size}`);
  }
  if (sha256(payload) !== header.payload.sha256) throw damaged("its content was changed");
  const expanded = header.files.reduce((sum, { size }) => sum + size, 0);
  const content = orFail(
    // One byte more than needed: a longer content is an error instead of a cut one.
    () => gunzipSync(payload, { maxOutputLength: expanded + 1 }),
    (thrown) => damaged(`its content cannot be decompressed: ${messageOf(thrown)}`),
  );
  if (content.length !== expanded) {
    throw damaged(`its files have ${content.length} bytes instead of ${expanded}`);
  }
  const files = new Map<string, Uint8Array>();
  let at = 0;
  for (const { path, size, sha256: hash } of header.files) {
    const file = content.subarray(at, (at += size));
    if (sha256(file) !== hash) throw damaged(`${path} differs from its SHA-256`);
    files.set(path, file);
  }
  return { header, files };
}

/** The header of a bundle. @throws OrcsError ORCS9001 */
export function readHeader(bytes: Uint8Array): BundleHeader {
  if (!isUtf8(bytes)) throw damaged("its header is not UTF-8");
  return orFail(
    () => parseHeader(Buffer.from(bytes).toString("utf8")),
    (thrown) => damaged(messageOf(thrown)),
  );
}

/** A bundle without signatures. @param payload the compressed content */
export function unsignedBundle(header: BundleHeader, payload: Uint8Array): UncheckedBundle {
  return { header: Buffer.from(headerText(header)), signatures: [], payload };
}

/** The bundle with one more signature, or another one by the same key. @throws OrcsError ORCS9001 */
export function withSignature(bundle: UncheckedBundle, added: BundleSignature): UncheckedBundle {
  const others = bundle.signatures.filter(({ key }) => key !== added.key);
  if (others.length >= BUNDLE_LIMITS.signers) {
    throw damaged(`it would have more than ${BUNDLE_LIMITS.signers} signatures`);
  }
  const signatures = [...others, added].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { ...bundle, signatures };
}

function signaturesText(signatures: readonly BundleSignature[]): string {
  return JSON.stringify(signatures.map(({ key, sig }) => ({ key, sig })));
}

function parseSignatures(text: string): readonly BundleSignature[] {
  const read = jsonOr(text);
  if (read === undefined) throw damaged("its signatures are not JSON");
  if (!Array.isArray(read) || !read.every(isSignature))
    throw damaged("its signatures are not valid");
  if (read.length > BUNDLE_LIMITS.signers) {
    throw damaged(`it has more than ${BUNDLE_LIMITS.signers} signatures`);
  }
  if (read.some(({ key }, i) => i > 0 && key <= (read[i - 1]?.key ?? ""))) {
    throw damaged("its signatures are not sorted by key, or two are by the same key");
  }
  if (signaturesText(read) !== text) throw damaged("its signatures are not in canonical form");
  return read;
}

function isSignature(value: unknown): value is BundleSignature {
  if (!isPlainObject(value)) return false;
  const { key, sig } = value;
  if (typeof key !== "string" || !ID.test(key) || typeof sig !== "string") return false;
  const bytes = Buffer.from(sig, "base64");
  return bytes.length === 64 && bytes.toString("base64") === sig;
}

function damaged(why: string): OrcsError {
  return new OrcsError("ORCS9001", `the bundle cannot be used: ${why}`);
}
