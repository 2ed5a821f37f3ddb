import { casesByName } from "../cases.ts";

/** Where these lines are judged: below a folder that is no top-level folder. */
export const CWD = "/srv/work/project";

/** Lines that a rule of shell-guard itself denies, at the level of the rule, by the id of the rule. */
export const RULE_LINES = casesByName("shell-guard-rules");
