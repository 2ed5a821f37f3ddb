import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostName } from "../../core/hosts.ts";
import type { HostAnswer } from "../../protocols/host-protocol.ts";
import { withNotice } from "../../protocols/host-protocol.ts";
import { HOSTS } from "../../protocols/hosts.ts";
import { expectPrivateFolder, runtimeFolder } from "../address.ts";

/** What an entry itself has to say, beside the hooks that it asks. */
export interface EntryNotice {
  /** The same for as long as it is the same thing that is told. */
  readonly key: string;
  readonly text: string;
}

/** An event that notices may be told with. */
interface NoticeEvent {
  readonly host: HostName;
  /** The host's name of the event. */
  readonly event: string | undefined;
  readonly session: string | undefined;
}

/** An answer with what its session was not told yet. */
export async function withEntryNotices(
  answer: HostAnswer,
  notices: readonly EntryNotice[],
  { host, event, session }: NoticeEvent,
): Promise<HostAnswer> {
  if (event === undefined) return answer;
  const protocol = await HOSTS[host].load();
  const way = protocol.noticeAt(event);
  if (way === "none") return answer;
  const how = way === "stderr" ? "stderr" : "shown";
  const due = notices.filter(({ key }) => isDue(key, session, how));
  return due.reduce((told, { text }) => withNotice(told, way, text), answer);
}

/**
 * Whether a session is still to be told something; it counts as told from then on. What was shown need not be on
 * stderr; what was on stderr is still to be shown. Kept beside the sockets, for the folder of state may be what is
 * missing. Where nothing can be kept it is told each time.
 */
function isDue(key: string, session: string | undefined, how: "shown" | "stderr"): boolean {
  if (session === undefined || session === "") return true;
  const folder = join(runtimeFolder(), "notices");
  const file = (way: string): string =>
    join(folder, createHash("sha256").update(`${way}\n${key}\n${session}`).digest("hex"));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    expectPrivateFolder(runtimeFolder());
    expectPrivateFolder(folder);
    if (how === "stderr" && statSync(file("shown"), { throwIfNoEntry: false })) return false;
    writeFileSync(file(how), "", { flag: "wx", mode: 0o600 });
  } catch (thrown) {
    return !(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST");
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
