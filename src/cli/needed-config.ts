import { type ConfigPlace, configPlace } from "../config/index.ts";
import { OrcsError } from "../core/index.ts";
import { tellOfOrcs } from "./output.ts";

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

/** Says on stderr that a verb about the project here found none. */
export function noteMissingProject(file: string | undefined): void {
  if (file !== undefined) return;
  const { config, found } = configPlace(process.cwd(), undefined);
  if (found !== undefined) return;
  const others = config === false ? "" : "; your own configuration applies";
  tellOfOrcs(`there is no orcs.toml in ${process.cwd()} or above: orcs init creates one${others}`);
}
