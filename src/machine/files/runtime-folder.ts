import { lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OrcsError } from "../../core/index.ts";
import { absolute } from "./user-folders.ts";

// Loaded by the process of every hook: it must stay light.

/** Maximum length of a Unix socket's path. */
const MAX_SOCKET = 103;

/** The folder for sockets, which may not exist. */
export function runtimeFolder(): string {
  const uid = process.getuid?.() ?? 0;
  const given = absolute("XDG_RUNTIME_DIR");
  const candidates = [
    given && join(given, "orcs"),
    join(tmpdir(), `orcs-${uid}`),
    `/tmp/orcs-${uid}`,
  ];
  const fits = (path: string): boolean => `${path}/0123456789abcdef.sock`.length <= MAX_SOCKET;
  return candidates.find((path) => path !== undefined && fits(path)) ?? `/tmp/orcs-${uid}`;
}

/**
 * The owner of the folder could put a socket of their own there, and answer in our place.
 * @throws OrcsError ORCS7006
 */
export function expectPrivateFolder(folder: string): void {
  const uid = process.getuid?.() ?? 0;
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    const why = `${folder} must be a folder that belongs to you and that nobody else can access`;
    throw new OrcsError("ORCS7006", why, { path: folder });
  }
}
