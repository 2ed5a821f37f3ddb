import type { Command } from "commander";
import { OrcsError } from "../core/errors.ts";
import { isLoosening, VERBS } from "../core/commands.ts";
import type { Verb, VerbName } from "../core/commands.ts";
import { realpath } from "../files/real-path.ts";
import { agentAround } from "../protocols/hosts.ts";
import { canAsk } from "./question.ts";

/** What stands for a person who is not there to be asked. */
const CONSENT = ["--yes", "--digest"];

/**
 * Keep verbs that loosen what orcs guards for people: a process that a coding agent's tool has started may run none of
 * them, whatever it says; another one without a terminal says `--yes` or `--digest`. What is refused, and what was
 * done, is a line in the audit log. Which verbs these are, their table says.
 */
export function guardLoosening(program: Command): void {
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
    if (verb.shows === true || canAsk() || CONSENT.some((flag) => isGiven(action, flag))) return;
    throw new OrcsError("ORCS5001", `${name} asks in a terminal, and there is none: use --yes`);
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

/** The verb that an action belongs to: `audit` of `audit show`. */
function verbOf(action: Command): VerbName | undefined {
  let command = action;
  while (command.parent?.parent) command = command.parent;
  const name = command.name();
  return Object.hasOwn(VERBS, name) ? (name as VerbName) : undefined;
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

/** It is loaded when there is something to write down. */
async function note(line: {
  readonly action: "refused" | "loosened";
  readonly verb: VerbName;
  readonly agent?: string;
}): Promise<void> {
  const { writeTrustLine } = await import("./audit-trust.ts");
  await writeTrustLine({ ...line, directory: realpath(process.cwd()) });
}
