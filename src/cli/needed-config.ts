import { configPlace } from "../config/index.ts";
import type { ConfigPlace } from "../config/index.ts";
import { OrcsError } from "../core/index.ts";

/** The configuration of a verb that is about one. @throws OrcsError ORCS1001 when there is none */
export function neededConfig(
  file: string | undefined,
  seal?: string,
): ConfigPlace & { readonly config: string | undefined } {
  const place = configPlace(process.cwd(), file, seal);
  const { config } = place;
  if (config !== false) return { ...place, config };
  const why = `there is no orcs.toml in ${place.directory} or above, and none of your own`;
  throw new OrcsError("ORCS1001", `${why}: create one with orcs init, or pass one to --config`);
}
