import { HOST_NAMES } from "../../core/hosts.ts";
import type { UserFolders } from "../../host/config-directory.ts";
import { lostInstallations } from "../install/own-installation.ts";
import { lookAtSettings } from "./settings-look.ts";
import type { SettingsAround } from "./settings-look.ts";

/** Installations whose state is gone, by its folder. */
export interface LostEntries {
  readonly folders: UserFolders;
  readonly ids: readonly string[];
}

/** The installations that entries of any host name, that were made here, and that their state does not know. */
export async function lostEntries(around: SettingsAround): Promise<LostEntries[]> {
  const entries = HOST_NAMES.flatMap((host) =>
    lookAtSettings(host, around).flatMap((file) => file.entries),
  );
  const byState = new Map<string, { folders: UserFolders; ids: string[] }>();
  for (const { id, folders } of entries) {
    if (id === undefined || !folders) continue;
    const known = byState.get(folders.state) ?? { folders, ids: [] };
    byState.set(folders.state, { folders, ids: [...known.ids, id] });
  }
  const lost: LostEntries[] = [];
  for (const { folders, ids } of byState.values()) {
    const gone = await lostInstallations(ids, folders);
    if (gone.length > 0) lost.push({ folders, ids: gone });
  }
  return lost;
}
