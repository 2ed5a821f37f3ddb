import { wordSet } from "../../core/index.ts";
import { byName } from "../../matching/index.ts";
import type { Argument, Arguments, Part } from "../../matching/index.ts";
import type { EffectCall } from "./command-effects.ts";
import { newItem, renameItem } from "../windows/effects.ts";
import { netcat, requests, socat } from "./connections.ts";
import { base, copy, isOfHost } from "./copies.ts";
import { environment } from "./environment.ts";
import { addGuesses } from "./guesses.ts";
import { HERE, wordAt } from "./effect-list.ts";
import { sought } from "./find-expression.ts";
import { search } from "./searches.ts";
import { awk, jq, sed, substitute } from "./texts.ts";

/** What the rows of the dictionary cannot say: each is named by `fn=` in a row. */
export const FUNCTIONS: Readonly<Record<string, (call: EffectCall) => void>> = {
  awk,
  copy,
  "new-item": newItem,
  "rename-item": renameItem,
  environment,
  guesses: ({ command, found }) => addGuesses(command, found),
  jq,
  netcat,
  // It uses a private key without showing it, with `-noout` or `-pubout`.
  openssl: ({ args: { parts, meanings, operands }, byRole }) => {
    const command = operands[0]?.text ?? "";
    const hides = command === "genrsa" || (meanings.has("hides") && !meanings.has("text"));
    const hasKey = /^(?:rsa|ec|pkey|dsa|genrsa|x509|req)$/.test(command);
    byRole(parts, hides && hasKey ? { shows: "nothing" } : {});
  },
  // `parallel cat ::: a b`, `parallel -a LIST cat`, `:::: LIST`.
  parallel: ({ command, args, found, byRole }) => {
    byRole(args.parts);
    let kind = "";
    for (const [at, text] of command.argv.entries()) {
      if (/^:::+\+?$/.test(text)) kind = text;
      else if (kind !== "")
        found.file("read", wordAt(command, at), { sure: kind.startsWith("::::") });
    }
  },
  gpg: ({ args: { parts, meanings }, found, byRole }) => {
    byRole(parts);
    if (meanings.has("shown")) found.file("read", `${found.home ?? "~"}/.gnupg/private-keys-v1.d`);
  },
  requests,
  search,
  socat,
  clone,
  cmake: ({ command, args, byRole, program }) => {
    const [, flag, verb = "", ...words] = command.argv;
    const isRecursive = verb === "remove_directory";
    if (flag !== "-E" || !(isRecursive || /^rm$|^remove$/.test(verb))) return byRole(args.parts);
    program(["rm", ...(isRecursive ? ["-r"] : []), ...words]);
  },
  compress,
  database,
  dd: ({ args, found }) => {
    for (const operand of args.operands) {
      const [, name, text = ""] = /^(if|of)=(.*)$/s.exec(operand.text) ?? [];
      if (name !== undefined) found.file(name === "of" ? "write" : "read", { ...operand, text });
      else if (!operand.known) found.file("write", operand, { sure: false });
    }
  },
  fetch: (call) => fetched(call, call.args.meanings.has("folder")),
  find,
  gitapply: ({ args: { meanings, parts }, byRole }) => {
    if (!meanings.has("dry") || meanings.has("applies")) byRole(parts);
  },
  gitconfig,
  infolder: (call) => fetched(call, true),
  mktemp: ({ args, found }) => {
    const { meanings, parts } = args;
    const folder = valueOf(args, "folder");
    const template = parts.find(({ role }) => role === "writes");
    if (meanings.has("dry") || meanings.has("temporary")) return;
    if (template) {
      const text = template.text.replace(/X{3,}(?=[^X]*$)/, "*");
      found.file("write", within(folder, { ...template, text }));
    } else if (folder) found.file("write", folder, { recursive: true });
  },
  modes: ({ args: { options, operands, parts }, byRole }) => {
    // `chmod -x file`: a mode looks like options.
    const isMode = options.some(({ name, row }) => !row && !name.startsWith("--"));
    if (!isMode) return byRole(parts);
    for (const operand of operands) byRole([{ ...operand, role: "attributes" }]);
  },
  module: ({ command, args, program, byRole }) => {
    const first = args.options.find(({ row }) => row?.meaning);
    const module = first?.row?.meaning === "module" ? first.value : undefined;
    if (module) program([module.text, ...command.argv.slice(module.at + 1)]);
    else byRole(args.parts);
  },
  moved: ({ command, args, byRole }) => {
    const isMove = command.argv.includes("-sdel");
    const role = (part: Part): Part =>
      isMove && part.role === "packs" ? { ...part, role: "moves" } : part;
    byRole(args.parts.map(role));
  },
  rmdir: ({ args, byRole }) => byRole(args.parts, { empty: true }),
  sed,
  serve,
  split: ({ described, args, found, byRole }) => {
    byRole(args.parts);
    const isPlain = described.name === "split";
    const prefix = isPlain ? args.operands[1] : valueOf(args, "prefix");
    const begin = prefix ?? { ...HERE, text: isPlain ? "x" : "xx" };
    const suffix = valueOf(args, "suffix")?.text ?? "";
    found.file("write", { ...begin, text: `${begin.text}*${suffix}` });
  },
  stored,
  substitute,
  tar,
  tree: ({ args, byRole }) => byRole(args.parts, { recursive: true }),
  unpack: ({ args: { meanings, parts }, byRole }) =>
    byRole(parts.filter(({ role }) => role !== "below" || !meanings.has("shows"))),
  vim,
};

