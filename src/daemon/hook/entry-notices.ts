import {
  createFile,
  expectPrivateFolder,
  failedWith,
  makeFolder,
  runtimeFolder,
  sha256,
} from "../../machine/index.ts";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HostName } from "../../core/index.ts";
import { HOSTS, withNotice } from "../../formats/index.ts";
import type { HostAnswer } from "../../formats/index.ts";
import type { EventFields } from "./event-io.ts";

/** A notice of the entry itself, in addition to the results of hooks. */
export interface EntryNotice {
  /** Stays the same as long as the same thing is reported. */
  readonly key: string;
  readonly text: string;
}

/** A response with the notices that are due in its session. @param asked by whom, at which event of the agent */
export async function withEntryNotices(
  answer: HostAnswer,
  notices: readonly EntryNotice[],
  { host, name: event, session }: EventFields & { readonly host: HostName },
): Promise<HostAnswer> {
  if (event === undefined) return answer;
  const protocol = await HOSTS[host].load();
  const way = protocol.noticeAt(event);
  if (way === "none") return answer;
  const how = way === "stderr" ? "stderr" : "shown";
  const due = notices.filter(({ key }) => isDue(key, session, how));
  return due.reduce((extended, { text }) => withNotice(extended, way, text), answer);
}

/**
 * Whether a notice is due in a session; if so, it counts as reported from then on. A notice that was shown is not
 * printed to stderr; one that was only printed to stderr is still shown. Recorded beside the sockets, because the state
 * folder may be what is missing. If nothing can be recorded, it is reported each time.
 */
function isDue(key: string, session: string | undefined, how: "shown" | "stderr"): boolean {
  if (session === undefined || session === "") return true;
  const folder = join(runtimeFolder(), "notices");
  const file = (way: string): string => join(folder, sha256(`${way}\n${key}\n${session}`));
  try {
    makeFolder(folder);
    expectPrivateFolder(runtimeFolder());
    expectPrivateFolder(folder);
    if (how === "stderr" && statSync(file("shown"), { throwIfNoEntry: false })) return false;
    createFile(file(how), "");
  } catch (thrown) {
    return !failedWith(thrown, "EEXIST");
  }
  removeOld(folder);
  return true;
}

const KEPT_MS = 90 * 86_400_000;

function removeOld(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
    }
  } catch {
    // Another process has removed it.
  }
}
