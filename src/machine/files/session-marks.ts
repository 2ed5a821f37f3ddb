import { sha256 } from "./sha256.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { userStateDir } from "./user-folders.ts";

/** A session without events for this long has ended, even without a report; in milliseconds. */
export const OPEN_MS = 86_400_000;

/** The files while which exist processes may live that the hooks of a session have left in the background. */
export function sessionMarks(session: string): string {
  const name = sha256(session).slice(0, 32);
  return join(userStateDir(), "background", name);
}

/** End what the hooks of a session have left in the background, within seconds. */
export function endSessionMarks(session: string): void {
  rmSync(sessionMarks(session), { recursive: true, force: true });
}
