import { dirname } from "node:path";
import { type HookEntry, type LuaEntry, NOTHING_STATED } from "../../../config/index.ts";
import type { JsonObject } from "../../../core/index.ts";

/** An entry for a script alone, with defaults for everything else. */
export function scriptEntry(
  file: string,
  more: {
    readonly roots: readonly string[];
    readonly options?: JsonObject | undefined;
    /** 1 for a script of a discovered project: the hashed content is what is loaded. */
    readonly rank?: HookEntry["rank"] | undefined;
    /** Whose modules it finds without a name; undefined for a script that is in none. */
    readonly packaged: HookEntry["packaged"];
    /** Packages whose modules a script of a discovered project finds by their full names. */
    readonly packages?: HookEntry["packages"];
  },
): LuaEntry {
  const { packaged, packages = [] } = more;
  const known = packaged ? [packaged] : packages;
  return {
    ...NOTHING_STATED,
    agent: undefined,
    id: file,
    idGiven: false,
    options: more.options,
    handler: { kind: "script", script: file, file },
    place: { file, line: 1 },
    origin: "named",
    rank: more.rank ?? 0,
    needsGrants: false,
    baseDir: dirname(file),
    scriptRoots: more.roots,
    exceptions: [],
    agents: [],
    tests: [],
    ...(known.length > 0 && { packages: known }),
    ...(packaged && { packaged }),
  } satisfies HookEntry;
}
