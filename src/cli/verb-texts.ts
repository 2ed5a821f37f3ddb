import { Command } from "commander";
import type { VerbName } from "../core/commands.ts";

/** What `orcs --help` says of each verb, which needs none of them. */
export const VERB_TEXTS: Readonly<Record<VerbName, VerbText>> = {
  eval: {
    takes: "<point> [key=value...]",
    does: "run the hooks of a point on one event and show the answer",
  },
  explain: {
    takes: "<point> [key=value...]",
    does: "show the whole chain for one event: which hook ran or not, why, and what it changed",
  },
  list: { does: "show the hooks of each point in the order in which they run" },
  check: {
    takes: "[script.lua...]",
    does: "check the configuration and its scripts; report every mistake with its place",
  },
  run: {
    takes: "<script.lua>",
    does: "run a Lua component, or a script as one; all that it does passes the hooks",
  },
  test: {
    takes: "[files...]",
    does: "run the tests of hooks: in their scripts, in the configuration, in *_test.lua files",
  },
  bench: {
    takes: "[script.lua]",
    does: "time each hook alone on one event: p50, p99 and the longest",
  },
  types: {
    takes: "[dir]",
    does: "write Lua definitions, a schema of orcs.toml and .luarc.json for editors",
  },
  init: { does: "begin a project: orcs.toml, a guard with tests, definitions for editors" },
  hook: { does: "answer one event of a host: JSON on stdin, the host's answer on stdout" },
  serve: { does: "keep an engine that answers orcs hook, and HTTP, until it is stopped" },
  mcp: {
    takes: "<command...>",
    does: "stand in front of an MCP server: hooks around its tools, over stdio",
  },
  install: {
    does: "write into a host's settings that it asks orcs, for the events that hooks are on",
  },
  uninstall: { does: "take orcs out of a host's settings, which are then as they were before" },
  import: {
    takes: "[file]",
    does: "turn the command hooks of a host's settings into [[hooks]] for orcs.toml",
  },
  replay: {
    takes: "<record>",
    does: "let recorded events happen to the hooks again, and show what they decide otherwise",
  },
  audit: {
    hasOptions: false,
    does: "look at the audit log: what hooks decided and what failed, and whether nobody changed it since",
  },
  trust: {
    takes: "[dir]",
    does: "activate the hooks of a discovered project: shows what they would do, and asks",
  },
  doctor: {
    does: "look at hosts, their settings and the configuration: say why a hook would not run",
  },
};

interface VerbText {
  /** Its arguments; none unless said. */
  readonly takes?: string;
  /** True unless said. */
  readonly hasOptions?: false;
  readonly does: string;
}

/** The command of a verb, to be given its options. */
export function verbCommand(name: VerbName): Command {
  return new Command(name).description(VERB_TEXTS[name].does);
}

/** A verb as the list of verbs shows it, which does nothing. */
export function listedCommand(name: VerbName): Command {
  const { takes, hasOptions = true } = VERB_TEXTS[name];
  const command = verbCommand(name);
  if (takes !== undefined) command.arguments(takes);
  return hasOptions ? command.option("--any") : command;
}
