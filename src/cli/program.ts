import { Command, CommanderError } from "commander";
import {
  escapeControl,
  isVerb,
  messageOf,
  OrcsError,
  tracebackLines,
  VERBS,
} from "../core/index.ts";
import { flatDiagnostic } from "./diagnostics-text.ts";
import { EXIT } from "./options.ts";
import { printJson, tell } from "./output.ts";
import { guardLoosening } from "./loosening.ts";
import { ownVersion } from "../machine/index.ts";
import { listedCommand } from "./verb-command.ts";

/** Run the command line with the arguments of this process, and set its exit code. */
export async function runProgram(): Promise<void> {
  // The reader of stdout may close it early, for example `head`: handled like a closed terminal.
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.stdout.on("error", () => undefined);
    if (!process.emit("SIGHUP")) process.exit();
  });

  const program = new Command("orcs")
    .description("One hook engine for AI agents: hooks written in Lua, run in order, in a sandbox.")
    .version(ownVersion(), "-v, --version")
    .exitOverride();
  guardLoosening(program);
  const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
  // `orcs help VERB` shows its options; `orcs help` and everything else that follows is about the documentation.
  const wanted = words[0] === "help" && isVerb(words[1]) ? words[1] : words[0];
  if (isVerb(wanted)) {
    const { loadedCommand } = await import("./verb-loaders.ts");
    const command = await loadedCommand(wanted);
    program.addCommand(command.exitOverride().showHelpAfterError("(see --help)"));
  } else {
    for (const name of Object.keys(VERBS).filter(isVerb)) program.addCommand(listedCommand(name));
  }

  try {
    await program.parseAsync();
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      process.exitCode = thrown.exitCode === 0 ? EXIT.fine : EXIT.error;
      if (thrown.exitCode !== 0) printJsonError(thrown);
    } else {
      printJsonError(thrown);
      // An error of the user is printed without a stack; other errors are bugs of orcs.
      const shown = thrown instanceof OrcsError ? thrown.message : thrown;
      const text = shown instanceof Error ? (shown.stack ?? shown.message) : withTraceback(thrown);
      // It may quote lines of a file written by somebody else.
      tell(`orcs: ${text.split("\n").map(escapeControl).join("\n")}`);
      process.exitCode = EXIT.error;
    }
  }
}

/** The thrown error as text, with the traceback of a script unless the text contains it. */
function withTraceback(thrown: unknown): string {
  const text = messageOf(thrown);
  if (!(thrown instanceof OrcsError)) return text;
  const calls = thrown.diagnostics.flatMap(({ traceback }) => tracebackLines(traceback));
  const [first = ""] = calls;
  return text.includes(first) ? text : [text, "traceback:", ...calls].join("\n");
}

/** With `--json` an error is also printed to stdout: `{"error":{"code","message","fields","diagnostics"}}`. */
function printJsonError(thrown: unknown): void {
  const words = process.argv.slice(2);
  // Arguments after `--` belong to another program.
  const own = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  if (!own.includes("--json")) return;
  const { code, fields, diagnostics } =
    thrown instanceof OrcsError ? thrown : new OrcsError("ORCS5001", "");
  const error = {
    code,
    message: messageOf(thrown),
    fields,
    diagnostics: diagnostics.map(flatDiagnostic),
  };
  printJson({ error });
}
