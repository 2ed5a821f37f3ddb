/**
 * The entry `orcs/shell`: what a command line would run, without running it, and patterns of commands. Code outside of
 * this folder imports only this file.
 */
export { quoteWords } from "../../core/index.ts";
export type {
  ShellCommand,
  ShellReader,
  ShellReading,
  ShellRedirect,
  ShellSpan,
} from "../../core/index.ts";
export { commandLine, compileRuns, isNarrowerPattern } from "./match-command.ts";
export type { CommandMatcher } from "./match-command.ts";
export { replaceWords } from "./replace-words.ts";
export type { WordEdit } from "./replace-words.ts";
export { leavesBackground, mayRunAgain } from "./leaves-background.ts";
export { createShellReader } from "./reader.ts";
export type { ReaderOptions } from "./reader.ts";
export { OTHER_SYNTAX } from "./programs/other-shells.ts";
