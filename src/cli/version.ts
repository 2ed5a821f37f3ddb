import { OWN_PACKAGE, ownVersion } from "../machine/index.ts";
import { JSON_OUTPUT } from "./options.ts";
import { printEither } from "./output.ts";
import { verbCommand } from "./verb-command.ts";

/** `orcs version`: what a report of a problem has to say. */
export const versionCommand = verbCommand("version", {
  options: { json: JSON_OUTPUT },
  run: ({ json }) => {
    const versions = {
      orcs: ownVersion(),
      node: process.versions.node,
      lua: LUA,
      platform: `${process.platform} ${process.arch}`,
      installed: OWN_PACKAGE,
    };
    const lines = Object.entries(versions).map(([name, value]) => `${name.padEnd(10)} ${value}`);
    printEither(json, versions, () => lines.join("\n"));
  },
});

/** The Lua that scripts run in. */
const LUA = "5.4";
