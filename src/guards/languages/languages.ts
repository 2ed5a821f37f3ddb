import type { EffectList } from "../effects/effect-list.ts";
import { awk } from "./awk.ts";
import { ed, ex } from "./ex.ts";
import { patch } from "./patch.ts";
import { program } from "./program.ts";
import { sed } from "./sed.ts";
import { psql, sql } from "./sql.ts";

/** What a reader of a language gives what it finds to. */
export interface CodeContext {
  readonly found: EffectList;
  /** Lists what a command line does that the code runs. */
  readonly run: (line: string) => void;
}

/** Lists what code does. Takes linear time, and never throws: what is wrong in the code is skipped. */
export type LanguageReader = (text: string, context: CodeContext) => void;

/** Longest code that is read. */
const MOST = 65_536;

/** By the names that rows give them: \`lang=sed\`. */
const READERS: Readonly<Record<string, LanguageReader>> = {
  awk,
  ed,
  ex,
  patch,
  program,
  psql,
  sed,
  sql,
};

/** Lists what code in a language does, if there is a reader for it. */
export function readCode(lang: string, text: string, context: CodeContext): void {
  if (text.length <= MOST) READERS[lang]?.(text, context);
}
