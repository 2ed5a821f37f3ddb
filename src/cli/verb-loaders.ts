import type { Command } from "commander";
import type { VerbName } from "../core/index.ts";

/** Each verb is loaded on demand: the imports of one must not slow down another. */
const COMMANDS: Readonly<Record<VerbName, () => Promise<Command>>> = {
  eval: async () => (await import("./eval.ts")).evalCommand(),
  explain: async () => (await import("./explain.ts")).explainCommand(),
  list: async () => (await import("./list.ts")).listCommand(),
  check: async () => (await import("./check.ts")).checkCommand(),
  run: async () => (await import("./run.ts")).runCommand(),
  test: async () => (await import("./test.ts")).testCommand(),
  fuzz: async () => (await import("./fuzz.ts")).fuzzCommand(),
  bench: async () => (await import("./bench.ts")).benchCommand(),
  types: async () => (await import("./types.ts")).typesCommand(),
  init: async () => (await import("./init.ts")).initCommand(),
  hook: async () => (await import("./hook-help.ts")).hookCommand(),
  serve: async () => (await import("./serve.ts")).serveCommand(),
  ui: async () => (await import("./ui.ts")).uiCommand(),
  mcp: async () => (await import("./mcp.ts")).mcpCommand(),
  install: async () => (await import("./install.ts")).installCommand(),
  uninstall: async () => (await import("./uninstall.ts")).uninstallCommand(),
  import: async () => (await import("./import.ts")).importCommand(),
  replay: async () => (await import("./replay.ts")).replayCommand(),
  audit: async () => (await import("./audit.ts")).auditCommand(),
  allow: async () => (await import("./allow.ts")).allowCommand(),
  undo: async () => (await import("./undo.ts")).undoCommand(),
  promote: async () => (await import("./promote.ts")).promoteCommand(),
  add: async () => (await import("./add.ts")).addCommand(),
  remove: async () => (await import("./remove.ts")).removeCommand(),
  update: async () => (await import("./update.ts")).updateCommand(),
  pack: async () => (await import("./pack.ts")).packCommand(),
  bundle: async () => (await import("./bundle.ts")).bundleCommand(),
  trust: async () => (await import("./trust.ts")).trustCommand(),
  completion: async () => (await import("./completion.ts")).completionCommand(loadedCommand),
  version: async () => (await import("./version.ts")).versionCommand(),
  help: async () => (await import("./help.ts")).helpCommand(),
  doctor: async () => (await import("./doctor.ts")).doctorCommand(),
};

/** The command of a verb. */
export function loadedCommand(name: VerbName): Promise<Command> {
  return COMMANDS[name]();
}
