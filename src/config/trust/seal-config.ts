import { basename, dirname } from "node:path";
import { bytesIfReadable } from "../../machine/index.ts";
import { loadConfig } from "../load.ts";
import { digestOf, Seal, type SealContent } from "./seal.ts";
import { TrustSet } from "./trust-set.ts";
import { TrustStore } from "./trust-store.ts";

/** An explicit configuration that can be sealed. */
export interface SealableConfig {
  /** SHA-256 as hexadecimal digits. */
  readonly digest: string;
  /** Write the copy. @throws OrcsError ORCS8002, ORCS5002 */
  readonly write: () => void;
}

/**
 * Read an explicit configuration and everything it refers to, inside and outside of its folder.
 * @param file absolute
 * @throws OrcsError ORCS1015 with every error in it, and with what cannot be sealed
 */
export async function sealableConfig(file: string): Promise<SealableConfig> {
  const directory = dirname(file);
  // A link of the user's own may lead anywhere; its target is read.
  const bytes = bytesIfReadable(file);
  let content: SealContent | undefined;
  await loadConfig({
    cwd: directory,
    // It is read like a project, without the user's own configuration.
    userDir: `${file}/none`,
    environment: {},
    isUsers: true,
    project: { directory, codeDir: directory, files: new Map([[basename(file), bytes]]) },
    async examine(found) {
      const set = await TrustSet.of(found, false);
      ({ content } = set);
      return set.problems;
    },
  });
  const sealed = content;
  if (!sealed) throw new Error("unreachable: a configuration that loads was examined");
  return {
    digest: digestOf(sealed),
    write() {
      const store = new TrustStore();
      store.begin();
      Seal.write(store.sealsDir, sealed);
    },
  };
}
