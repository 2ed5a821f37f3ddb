// Loaded by the process of every hook: node:crypto alone takes milliseconds, so it is loaded when it is needed.

/** SHA-256 as hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
}
