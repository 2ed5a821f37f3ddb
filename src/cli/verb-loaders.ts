import type { Command } from "commander";
import { commandsOf, type VerbName } from "../core/index.ts";
import { groupCommand, isWay } from "./verb-command.ts";

/** Each verb is loaded on demand: the imports of one must not slow down another. */
const COMMANDS: Readonly<Record<VerbName, () => Promise<Command>>> = {
  on: async () => (await import("./on.ts")).onCommand(),
  off: async () => (await import("./off.ts")).offCommand(),
  status: async () => (await import("./status.ts")).statusCommand(),
  eval: async () => (await import("./eval.ts")).evalCommand(),
  "eval --explain": async () => (await import("./eval.ts")).explainCommand(),
  "eval --interactive": async () => (await import("./interactive.ts")).interactiveCommand(),
  "eval --steps": async () => (await import("./eval.ts")).stepsCommand(),
  list: async () => (await import("./list.ts")).listCommand(),
  check: async () => (await import("./check.ts")).checkCommand(),
  run: async () => (await import("./run.ts")).runCommand(),
  test: async () => (await import("./test.ts")).testCommand(),
  "test --fuzz": async () => (await import("./fuzz.ts")).fuzzCommand(),
  "test --bench": async () => (await import("./bench.ts")).benchCommand(),
  "init --types": async () => (await import("./types.ts")).typesCommand(),
  init: async () => (await import("./init.ts")).initCommand(),
  hook: async () => (await import("./hook-help.ts")).hookCommand(),
  serve: async () => (await import("./serve.ts")).serveCommand(),
  ui: async () => (await import("./ui.ts")).uiCommand(),
  mcp: async () => (await import("./mcp.ts")).mcpCommand(),
  install: async () => (await import("./install.ts")).installCommand(),
  uninstall: async () => (await import("./uninstall.ts")).uninstallCommand(),
  import: async () => (await import("./import.ts")).importCommand(),
  replay: async () => (await import("./replay.ts")).replayCommand(),
  undo: async () => (await import("./undo.ts")).undoCommand(),
  audit: async () => (await import("./audit.ts")).auditCommand(),
  rules: () => groupOf("rules"),
  package: () => groupOf("package"),
  "rules allow": async () => (await import("./allow.ts")).allowCommand(),
  "rules promote": async () => (await import("./promote.ts")).promoteCommand(),
  "package add": async () => (await import("./add.ts")).addCommand(),
  "package remove": async () => (await import("./remove.ts")).removeCommand(),
  "package update": async () => (await import("./update.ts")).updateCommand(),
  "package pack": async () => (await import("./pack.ts")).packCommand(),
  bundle: async () => (await import("./bundle.ts")).bundleCommand(),
  trust: async () => (await import("./trust.ts")).trustCommand(),
  completion: async () => (await import("./completion.ts")).completionCommand(loadedCommand),
  version: async () => (await import("./version.ts")).versionCommand(),
  help: async () => (await import("./help.ts")).helpCommand(),
  doctor: async () => (await import("./doctor.ts")).doctorCommand(),
};

/** A verb with the commands below it. */
async function groupOf(verb: "rules" | "package"): Promise<Command> {
  return groupCommand(
    verb,
    await Promise.all(commandsOf(verb).map(([, name]) => COMMANDS[name]())),
  );
}

/** The command of a verb, or the one that an option among these words selects. */
export function loadedCommand(verb: VerbName, words: readonly string[] = []): Promise<Command> {
  const own = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  const [, name = verb] =
    commandsOf(verb).find(([word]) => isWay(word) && own.includes(word)) ?? [];
  return COMMANDS[name]();
}
