import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of this orcs. */
export const OWN_PACKAGE = fileURLToPath(new URL("../../..", import.meta.url));
/** What Node starts as the command line of this orcs. It is written again by each installation. */
export const OWN_MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
/** What `orcs` is on a PATH. */
export const OWN_PROGRAM = fileURLToPath(new URL("../../../bin/orcs.cjs", import.meta.url));
/** The entry that needs no Node. */
export const OWN_LAUNCHER = fileURLToPath(new URL("../../../bin/orcs-hook", import.meta.url));

/** The version of this orcs. */
export function ownVersion(): string {
  const file = new URL("../../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
