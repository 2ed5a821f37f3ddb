import { readFileSync } from "node:fs";
import { isRare, isVerb, VERBS } from "../core/index.ts";
import { JSON_OUTPUT } from "./options.ts";
import { print, printJson, printEither } from "./output.ts";
import { shownOnTerminal, topicList, topicNamed, topicsOf } from "./help-topics.ts";
import { programHelp } from "./program-help.ts";
import { paletteFor } from "./terminal.ts";
import { verbCommand } from "./verb-command.ts";

/**
 * `orcs help`: the pages of the documentation, which are in the package. The options of a verb are shown without it.
 */
export const helpCommand = verbCommand("help", {
  options: { json: JSON_OUTPUT },
  run: ({ json = false }, [written, ...more]: readonly string[]) => {
    if (written === "programs") return print(programHelp(more, json));
    if (written === "commands") return print(commandList());
    const topics = topicsOf(readPage("README"));
    if (written === undefined) {
      const more = `Show a page: orcs help TOPIC. Commands: orcs --help, orcs help commands. Options of a command: orcs help COMMAND.`;
      return printEither(json, topics, () => topicList(topics, palette()) + more);
    }
    const found = topicNamed(written, topics);
    const text = readPage(found.topic);
    if (json) return printJson({ ...found, text });
    process.stdout.write(process.stdout.isTTY ? shownOnTerminal(text, palette()) : text);
  },
});

/** All verbs that the first help leaves out. */
function commandList(): string {
  const rows = Object.keys(VERBS)
    .filter(isVerb)
    .filter(isRare)
    .map((name) => `  orcs ${name.padEnd(11)}${VERBS[name].does}`);
  return [...rows, "", "The others: orcs --help."].join("\n");
}

function palette(): ReturnType<typeof paletteFor> {
  return paletteFor(process.stdout);
}

function readPage(topic: string): string {
  return readFileSync(new URL(`${topic}.md`, DOCS), "utf8");
}

const DOCS = new URL("../../docs/", import.meta.url);
