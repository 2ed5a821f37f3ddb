import { Command } from "commander";
import type { VerbName } from "../core/index.ts";

/** The texts of `orcs --help`, which needs none of the verbs. */
export const VERB_TEXTS: Readonly<Record<VerbName, VerbText>> = {
  eval: {
    takes: "<point> [key=value...]",
    does: "run the hooks of a hook point on one event and show the result",
  },
  explain: {
    takes: "<point> [key=value...]",
    does: "show for one event which hooks ran or did not run, why, and what they changed",
  },
  list: { does: "list the hooks of each hook point in the order in which they run" },
  check: {
    takes: "[script.lua...]",
    does: "check the configuration and its scripts, and report every error with file and line",
  },
  run: {
    takes: "<script.lua>",
    does: "run a Lua script or component; hooks see every tool call that it makes",
  },
  test: {
    takes: "[files...]",
    does: "run the tests of hooks: those in scripts, in the configuration and in *_test.lua files",
  },
  fuzz: {
    does: "generate spellings of a forbidden command, and show those that hooks let pass",
  },
  bench: {
    takes: "[script.lua]",
    does: "measure how long each hook takes for one event: p50, p99 and maximum",
  },
  types: {
    takes: "[dir]",
    does: "write files for editors: Lua definitions, a schema of orcs.toml and .luarc.json",
  },
  init: { does: "create a project: orcs.toml, a guard with tests, files for editors" },
  hook: {
    does: "handle one event of a coding agent: reads JSON from stdin, writes the response to stdout",
  },
  serve: {
    does: "run one engine that serves all coding agents, over a socket and HTTP, until it is stopped",
  },
  ui: {
    takes: "[script.lua]",
    does: "open a page that shows live what the hooks of your agents do, and why",
  },
  mcp: {
    takes: "<command...>",
    does: "run an MCP server over stdio with hooks in front of its tools",
  },
  install: {
    does: "add orcs to the settings of a coding agent",
  },
  uninstall: { does: "remove orcs from the settings of a coding agent" },
  import: {
    takes: "[file]",
    does: "convert the command hooks in a coding agent's settings to [[hooks]] for orcs.toml",
  },
  replay: {
    takes: "<record>",
    does: "re-run recorded events and show decisions that changed",
  },
  audit: {
    hasOptions: false,
    does: "show the audit log (what hooks decided, what failed) and verify that it was not changed",
  },
  allow: {
    takes: "[code]",
    does: "allow one refused command line once, by the code in the refusal",
  },
  promote: {
    takes: "<hook>",
    does: "raise the mode of a hook in its configuration: from audit to warn, and from warn to enforce",
  },
  trust: {
    takes: "[dir]",
    does: "show what the hooks of a project may do, and activate them after confirmation",
  },
  add: {
    takes: "<package>",
    does: "use the hooks of an installed npm package or of a folder",
  },
  remove: {
    takes: "<package>",
    does: "no longer use the hooks of a package",
  },
  update: {
    does: "show how installed packages of hooks differ from orcs.lock, and accept what is installed",
  },
  pack: {
    takes: "[dir]",
    does: "check a package of hooks as npm would publish it",
  },
  bundle: {
    hasOptions: false,
    does: "put a configuration into one signed file for many machines",
  },
  doctor: {
    does: "check coding agents, their settings and the configuration, and report why a hook would not run",
  },
  completion: {
    takes: "<shell>",
    does: "print a script with which bash, zsh or fish completes the commands of orcs",
  },
  version: { does: "show the versions of orcs, Node and Lua, and where orcs is installed" },
  help: {
    takes: "[topic...]",
    does: "show a page of the documentation, or list the pages",
  },
};

interface VerbText {
  /** Its arguments; default none. */
  readonly takes?: string;
  /** Default true. */
  readonly hasOptions?: false;
  readonly does: string;
}

/** The command of a verb, without its options. */
export function verbCommand(name: VerbName): Command {
  return new Command(name).description(VERB_TEXTS[name].does);
}

/** A verb in the list of verbs, without an action. */
export function listedCommand(name: VerbName): Command {
  const { takes, hasOptions = true } = VERB_TEXTS[name];
  const command = verbCommand(name);
  if (takes !== undefined) command.arguments(takes);
  return hasOptions ? command.option("--any") : command;
}
