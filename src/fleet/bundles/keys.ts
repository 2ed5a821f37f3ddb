import { sha256 } from "../../machine/index.ts";
import type { KeyObject } from "node:crypto";
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { messageOf, OrcsError } from "../../core/index.ts";

/** A key that bundles may be signed with. */
export interface PublicKey {
  /** The first 16 hexadecimal digits of the SHA-256 of the key. */
  readonly id: string;
  /** As in `[bundle] keys`: `ed25519:` and the 32 bytes of the key in base64. */
  readonly text: string;
  readonly key: KeyObject;
}

/** A signature of a bundle. */
export interface BundleSignature {
  /** Id of the key. */
  readonly key: string;
  /** Base64. */
  readonly sig: string;
}

const PREFIX = "ed25519:";
/** What is in front of the 32 bytes of an Ed25519 key in SPKI (RFC 8410). */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
/** Nothing else that a key signs begins like this, so no other signature is one of a bundle. */
const DOMAIN = "orcs-bundle-signature 1\n";

/** A new key: the private one as PEM (PKCS #8), and the public one. */
export function generateKey(): { readonly pem: string; readonly key: PublicKey } {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { pem, key: publicKeyOf(privateKey) };
}

/** A private key in the text of a file. @throws OrcsError ORCS9007 */
export function privateKey(pem: string, file: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== "ed25519")
      throw new Error(`it is a key for ${key.asymmetricKeyType}`);
    return key;
  } catch (thrown) {
    const why = `${file} is not a private key of orcs bundle keygen: ${messageOf(thrown)}`;
    throw new OrcsError("ORCS9007", why, { file });
  }
}

/** The public key of a private one. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  return publicKey(PREFIX + spki.subarray(SPKI.length).toString("base64"));
}

/** A public key as in `[bundle] keys`. @throws OrcsError ORCS9007 */
export function publicKey(text: string): PublicKey {
  const bytes = bytesOf(text);
  if (!bytes) {
    const why = `${JSON.stringify(text.slice(0, 100))} is not a key: it must be ed25519: and 44 characters of base64`;
    throw new OrcsError("ORCS9007", why);
  }
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: "der", type: "spki" });
  const id = sha256(bytes).slice(0, 16);
  return { id, text, key };
}

function bytesOf(text: string): Buffer | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const bytes = Buffer.from(text.slice(PREFIX.length), "base64");
  return bytes.length === 32 && PREFIX + bytes.toString("base64") === text ? bytes : undefined;
}

/** Sign the header of a bundle. */
export function signHeader(header: Uint8Array, key: KeyObject): BundleSignature {
  return {
    key: publicKeyOf(key).id,
    sig: sign(null, statement(header), key).toString("base64"),
  };
}

/**
 * The trusted keys that signed a header, at least one.
 * Signatures by keys that nobody trusts here are skipped, so that a bundle can be signed for machines with the old and
 * with the new key. One that names a trusted key and is not by it makes the bundle invalid.
 * @throws OrcsError ORCS9002
 */
export function signersOf(
  header: Uint8Array,
  signatures: readonly BundleSignature[],
  keys: readonly PublicKey[],
): readonly PublicKey[] {
  const signers: PublicKey[] = [];
  for (const { key: id, sig } of signatures) {
    const known = keys.find((key) => key.id === id);
    if (!known) continue;
    if (!verify(null, statement(header), known.key, Buffer.from(sig, "base64"))) {
      throw new OrcsError("ORCS9002", `the signature by the key ${id} is not valid`, { key: id });
    }
    signers.push(known);
  }
  if (signers.length > 0) return signers;
  const by = signatures.map(({ key }) => key).join(", ");
  const why =
    signatures.length === 0
      ? "the bundle is not signed"
      : `the bundle is signed by ${by}, and trusted are ${keys.map(({ id }) => id).join(", ") || "no keys"}`;
  throw new OrcsError("ORCS9002", why);
}

function statement(header: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(DOMAIN), header]);
}
