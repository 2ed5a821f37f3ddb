import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The page whose blocks test/dist/tutorial.test.ts runs, with the package as it is installed. */
export const TUTORIAL = "docs/start/tutorial.md";

/**
 * One fenced block of a page. What stands behind the language says what it is for:
 *
 * | block | what the test does with it |
 * |---|---|
 * | any `title="file"` | writes it to that file, for the blocks below it on the page |
 * | any `file` with it | does nothing else with it |
 * | `ts` | checks its types and runs it |
 * | `js` | runs it |
 * | `lua` | loads it as a hook script |
 * | `fails=true` with one of these two | its hooks are not asked about recorded events of agents |
 * | `lua handler` | runs it as a handler's body; `point=…` says where; an error fails the test |
 * | `lua program` | runs it as `orcs run` does: a script, or a component |
 * | `toml` | loads it as a configuration |
 * | `sh` | runs it, `orcs` being the built command line; `exit=N` when it is to end with N |
 * | `sh terminal` | the same; what it writes to stderr is output, too, as somebody at a terminal sees it |
 * | `text output` | is what the block right above it writes, numbers with a fraction aside; or `lua output` and the like |
 * | `json output` | is what the handler right above it makes of the arguments of the call |
 * | `json` | parses it |
 * | `text` | nothing: a picture |
 */
export interface Block {
  readonly page: string;
  /** Line of its first line of content, from 1. */
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly title: string | undefined;
  readonly text: string;
  /** What it is to write: the `output` below it. */
  readonly output: string | undefined;
}

/** A page of the documentation, by its path in the checkout. */
export interface Page {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** The README, that of the shell reader, and everything in docs/. */
export function pages(): Page[] {
  const docs = readdirSync(`${ROOT}docs`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  return ["README.md", "src/matching/shell/README.md", ...docs.sort()].map((path) => {
    const text = readFileSync(ROOT + path, "utf8");
    return { path, text, blocks: blocksOf(path, text) };
  });
}

/** The value of a `name=value` in a block's info string. */
export function setting(block: Block, name: string): string | undefined {
  return block.words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

function blocksOf(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: { info: string; line: number; lines: string[] } | undefined;
  for (const [i, line] of text.split("\n").entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (!fence) open?.lines.push(line);
    else if (!open) open = { info: fence[1] ?? "", line: i + 2, lines: [] };
    else {
      blocks.push(blockOf(page, open.info, open.line, open.lines));
      open = undefined;
    }
  }
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`);
  return withOutputs(blocks);
}

/** The blocks without those that are the output of another, which stands with it instead. */
function withOutputs(blocks: readonly Block[]): Block[] {
  const kept: Block[] = [];
  for (const block of blocks) {
    const above = kept.at(-1);
    if (!block.words.includes("output")) kept.push(block);
    else if (!above || above.output !== undefined) {
      throw new Error(`${block.page}:${block.line}: the output of nothing`);
    } else kept[kept.length - 1] = { ...above, output: block.text };
  }
  return kept;
}

function blockOf(page: string, info: string, line: number, lines: readonly string[]): Block {
  const title = /\btitle="([^"]*)"/.exec(info)?.[1];
  const [language = "", ...words] = info
    .replace(/\btitle="[^"]*"/, "")
    .split(/\s+/)
    .filter(Boolean);
  const text = lines.map((each) => `${each}\n`).join("");
  return { page, line, language, words, title, text, output: undefined };
}
