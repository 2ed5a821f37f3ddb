import { join } from "node:path";
import { MACHINE_STATE, PROJECT_STATE, type Settings } from "../../../../config/index.ts";
import type { Clock, LocalStateStore, Logger, SharedStateStore } from "../../../../core/index.ts";
import { fileState } from "../file-state.ts";
import { memoryState } from "../memory-state.ts";

/** What the shared state of an engine is opened with. */
interface SharedStateNeeds {
  /** The state of this machine. */
  readonly own: LocalStateStore;
  /** Where files of the state are kept; undefined: in memory. */
  readonly stateDir: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OpenedSharedState {
  readonly state: SharedStateStore;
  /** Whether the server can be used. @returns why it cannot */
  reach(withinMs: number): Promise<string | undefined>;
  close(): void;
}

export type SharedStateOpener = (needs: SharedStateNeeds) => OpenedSharedState;

/**
 * Loads what a shared state needs, only if one is configured.
 * @throws OrcsError ORCS9200 when its client library is not installed
 */
export async function sharedStateOpener({
  state: { url, ca_file, prefix },
}: Settings): Promise<SharedStateOpener | undefined> {
  if (url === undefined) return undefined;
  const { SharedState } = await import("./shared-state.ts");
  const { loadStoreClient } = await import("./store-link.ts");
  const { pendingInFile, pendingInMemory } = await import("./pending-counts.ts");
  const Client = await loadStoreClient();
  return ({ own, stateDir, clock, logger }) => {
    const file = stateDir ? fileState(join(stateDir, "stand-in-state.jsonl"), logger) : undefined;
    const shared = new SharedState({
      url,
      caFile: ca_file,
      prefix,
      Client,
      logger,
      local: own,
      isLocal: staysHere,
      standIn: file ?? { ...memoryState(clock), clear: () => undefined },
      pending: stateDir ? pendingInFile(stateDir) : pendingInMemory(),
    });
    const close = (): void => {
      shared.close();
      file?.close();
    };
    return { state: shared.state, reach: (withinMs) => shared.reach(withinMs), close };
  };
}

/**
 * Keys that are never shared: those of a discovered project's hooks, which have no business in the state of a fleet,
 * and the command lines that `orcs rules allow` reads on this machine.
 */
function staysHere(key: string): boolean {
  const own = key.startsWith(MACHINE_STATE) ? key.slice(MACHINE_STATE.length) : key;
  return key.startsWith(PROJECT_STATE) || own.startsWith("allow:");
}
