import type { Json } from "../core/json.ts";

/** Keeps what components want to begin with next time. */
export interface SnapshotStore {
  /**
   * What a component saved last; undefined when there is none. One that does not parse or is of another
   * version is set aside (renamed, never overwritten), told to the log, and counts as none.
   * @param component `namespace::name` or `namespace::name#instance`
   * @throws OrcsError ORCS6013 when it cannot be read; it must not be saved over then
   */
  load(component: string): Promise<Json | undefined>;
  /** Whole or not at all; of two at a time the later one stays. */
  save(component: string, snapshot: Json): Promise<void>;
}
