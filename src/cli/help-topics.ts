import { nearest, OrcsError } from "../core/index.ts";
import type { Palette } from "./terminal.ts";

/** A page of the documentation. */
export interface Topic {
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
