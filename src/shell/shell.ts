/**
 * What a command line would run, without running it, and patterns of commands: the entry `orcs/shell`. Nothing outside
 * of this folder imports the files behind it.
 */
export type { ShellCommand, ShellReader, ShellReading, ShellRedirect } from "../core/shell.ts";
export { commandLine, compileRuns } from "./match-command.ts";
export type { CommandMatcher } from "./match-command.ts";
export { quoteWords } from "../core/shell-words.ts";
export { createShellReader } from "./reader.ts";
export type { ReaderOptions } from "./reader.ts";
