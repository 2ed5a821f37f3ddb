import type { Arguments } from "../../matching/index.ts";
import type { EffectList } from "../effects/effect-list.ts";
import { isPatch, patchEffects } from "../effects/patch-files.ts";
import { awk } from "./awk.ts";
import { ed, ex } from "./ex.ts";
import { withHomeFolder } from "./home-folder.ts";
import { literals, metaCommands, words } from "./literals.ts";
import { program } from "./program.ts";
import { sed } from "./sed.ts";
import { psql, sql } from "./sql.ts";

/** What a reader of a language gives what it finds to. */
export interface CodeContext {
  readonly found: EffectList;
  /** Whether the value of the code is printed. */
  readonly prints: boolean;
  /** Of the command that runs the code. */
  readonly args?: Arguments;
  /** What the command reads, if the line says it. */
  readonly stdin?: string | undefined;
  /** The text that the line assigns to a variable of the shell, if that is known. */
  readonly assigned?: (name: string) => string | undefined;
  /** Lists what a command line does that the code runs. */
  readonly run: (line: string) => void;
}

/** Lists what code does. Takes linear time, and never throws: what is wrong in the code is skipped. */
export type LanguageReader = (text: string, context: CodeContext) => void;

/** Longest code that is read. */
const MOST = 65_536;

/** By the names that rows give them: \`lang=sed\`. */
const READERS: Readonly<Record<string, readonly LanguageReader[]>> = {
  awk: [awk, literals],
  ed: [ed],
  ex: [ex],
  patch: [
    (text, { found }) => {
      if (isPatch(text)) patchEffects(text, (...effect) => found.file(...effect));
    },
  ],
  program: [program, literals],
  psql: [psql, metaCommands, literals],
  sed: [sed],
  sql: [sql, metaCommands, literals],
  words: [words],
};

/** Lists what code in a language does, if there is a reader for it. */
export function readCode(lang: string, text: string, context: CodeContext): void {
  if (text.length > MOST) return;
  const code = lang === "program" ? withHomeFolder(text, context.found.home) : text;
  for (const read of READERS[lang] ?? []) read(code, context);
}
