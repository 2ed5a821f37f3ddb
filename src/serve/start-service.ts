import { fileURLToPath } from "node:url";
import type { ConfigPlace } from "../trust/config-place.ts";
import { startDetached } from "../spawn/processes.ts";
import type { ServiceAddress } from "./address.ts";

const MAIN = fileURLToPath(new URL("../cli/main.js", import.meta.url));

/** Start a service in the background, which goes when it has been idle; its words go to a log. */
export function startService(place: ConfigPlace, { log }: ServiceAddress): void {
  const named = typeof place.config === "string" ? ["--config", place.config] : [];
  if (place.seal !== undefined) named.push("--seal", place.seal);
  startDetached(process.execPath, [MAIN, "serve", "--background", ...named], place.directory, log);
}
