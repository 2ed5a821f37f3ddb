import { configureGlobal } from "fast-check";
import { isWholeRun } from "./slow-test.ts";

// A test that everybody runs fails for what was changed, not by chance: it tries the same values each time. The whole
// slow run and the fuzzers try other ones.
if (!isWholeRun) configureGlobal({ seed: 2011 });
