import { readFileSync } from "node:fs";
import { isRare, isVerb, nearest, OrcsError, VERBS } from "../core/index.ts";
import { JSON_OUTPUT } from "./options.ts";
import { print, printEither, printJson } from "./output.ts";
import { type Palette, paletteFor } from "./terminal.ts";
import { verbCommand } from "./verb-command.ts";
import { type OptionRow, type ProgramRow, programs } from "../matching/index.ts";

/**
 * `orcs help`: the pages of the documentation, which are in the package. The options of a verb are shown without it.
 */
export const helpCommand = verbCommand("help", {
  options: { json: JSON_OUTPUT },
  run: ({ json = false }, [written, ...more]: readonly string[]) => {
    if (written === "programs") return print(programHelp(more, json));
    if (written === "commands") return printEither(json, rareCommands(), commandList);
    const code = written?.toUpperCase();
    if (/^ORCS\d{4}$/.test(code ?? "")) {
      const row = readPage("reference/errors")
        .split("\n")
        .find((line) => line.startsWith(`- \`${code}\`: `));
      if (row !== undefined) {
        const text = row.slice(2).replaceAll("`", "");
        return printEither(json, { code, text }, () => text);
      }
    }
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
function rareCommands() {
  const names = Object.keys(VERBS).filter(isVerb).filter(isRare);
  return names.map((name) => ({ name, does: VERBS[name].does }));
}

function commandList(): string {
  const rows = rareCommands().map(({ name, does }) => `  orcs ${name.padEnd(11)}${does}`);
  return [...rows, "", "The others: orcs --help."].join("\n");
}

function palette(): ReturnType<typeof paletteFor> {
  return paletteFor(process.stdout);
}

function readPage(topic: string): string {
  return readFileSync(new URL(`${topic}.md`, DOCS), "utf8");
}

const DOCS = new URL("../../docs/", import.meta.url);

/** A page of the documentation. */
interface Topic {
  /** Its path in docs/ without the ending, such as `how-to/deny`. */
  readonly topic: string;
  /** The part that it belongs to, such as `How-to`. */
  readonly part: string;
  readonly title: string;
  readonly about: string;
}

/**
 * The pages that the map lists.
 * @param map the text of docs/README.md
 */
export function topicsOf(map: string): Topic[] {
  let part = "";
  return map.split("\n").flatMap((line) => {
    part = /^## (.*)$/.exec(line)?.[1] ?? part;
    const row = /^\| \[([^\]]+)\]\(([\w/-]+)\.md\) \| (.*) \|$/.exec(line);
    const [, title = "", topic = "", about = ""] = row ?? [];
    return row ? [{ topic, part, title, about: about.replaceAll("`", "") }] : [];
  });
}

/**
 * The page with a name: its path, the last part of it or its title; or the only one with a name that begins so.
 * @throws OrcsError ORCS9400 when there is none, or more than one
 */
export function topicNamed(written: string, topics: readonly Topic[]): Topic {
  const asked = written.toLowerCase().replace(/\.md$/, "");
  const names = (each: Topic): string[] => [
    each.topic,
    each.topic.slice(each.topic.lastIndexOf("/") + 1),
    each.title.toLowerCase(),
  ];
  const exact = topics.find((each) => names(each).includes(asked));
  if (exact) return exact;
  const begun = topics.filter((each) => names(each).some((name) => name.startsWith(asked)));
  const [first, ...others] = begun;
  if (first && others.length === 0) return first;
  const near = nearest(asked, topics.flatMap(names));
  const meant =
    begun.length > 0 ? begun : topics.filter((each) => names(each).includes(near ?? ""));
  const hint =
    meant.length > 0
      ? `did you mean ${meant.map(({ topic }) => topic).join(", ")}?`
      : "orcs help lists the pages";
  const what = begun.length > 0 ? "more than one page has" : "no page has";
  const why = `${what} a name that begins with ${JSON.stringify(written)}; ${hint}`;
  throw new OrcsError("ORCS9400", why, {
    topic: written,
    nearest: meant.map(({ topic }) => topic),
  });
}

/** The list of pages, by part. */
export function topicList(topics: readonly Topic[], colors: Palette): string {
  const width = Math.max(...topics.map(({ topic }) => topic.length));
  const parts = new Map<string, Topic[]>();
  for (const each of topics) parts.set(each.part, [...(parts.get(each.part) ?? []), each]);
  return [...parts]
    .map(([part, pages]) => {
      const lines = pages.map(({ topic, about }) => `  ${topic.padEnd(width)}  ${about}\n`);
      return `${colors.bold(part)}\n${lines.join("")}\n`;
    })
    .join("");
}

/** A page for a terminal: headings and code stand out, and links are their words. */
export function shownOnTerminal(markdown: string, colors: Palette): string {
  let isCode = false;
  return markdown
    .split("\n")
    .flatMap((line) => {
      const isFence = line.startsWith("```");
      if (isFence) isCode = !isCode;
      if (isFence || (!isCode && /^<!--.*-->$/.test(line))) return [];
      if (isCode) return [`    ${colors.green(line)}`];
      const heading = /^#+ (.*)$/.exec(line)?.[1];
      return [heading === undefined ? withoutMarks(line, colors) : colors.bold(heading)];
    })
    .join("\n");
}

function withoutMarks(line: string, colors: Palette): string {
  return line
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\*\*([^*]+)\*\*/g, (_all, text: string) => colors.bold(text))
    .replaceAll(/`([^`]+)`/g, (_all, text: string) => colors.yellow(text));
}

/** The text of `orcs help programs`: all names, or what the dictionary says of one program. */
export function programHelp(words: readonly string[], json: boolean): string {
  const { names, row } = programs();
  const all = names();
  if (words.length === 0) {
    const programs = all.filter((name) => !name.includes("/"));
    return json
      ? JSON.stringify(all)
      : `${programs.join(" ")}\n\nOne of them: orcs help programs NAME`;
  }
  const name = words.join("/");
  const found = row(name);
  if (!found) {
    const near = nearest(name, all);
    const hint = near === undefined ? "orcs help programs lists them" : `did you mean ${near}?`;
    const why = `the dictionary has no program ${JSON.stringify(name)}; ${hint}`;
    throw new OrcsError("ORCS9400", why, {
      topic: name,
      nearest: near === undefined ? [] : [near],
    });
  }
  const subcommands = all.filter(
    (each) => each.startsWith(`${name}/`) && !each.includes("/", name.length + 1),
  );
  return json
    ? JSON.stringify({ ...found, options: options(found), subcommands })
    : described(found, subcommands);
}

function options({
  options: known,
}: ProgramRow): readonly (OptionRow & { readonly names: readonly string[] })[] {
  const spelt = new Map<OptionRow, string[]>();
  for (const [name, option] of known) spelt.set(option, [...(spelt.get(option) ?? []), name]);
  return [...spelt].map(([{ name, takes, role, meaning }, names]) => ({
    name,
    takes,
    role,
    meaning,
    names,
  }));
}

function described(row: ProgramRow, subcommands: readonly string[]): string {
  const lines = [row.names.map((name) => name.replaceAll("/", " ")).join(", ")];
  for (const { when, most, operands } of row.shapes) {
    const roles = operands.map(
      ({ role, count }) => role + { one: "", maybe: "?", any: "...", none: "" }[count],
    );
    const conditions = when.map(({ meaning, isSet }) => `${isSet ? "with" : "without"} ${meaning}`);
    const number = most < Infinity ? `up to ${most}` : undefined;
    const given = [...conditions, number].filter((each) => each !== undefined).join(", ");
    lines.push(`  operands${given === "" ? "" : ` (${given})`}: ${roles.join(" ") || "none"}`);
  }
  for (const { names, takes, role, meaning } of options(row)) {
    const value = takes === undefined ? "" : takes === "joined" ? `[=${role}]` : `=${role}`;
    lines.push(`  ${names.join(", ")}${value}${meaning === undefined ? "" : ` (${meaning})`}`);
  }
  if (subcommands.length > 0)
    lines.push(`  subcommands: ${subcommands.map((each) => each.split("/").at(-1)).join(" ")}`);
  return lines.join("\n");
}
