// Loaded by the process of every hook: node:crypto alone takes milliseconds, so it is loaded when it is needed.

/** SHA-256 as hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", content, "hex");
}

/** Whether a value is a SHA-256 as hexadecimal digits. */
export function isSha256(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** The digest of a secret: of equal length, so that comparing takes constant time. */
export function secretDigest(secret: string): Buffer {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(secret).digest();
}

/** Whether a text is the secret of a digest. */
export function isSecret(digest: Buffer, given: string): boolean {
  return process.getBuiltinModule("node:crypto").timingSafeEqual(digest, secretDigest(given));
}
