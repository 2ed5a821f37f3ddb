export {
  compileMatcher,
  foreignToolName,
  isRecord,
  mismatchOf,
  ownToolName,
  toolMatcher,
  toolNamesOf,
} from "./match.ts";
export type { Payload } from "./effects.ts";
export type { MatchDeps } from "./match.ts";
export { globMatcher } from "./patterns/glob.ts";
export { NameRules } from "./patterns/name-rules.ts";
export { pathInside, resolvePath } from "./patterns/path.ts";
export { compileMask, compileRegex } from "./patterns/regex.ts";
export {
  commandLine,
  compileRuns,
  createShellReader,
  isNarrowerPattern,
  leavesBackground,
  mayRunAgain,
  OTHER_SYNTAX,
  quoteWords,
  replaceWords,
} from "./shell/shell.ts";
export type { CommandMatcher, WordEdit } from "./shell/shell.ts";
export type { Argument, Arguments, Part } from "./programs/arguments.ts";
export { programs } from "./programs/dictionary.ts";
export type { DescribedCommand } from "./programs/dictionary.ts";
export { byName } from "./programs/notation.ts";
export type { OptionRow, ProgramRow, Role } from "./programs/notation.ts";
