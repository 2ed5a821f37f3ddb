import { join, resolve } from "node:path";
import { OrcsError } from "../core/errors.ts";
import { fileChange } from "./file-change.ts";
import type { FileChange } from "./file-change.ts";
import { configWith, guardText, newConfig } from "./init-texts.ts";
import { TYPES_DIR, typeFiles } from "./type-files.ts";

/** Which tools the guard looks at unless somebody says otherwise. */
export const DEFAULT_TOOLS = "exec|Bash";

/**
 * What `orcs init` writes into a project. A guard that is there stays as it is; an orcs.toml gets what it
 * lacks.
 *
 * @param tools as in `match.tool`
 * @param policies names of those that are put in force
 * @throws OrcsError ORCS5001 for tools that are no names, ORCS5002
 */
export function initFiles(dir: string, tools: string, policies: readonly string[]): FileChange[] {
  if (!TOOLS.test(tools)) {
    const why = `the tools ${JSON.stringify(tools)} are no names, such as ${DEFAULT_TOOLS}`;
    throw new OrcsError("ORCS5001", why, { tools });
  }
  return [
    fileChange("orcs.toml", join(dir, "orcs.toml"), (text) =>
      text === undefined ? newConfig(policies) : configWith(text, policies),
    ),
    fileChange("hooks/guard.lua", join(dir, "hooks/guard.lua"), (text) => text ?? guardText(tools)),
    ...typeFiles(dir, resolve(dir, TYPES_DIR)),
  ];
}

/** Names and globs, separated by `|`; what needs no quoting in Lua. */
const TOOLS = /^[\w.:*?/-]+(?:\|[\w.:*?/-]+)*$/;
