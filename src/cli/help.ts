import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { Topic } from "./help-topics.ts";
import { shownOnTerminal, topicList, topicNamed, topicsOf } from "./help-topics.ts";
import { programHelp } from "./program-help.ts";
import { paletteFor } from "./terminal.ts";
import { verbCommand } from "./verb-texts.ts";

/** `orcs help`: the pages of the documentation, which are in the package. The options of a verb are shown without it. */
export function helpCommand(): Command {
  return verbCommand("help")
    .argument(
      "[topic...]",
      "a page or a command, or the beginning of the name of a page; `programs NAME` for a program of the dictionary",
    )
    .option("--json", "print JSON")
    .action(([written, ...more]: readonly string[], { json = false }: { json?: boolean }) => {
      if (written === "programs") {
        process.stdout.write(`${programHelp(more, json)}\n`);
        return;
      }
      const topics = topicsOf(readPage("README"));
      if (written === undefined) {
        process.stdout.write(json ? `${JSON.stringify(topics)}\n` : list(topics));
        return;
      }
      const found = topicNamed(written, topics);
      const text = readPage(found.topic);
      if (json) process.stdout.write(`${JSON.stringify({ ...found, text })}\n`);
      else process.stdout.write(process.stdout.isTTY ? shownOnTerminal(text, palette()) : text);
    });
}

function list(topics: readonly Topic[]): string {
  return `${topicList(topics, palette())}Show a page: orcs help TOPIC. Commands: orcs --help. Options of a command: orcs help COMMAND.\n`;
}

function palette(): ReturnType<typeof paletteFor> {
  return paletteFor(process.stdout);
}

function readPage(topic: string): string {
  return readFileSync(new URL(`${topic}.md`, DOCS), "utf8");
}

const DOCS = new URL("../../docs/", import.meta.url);