/** The value of the last option with a meaning. */
function valueOf({ options }: Arguments, meaning: string): Argument | undefined {
  return options.findLast(({ row, value }) => row?.meaning === meaning && value)?.value;
}

/** A file in a folder. */
function within(folder: Argument | undefined, file: Argument): Argument {
  if (!folder) return file;
  return { ...file, text: `${folder.text}/${file.text}`, known: folder.known && file.known };
}

/** Servers of files: what is in a folder is given to whoever asks. */
function serve({ args, found }: EffectCall): void {
  const operand = args.parts.find(({ role, option }) => role === "cd" && !option);
  const folder = valueOf(args, "folder") ?? operand ?? HERE;
  found.connect("0.0.0.0");
  found.send(folder);
}

/** `git clone URL [FOLDER]`: without a folder, it is named like the last part of the address. */
function clone({ args: { parts, before }, found, byRole }: EffectCall): void {
  byRole(parts);
  const url = parts.find(({ role }) => role === "url");
  const own = parts.slice(0, before);
  if (!url || own.some(({ role, option }) => option === undefined && role !== "url")) return;
  const text = base(url.text.replace(/\.git\/*$/, "")).replace(/^.*:/, "");
  found.file("write", { ...url, text }, { recursive: true });
}

/** What is packed or unpacked takes the place of the file. */
const SUFFIXES = byName({
  "gzip gunzip ggzip pigz": "gz",
  "bzip2 bunzip2 pbzip2": "bz2",
  "xz unxz": "xz",
  "zstd unzstd": "zst",
  "lzma unlzma": "lzma",
  brotli: "br",
});

function compress({ command, args, found, byRole }: EffectCall): void {
  const { meanings, operands, parts } = args;
  byRole(parts);
  if (meanings.has("shows") || meanings.has("output")) return;
  const { program } = command;
  const suffix = SUFFIXES.get(program) ?? "z";
  const unpacks = /^un|gunzip|bunzip2/.test(program) || meanings.has("unpack");
  for (const operand of operands) {
    if (!meanings.has("keep")) found.file("remove", operand, { unfollowed: true });
    const text = unpacks ? operand.text.replace(/\.\w+$/, "") : `${operand.text}.${suffix}`;
    if (text !== operand.text) found.file("write", { ...operand, text });
  }
}

/** What a program that fetches addresses writes: to a named file, or to one that an address names. */
function fetched({ described, args, found, byRole }: EffectCall, isInFolder: boolean): void {
  const { row } = described;
  byRole(args.parts);
  const folder = valueOf(args, "folder");
  const outputs = args.options.filter((option) => option.row?.meaning === "output");
  const joins = row.options.has("--output-dir") || row.options.has("--dir");
  for (const { value } of outputs)
    if (value && value.text !== "-") found.file("write", joins ? within(folder, value) : value);
  // curl writes to its output unless it is told otherwise.
  const names =
    row.options.get("-O")?.meaning === "named" ? args.meanings.has("named") : outputs.length === 0;
  if (!names) return;
  // The server may give the name, and an address may be unknown.
  if (folder && isInFolder) found.file("write", folder, { recursive: true });
  for (const part of args.parts.filter(({ role }) => role === "url")) {
    const text = /:\/\/[^/]+\/(?:.*\/)?([^/]+)$/.exec(part.text.replace(/[?#].*$/s, ""))?.[1];
    if (text !== undefined) found.file("write", within(folder, { ...part, text }));
  }
}

const FIND_PRINTS = wordSet("-fprint -fprint0 -fls -fprintf");

function find({ command, found }: EffectCall): void {
  const { argv } = command;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (FIND_PRINTS.has(word)) found.file("write", wordAt(command, ++at));
    if (word === "-files0-from") found.file("read", wordAt(command, ++at));
    if (word !== "-delete") continue;
    for (const { glob, ...details } of sought(argv, "delete")) {
      const known = !/[$`…]/.test(glob);
      const own = { ...details, unfollowed: true as const, found: argv.join(" ") };
      found.file("remove", { text: glob, at: -1, known }, own);
    }
    break;
  }
}

/** Keys with which git runs a command, or uses other configuration, another working tree or other addresses. */
const STEERS =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|pager|editor|worktree)$|include\.|includeif\.|filter\.|alias\.|credential\.|gpg\..*program$|.*\.textconv$|diff\.external$|url\.)/i;

function gitconfig({ args, found }: EffectCall): void {
  const { meanings, operands } = args;
  const [verb, ...rest] = operands;
  const file = valueOf(args, "file");
  if (file) found.file("read", file);
  const changes = /^(?:set|unset|edit)$/.test(verb?.text ?? "");
  const isModern = changes || verb?.text === "get";
  const [key, ...more] = isModern ? rest : operands;
  if (
    !changes &&
    !meanings.has("changes") &&
    (isModern || more.length === 0 || meanings.has("reads"))
  )
    return;
  const own = (text: string): void => found.file("write", { text, at: 1, known: true });
  if (file) found.file("write", file);
  else if (meanings.has("system")) own("/etc/gitconfig");
  else if (meanings.has("global")) found.file("write", found.given("~/.gitconfig"));
  else if (!key || STEERS.test(key.text)) own(".git/config");
}

/** Subcommands that copy between this machine and a store, and those that copy what is in a folder. */
const STORES =
  /^(?:cp|mv|get|get-object|invoke|scp|sync|rsync|mirror|copy|copyto|move|moveto|bisync|download)$/;
const TREES = /^(?:sync|rsync|mirror|copy|move|bisync)$/;

/** A copy from or to a store: `aws s3 cp s3://a/b DIR`. */
function stored({ command, args, found, byRole }: EffectCall): void {
  const { operands, meanings, parts } = args;
  byRole(parts);
  const verb = operands.findIndex(
    ({ text }, at) => at < Math.min(3, operands.length - 2) && STORES.test(text),
  );
  const into = operands.at(-1);
  // Into the current folder: `s3cmd get s3://bucket/file`.
  if (into && operands.length === 2 && operands[0]?.text === "get" && isOfHost(into.text)) {
    found.connect(into);
    found.file("write", { ...into, text: base(into.text) });
  }
  if (!into || (verb < 0 && (command.program !== "rclone" || operands.length < 2))) return;
  const name = operands[verb]?.text ?? "";
  const isTree = TREES.test(name) || meanings.has("recursive");
  const sources = operands.slice(verb + 1, -1);
  for (const word of [...sources, into]) if (isOfHost(word.text)) found.connect(word);
  for (const source of sources) {
    const isMoved = name.startsWith("mov") || name === "mv";
    if (isOfHost(source.text)) continue;
    const recursion = isTree ? { recursive: true as const } : {};
    found.file("read", source, recursion);
    if (isOfHost(into.text)) found.send(source);
    if (isMoved) found.file("remove", source, recursion);
  }
  if (isOfHost(into.text)) return;
  if (isTree) return found.file("write", into, { recursive: true });
  found.file("write", into);
  if (verb < 0) return;
  for (const source of sources)
    if (/^\.?[^.]*$|\/$/.test(base(into.text)))
      found.file("write", within(into, { ...source, text: base(source.text) }), { sure: false });
}

function tar({ args, found, byRole }: EffectCall): void {
  const { options, meanings, parts } = args;
  const archive = valueOf(args, "file");
  const folder = valueOf(args, "top") ?? valueOf(args, "folder");
  byRole(parts.filter(({ option }) => option !== undefined));
  const files: Part[] = parts.filter(({ option }) => option === undefined);
  if (meanings.has("extract") || meanings.has("list") || meanings.has("compare")) {
    if (archive) found.file("read", archive, { shows: "nothing" });
    // What it prints has the names of files in the archive.
    if (meanings.has("stdout")) byRole(files);
    const writes = meanings.has("extract") && !meanings.has("stdout");
    if (writes) found.file("write", folder ?? HERE, { recursive: true });
    return;
  }
  if (options.length > 0 && archive) found.file("write", archive);
  for (const file of files) {
    const own = folder && !file.text.startsWith("/") ? within(folder, file) : file;
    byRole([{ ...file, ...own }], meanings.has("chosen") ? { sure: false } : {});
    if (meanings.has("remove")) found.file("remove", own, { recursive: true, unfollowed: true });
  }
}

/** `+CMD` is a command, and with -e, so is the input. */
function vim({ command, described, args: { meanings, parts }, byRole, code }: EffectCall): void {
  const isCommand = ({ text, option }: Part): boolean => option === undefined && /^\+./.test(text);
  byRole(parts.filter((part) => !isCommand(part)));
  for (const part of parts) if (isCommand(part)) code("ex", part.text.slice(1));
  if (command.stdin && (described.name === "ex" || meanings.has("script")))
    code("ex", command.stdin.text);
}

/** Words that begin statements which change nothing. */
const SQL_READS =
  /^(?:select|explain|values|with|begin|end|commit|pragma|analyze|show|describe|summarize)$/i;
/** Beginnings of dot-commands that change the database. */
const SQL_FILLS =
  /^(?:im(?:p(?:o(?:rt?)?)?)?|re(?:s(?:t(?:o(?:re?)?)?)?|ad?)?|ar(?:c(?:h(?:i(?:ve?)?)?)?)?|lo(?:ad?)?)$/i;

/** The file of a database, unless the statements in its words only read it. */
function database({ args: { meanings, operands, parts }, found, byRole }: EffectCall): void {
  byRole(parts);
  const [file] = operands;
  if (!file || file.text === ":memory:" || file.text === "") return;
  const [, name = file.text, query = ""] =
    /^file:(?:\/\/[^/]*)?([^?]*)\??(.*)$/s.exec(file.text) ?? [];
  if (/mode=memory/.test(query)) return;
  found.file("read", { ...file, text: name });
  const isReadOnly = meanings.has("reads") || /mode=ro|immutable=1/.test(query);
  const scripts = parts.filter(({ role }) => role === "code");
  const reads =
    scripts.length > 0 && scripts.every(({ text }) => text.split(/[;\n]/).every(onlyReads));
  if (!isReadOnly && !reads) found.file("write", { ...file, text: name });
}

function onlyReads(statement: string): boolean {
  const dot = /^\s*\.([a-z]+)/i.exec(statement)?.[1];
  if (dot !== undefined) return !SQL_FILLS.test(dot);
  const word = /^\s*([a-z]+)/i.exec(statement)?.[1]?.toLowerCase();
  if (word === undefined) return true;
  if (!SQL_READS.test(word)) return false;
  if (word === "pragma") return !statement.includes("=");
  return word !== "with" || /\bselect\b/i.test(statement);
}
