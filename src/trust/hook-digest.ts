import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Handler } from "../config/hook-entry.ts";
import type { LuaChunk } from "../lua/ports.ts";

/** SHA-256 of a piece of Lua that was loaded, as hexadecimal digits. */
export function chunkDigest(chunk: LuaChunk | undefined): string | undefined {
  return chunk && sha256(chunk.code);
}

/** SHA-256 of a handler outside of Lua: of a module its file, of others what the configuration says. */
export function handlerDigest(handler: Handler): string | undefined {
  if (handler.kind !== "module") return sha256(JSON.stringify(handler));
  try {
    return sha256(readFileSync(handler.file));
  } catch {
    return undefined;
  }
}

/** SHA-256 as hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
