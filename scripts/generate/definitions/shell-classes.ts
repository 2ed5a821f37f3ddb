import type { LuaField } from "../../../src/core/orcs-api.ts";
import { REDIRECT_OPS } from "../../../src/core/shell.ts";
import type { ShellCommand, ShellRedirect } from "../../../src/core/shell.ts";
import { classText, enumText } from "./lua-writer.ts";

/** What `orcs.shell` lists. */
export function shellClasses(): string[] {
  return [
    enumText("orcs.RedirectOp", "How a redirection is written.", REDIRECT_OPS),
    classText({
      name: "orcs.ShellCommands",
      doc: "What a command line would run.",
      fields: COMMANDS,
    }),
    classText({
      name: "orcs.ShellCommand",
      doc: "A simple command that a command line would run.",
      fields: COMMAND,
    }),
    classText({
      name: "orcs.ShellRedirect",
      doc: "A redirection from or to a file.",
      fields: REDIRECT,
    }),
  ];
}

const COMMANDS: Readonly<Record<string, LuaField>> = {
  "[integer]": {
    type: "orcs.ShellCommand",
    doc: "The commands; the last one is opaque and stands for the rest when it could not be read.",
  },
  complete: { type: "boolean", doc: "Whether the whole line could be read." },
  why: { type: "string", doc: "Why it could not.", optional: true },
};

const COMMAND: Readonly<Record<keyof ShellCommand, LuaField>> = {
  argv: {
    type: "string[]",
    doc: "Name and arguments as the program gets them; globs, and what is not known, as written.",
  },
  unknown: { type: "integer[]", doc: "Positions in argv of the words that are not wholly known." },
  program: {
    type: "string",
    doc: "Last part of the name, such as rm of /bin/rm; empty when it is not known.",
  },
  redirects: { type: "orcs.ShellRedirect[]", doc: "Files that it reads or writes by redirection." },
  via: {
    type: "string[]",
    doc: "Through what it runs, outermost first, such as sudo, sh or xargs.",
  },
  from: {
    type: "string[]",
    doc: "Programs whose output it reads from a pipe or runs as its script.",
  },
  cwd: { type: "string", doc: "Directory it runs in; nil when it is not known.", optional: true },
  dynamic: { type: "boolean", doc: "Whether something of it cannot be known." },
  opaque: {
    type: "boolean",
    doc: "Whether it is not known what it runs at all, or it stands for what cannot be read.",
  },
};

const REDIRECT: Readonly<Record<keyof ShellRedirect, LuaField>> = {
  op: { type: "orcs.RedirectOp", doc: "As it is written." },
  target: { type: "string", doc: "The file, as far as it is known." },
  dynamic: { type: "boolean", doc: "Whether the file is not wholly known." },
};
