import type { Command } from "commander";
import { isLoosening, OrcsError, type Verb, type VerbName, VERBS } from "../core/index.ts";
import { realpath } from "../machine/index.ts";
import { agentAround } from "../formats/index.ts";
import { expectTerminal } from "./question.ts";

/** Verbs that write the user's own configuration, as a person wants it. */
const WRITERS: readonly string[] = [
  "init",
  "on",
  "package add",
  "package remove",
  "package update",
  "rules promote",
];

/** Options that replace a confirmation at the terminal. */
const CONSENT = ["--yes", "--digest"];

/**
 * Restrict verbs that weaken protection to people: a process started by a coding agent's tool cannot run them with any
 * options; another process without a terminal needs `--yes` or `--digest`. Denied and executed commands are recorded in
 * the audit log. The table of verbs lists which ones are restricted.
 */
export function guardLoosening(program: Command): void {
  let written: (() => Promise<void>) | undefined;
  program.hook("preAction", async (_, action) => {
    const name = verbOf(action);
    if (name === undefined || !loosens(name, action)) return;
    const found = agentAround(process.env);
    if (found) {
      const { agent, variable } = found;
      await note({ action: "refused", verb: name, agent });
      const why = `orcs ${name} can loosen protection, and ${agent} is running it (${variable} is set): run it yourself, in your own terminal`;
      throw new OrcsError("ORCS5003", why, { verb: name, agent });
    }
    const verb: Verb = VERBS[name];
    if (verb.shows === true || CONSENT.some((flag) => isGiven(action, flag))) return;
    expectTerminal(name);
  });
  program.hook("preAction", async (_, action) => {
    if (!WRITERS.includes(verbOf(action) ?? "") || agentAround(process.env)) return;
    const { acceptingWrites } = await import("../agents/index.ts");
    written = acceptingWrites();
  });
  program.hook("postAction", async () => {
    await written?.();
  });
  program.hook("postAction", async (_, action) => {
    const name = verbOf(action);
    if (name === undefined || !loosens(name, action)) return;
    const verb: Verb = VERBS[name];
    if (verb.notes !== true && !process.exitCode) await note({ action: "loosened", verb: name });
  });
}

function loosens(name: VerbName, action: Command): boolean {
  return isLoosening(VERBS[name].loosens, (flag) => isGiven(action, flag));
}

/** The verb of an action: `audit` for `audit show`, and `rules allow`, which has a row of its own. */
function verbOf(action: Command): VerbName | undefined {
  const words: string[] = [];
  for (let at: Command | null = action; at?.parent; at = at.parent) words.unshift(at.name());
  const names = [words.slice(0, 2).join(" "), words[0] ?? ""];
  return names.find((name): name is VerbName => Object.hasOwn(VERBS, name));
}

function isGiven(action: Command, flag: string): boolean {
  const option = action.options.find(({ long }) => long === flag);
  if (option === undefined) return false;
  const name = option.attributeName();
  // `--strict` and `--no-strict` are one option, true or false.
  return (
    action.getOptionValueSource(name) === "cli" &&
    !(option.negate && action.getOptionValue(name) !== false)
  );
}

/** Loaded only when there is something to record. */
async function note(line: {
  readonly action: "refused" | "loosened";
  readonly verb: VerbName;
  readonly agent?: string;
}): Promise<void> {
  const { writeTrustLine } = await import("./audit-trust.ts");
  await writeTrustLine({ ...line, directory: realpath(process.cwd()) });
}
