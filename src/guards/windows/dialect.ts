import type { ShellCommand, ShellDialect, ShellReader, ShellReading } from "../../core/index.ts";
import { programs, OTHER_SYNTAX } from "../../matching/index.ts";
import {
  isCmdlet,
  isServiceCommand,
  isTelling,
  WINDOWS_EXTENSION,
  WINDOWS_SHELLS,
} from "./names.ts";
import { WindowsReader } from "./reader.ts";

/**
 * A reader of lines for any shell. In a line for a POSIX shell, what PowerShell and cmd are started with is read as
 * well; a line that may be for these has the commands of both readings.
 */
export function anyShellReader(
  plain: ShellReader,
  home: () => string | undefined,
): ShellReader["read"] {
  return (line, cwd, wanted = {}) => {
    const reader = (dialect: ShellDialect, from: string | undefined): WindowsReader =>
      new WindowsReader(plain, home(), dialect, from);
    const windows = (): ShellReading =>
      reader(wanted.dialect ?? "powershell", cwd ?? ".").read(line);
    if (wanted.dialect) return windows();
    // The text of a here-document is code of the program that reads it.
    const posix = plain.read(line, cwd, { ...wanted, stdin: true });
    const isOther = posix.unread === OTHER_SYNTAX;
    let { unread } = posix;
    let commands = posix.commands.flatMap((command): ShellCommand | readonly ShellCommand[] => {
      const name = ofWindows(command);
      if (name === undefined) return command;
      const found = reader(name, command.cwd).read(command);
      unread ??= found.unread;
      return found.commands;
    });
    if (isOther || posix.commands.some(({ program, argv }) => isTelling(program, argv))) {
      const found = windows();
      // A cmdlet is what PowerShell reads it as.
      if (isOther)
        commands = commands.filter(({ program, dialect }) => dialect || !isCmdlet(program));
      commands = [...commands, ...found.commands];
      if (isOther) ({ unread } = found);
      else if (found.commands.length > 0) unread ??= found.unread;
    }
    return { commands, unread };
  };
}

/** The language of a command in a POSIX line that is one of Windows: `sc.exe stop x`, also in `bash -c`. */
function ofWindows({ argv, program, via }: ShellCommand): ShellDialect | undefined {
  const name = program.toLowerCase().replace(WINDOWS_EXTENSION, "");
  if (WINDOWS_SHELLS.has(name)) return "powershell";
  if (via.length > 0 && isTelling(program, argv)) return "powershell";
  const isNamed = WINDOWS_EXTENSION.test(argv[0] ?? "") || isServiceCommand(name, argv);
  if (!isNamed) return undefined;
  const described = programs().describe({ program: name, argv, unknown: [] }, []);
  return described?.row.style === "windows" ? "cmd" : undefined;
}

/** The language of the lines that a tool of this name takes; undefined for that of POSIX shells. */
export function dialectOf(tool: unknown): ShellDialect | undefined {
  const name = typeof tool === "string" ? tool.toLowerCase() : "";
  if (!WINDOWS_SHELLS.has(name)) return undefined;
  return name === "cmd" ? "cmd" : "powershell";
}
