import type { LuaField } from "../../../src/core/orcs-api.ts";
import { EFFECT_KINDS } from "../../../src/core/effects.ts";
import type { CallLine, Effect } from "../../../src/core/effects.ts";
import { REDIRECT_OPS, UNREAD_FILES } from "../../../src/core/shell.ts";
import type { ShellArguments, ShellCommand, ShellRedirect } from "../../../src/core/shell.ts";
import { classText, enumText } from "./lua-writer.ts";

/** What `orcs.shell` lists. */
export function shellClasses(): string[] {
  return [
    enumText("orcs.RedirectOp", "The operator of a redirection.", REDIRECT_OPS),
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
    enumText("orcs.UnreadFile", "Why a file could not be read.", Object.keys(UNREAD_FILES)),
    classText({
      name: "orcs.ShellArguments",
      doc: "The arguments of a command, as the dictionary of programs tells them apart.",
      fields: ARGUMENTS,
    }),
    enumText("orcs.EffectKind", "What a call does.", Object.keys(EFFECT_KINDS)),
    classText({ name: "orcs.Effect", doc: "Something that a call does.", fields: EFFECT }),
    classText({ name: "orcs.CallLine", doc: "A command line in a call.", fields: CALL_LINE }),
    classText({
      name: "orcs.ShellOptions",
      doc: "Options of orcs.shell.",
      fields: {
        spans: { type: "boolean", doc: "Whether commands have spans.", optional: true },
        dialect: {
          type: '"powershell"|"cmd"',
          doc: "The language of the line, if it is not that of POSIX shells.",
          optional: true,
        },
        files: {
          type: "boolean|string[]",
          doc: "Whether the commands of files that the line runs are listed behind what runs them; with texts in lower case, only those that mention one.",
          optional: true,
        },
      },
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
    doc: "The commands; when the rest of the line could not be read, the last one is opaque and stands for it.",
  },
  complete: { type: "boolean", doc: "Whether the whole line could be read." },
  why: { type: "string", doc: "Why it could not be read.", optional: true },
};

const COMMAND: Readonly<Record<keyof ShellCommand, LuaField>> = {
  argv: {
    type: "string[]",
    doc: "Name and arguments as the program gets them; globs and unknown words are left as written.",
  },
  unknown: {
    type: "integer[]",
    doc: "Positions in argv of the words that are not completely known.",
  },
  program: {
    type: "string",
    doc: "Last part of the name, such as rm for /bin/rm; empty when unknown.",
  },
  redirects: { type: "orcs.ShellRedirect[]", doc: "Files that it reads or writes by redirection." },
  via: {
    type: "string[]",
    doc: "The programs that run it, outermost first, such as sudo, sh or xargs.",
  },
  from: {
    type: "string[]",
    doc: "The programs whose output it reads from a pipe or runs as its script.",
  },
  cwd: { type: "string", doc: "Working directory; nil when unknown.", optional: true },
  dynamic: { type: "boolean", doc: "Whether any part of it is unknown." },
  opaque: {
    type: "boolean",
    doc: "Whether it is unknown what it runs, or it stands for an unreadable rest of the line.",
  },
  dialect: {
    type: '"powershell"|"cmd"',
    doc: "The language that it is written in; nil for that of POSIX shells.",
    optional: true,
  },
  described: {
    type: "boolean",
    doc: "Whether its program is in the dictionary: another one may do anything with what it is given.",
  },
  args: {
    type: "orcs.ShellArguments",
    doc: "Its options and operands; nil if its program is not in the dictionary.",
    optional: true,
  },
  quoted: {
    type: "integer[]",
    doc: "Positions in argv of the words with glob characters that are all quoted.",
    optional: true,
  },
  effects: { type: "orcs.Effect[]", doc: "What it does." },
  idle: {
    type: "boolean",
    doc: "Whether it stands in a function that the line defines and nothing can call.",
    optional: true,
  },
  interprets: {
    type: "boolean",
    doc: "Whether its program is an interpreter of another language than that of shells.",
    optional: true,
  },
  file: {
    type: "string",
    doc: "With the option files: the file that it stands in, an absolute path; nil for what stands in the line itself.",
    optional: true,
  },
  line: { type: "integer", doc: "Its line in file.", optional: true },
  written: {
    type: "boolean",
    doc: "Of a file that is run: whether the line itself has written this part of it; nil if it has not.",
    optional: true,
  },
  unread: {
    type: "orcs.UnreadFile",
    doc: "Of a file that could not be read, in place of its commands: why.",
    optional: true,
  },
  runs: {
    type: "string[]",
    doc: "Command lines that its code runs, besides those that are listed; nil if there are none.",
    optional: true,
  },
  stdin: {
    type: "string",
    doc: "What it reads from the standard input, if the line contains it; unknown parts are kept as written.",
    optional: true,
  },
  spans: {
    type: "(integer[]|boolean)[]",
    doc: "With the option spans: the first and the last byte of each word of argv in the line, or false if it is not in the line.",
    optional: true,
  },
};

const ARGUMENTS: Readonly<Record<keyof ShellArguments, LuaField>> = {
  name: { type: "string", doc: "The program and its subcommands in the dictionary: git/push." },
  at: { type: "integer", doc: "Position in argv of the last subcommand; 1 without one." },
  options: {
    type: "table<string, string|boolean>",
    doc: "By every name of an option, with dashes: its value, or whether it is set.",
  },
  operands: { type: "integer[]", doc: "Positions in argv, behind the subcommand." },
  before: {
    type: "integer",
    doc: "The number of operands in front of --; nil if there is no --.",
    optional: true,
  },
};

const CALL_LINE: Readonly<Record<keyof CallLine, LuaField>> = {
  line: { type: "string", doc: "The line." },
  cwd: { type: "string", doc: "The folder that it starts in." },
  dialect: {
    type: '"powershell"|"cmd"',
    optional: true,
    doc: "Its language, if it is not that of POSIX shells.",
  },
  script: {
    type: "boolean",
    optional: true,
    doc: "It may as well be code in another language.",
  },
  code: { type: "boolean", optional: true, doc: "It is code in another language." },
};

const EFFECT: Readonly<Record<keyof Effect, LuaField>> = {
  kind: { type: "orcs.EffectKind", doc: "What it is." },
  target: {
    type: "string",
    optional: true,
    doc: "An absolute path or a glob of such, a host, a program, a package, `env:NAME`; nil where it is unknown.",
  },
  sure: { type: "boolean", doc: "Whether it happens; otherwise it may." },
  recursive: { type: "boolean", optional: true, doc: "Everything below the target as well." },
  from: { type: "string", optional: true, doc: "Where a copy or what is sent comes from." },
  shows: {
    type: '"part"|"archive"|"nothing"',
    optional: true,
    doc: "What becomes visible of what is read, if not all of it.",
  },
  except: { type: "string[]", optional: true, doc: "Globs of names below it that are left out." },
  empty: { type: "boolean", optional: true, doc: "Only if the file or the folder is empty." },
  found: { type: "string", optional: true, doc: "The command that lists the files for it." },
  elsewhere: { type: "boolean", optional: true, doc: "On another machine or in a container." },
  word: { type: "string", optional: true, doc: "The target as it is written in the call." },
  cwd: { type: "string", optional: true, doc: "The folder that a relative word begins in." },
  program: { type: "string", optional: true, doc: "The program that does it, in a command line." },
  arg: { type: "string", optional: true, doc: "The argument that names the target." },
  unfollowed: {
    type: "boolean",
    optional: true,
    doc: "A link is removed or replaced itself, not what it leads to.",
  },
  file: { type: "string", optional: true, doc: "The file that does it, if the call runs one." },
  line: { type: "integer", optional: true, doc: "The line in file, from 1." },
};

const REDIRECT: Readonly<Record<keyof ShellRedirect, LuaField>> = {
  op: { type: "orcs.RedirectOp", doc: "The operator as written." },
  target: { type: "string", doc: "The file, as far as it is known." },
  dynamic: { type: "boolean", doc: "Whether the file is not completely known." },
};
