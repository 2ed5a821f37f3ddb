import { Command, CommanderError } from "commander";
import {
  escapeControl,
  FIRST_VERBS,
  isRare,
  isVerb,
  messageOf,
  OLD_VERBS,
  OrcsError,
  tracebackLines,
  VERBS,
} from "../core/index.ts";
import { flatDiagnostic } from "./diagnostics-text.ts";
import { EXIT } from "./options.ts";
import { print, printJson, tell } from "./output.ts";
import { guardLoosening } from "./loosening.ts";
import { ownVersion } from "../machine/index.ts";
import { listedCommand } from "./verb-command.ts";

/** Run the command line with the arguments of this process, and set its exit code. */
export async function runProgram(): Promise<void> {
  // The reader of stdout may close it early, for example `head`: handled like a closed terminal.
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.stdout.on("error", () => undefined);
    process.off("exit", unfinished);
    if (!process.emit("SIGHUP")) process.exit();
  });

  const program = new Command("orcs")
    .description("One hook engine for AI agents: hooks written in Lua, run in order, in a sandbox.")
    .version(ownVersion(), "-v, --version")
    .exitOverride()
    .showHelpAfterError("(see orcs --help)");
  guardLoosening(program);
  renameOldVerb(process.argv);
  const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
  // `orcs help VERB` shows its options; `orcs help` and everything else that follows is about the documentation.
  const wanted = words[0] === "help" && isVerb(words[1]) ? words[1] : words[0];
  if (isVerb(wanted)) {
    const { loadedCommand } = await import("./verb-loaders.ts");
    const command = await loadedCommand(wanted, process.argv);
    program.addCommand(command.exitOverride().showHelpAfterError("(see --help)"));
  } else {
    for (const [heading, names] of Object.entries(FIRST_VERBS)) {
      const listed = names.filter(isVerb).map((name) => listedCommand(name));
      for (const command of listed) program.addCommand(command.helpGroup(heading));
    }
    const others = Object.keys(VERBS).filter(isVerb).filter(isRare);
    for (const name of others) program.addCommand(listedCommand(name), { hidden: true });
    program.addHelpText("after", MORE);
  }

  // A program that types only the name gets help.
  if (process.argv.length < 3) return print(program.helpInformation() + MORE);
  if (wanted !== "serve") process.on("exit", unfinished);
  try {
    await program.parseAsync();
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      process.exitCode = thrown.exitCode === 0 ? EXIT.fine : EXIT.error;
      if (thrown.exitCode !== 0) printJsonError(thrown);
    } else {
      report(thrown);
    }
  } finally {
    process.off("exit", unfinished);
  }
}

/** The module of a hook that ends the process must not end a verb as if all were well. */
function unfinished(code: number): void {
  if (code !== EXIT.fine) return;
  report(new OrcsError("ORCS5001", "the module of a hook ended orcs: remove its process.exit()"));
}

/** Prints what ended a verb, and sets the exit code. */
function report(caught: unknown): void {
  const isGone = (caught as NodeJS.ErrnoException | undefined)?.syscall === "uv_cwd";
  const why = "the folder in which orcs was started no longer exists: change to another one";
  const thrown = isGone ? new OrcsError("ORCS5001", why) : caught;
  printJsonError(thrown);
  // An error of the user is printed without a stack; other errors are bugs of orcs.
  const shown = thrown instanceof OrcsError ? thrown.message : thrown;
  const text = shown instanceof Error ? (shown.stack ?? shown.message) : withTraceback(thrown);
  // It may quote lines of a file written by somebody else.
  tell(`orcs: ${text.split("\n").map(escapeControl).join("\n")}`);
  process.exitCode = EXIT.error;
}

const MORE = "\nMore commands: orcs help commands. Pages: orcs help.";

/** An old name of a command becomes the new one, with a note. */
function renameOldVerb(argv: string[]): void {
  const at = argv.findIndex((word, i) => i > 1 && word !== "help" && !word.startsWith("-"));
  const old = argv[at];
  if (old === undefined || !Object.hasOwn(OLD_VERBS, old)) return;
  const name = OLD_VERBS[old] ?? "";
  argv.splice(at, 1, ...name.split(" "));
  tell(`orcs: orcs ${old} is now orcs ${name}; the old name works in this version only`);
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
