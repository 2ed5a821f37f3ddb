import { answerClasses } from "./answer-classes.ts";
import { componentClasses } from "./component-classes.ts";
import { hookClasses } from "./hook-classes.ts";
import { functionText } from "./lua-writer.ts";
import { orcsFunctions } from "./orcs-functions.ts";
import { pointClasses } from "./point-classes.ts";

/** lua/meta/orcs.lua: what an editor knows of hooks, payloads and the table `orcs`. */
export function luaDefinitions(): string {
  return [
    [
      "---@meta",
      "",
      "-- Types of orcs for lua-language-server. Made from the code by npm run generate; never run.",
      "-- orcs types puts this file where an editor finds it.",
    ].join("\n"),
    ...answerClasses(),
    ...hookClasses(),
    ...pointClasses(),
    ...componentClasses(),
    ...orcsFunctions(),
    // Its own definition goes with the library package, which .luarc.json turns off.
    functionText("require", {
      doc: "Load a module: a/b.lua for a.b, from the script directories or from what ships.",
      params: [{ name: "name", type: "string", doc: "The module." }],
      returns: { type: "any", doc: "What it returned." },
    }),
  ]
    .join("\n\n")
    .concat("\n");
}
