import { markOpaque } from "./entered.ts";
import type { Entered } from "./entered.ts";
import { joinedScript, known, scriptText, UNKNOWN } from "../words/field.ts";
import type { Field } from "../words/field.ts";
import { OWN_STDIN, through } from "../frame.ts";
import { hasOption, partOptions } from "./options.ts";
import type { OptionSpec } from "./options.ts";
import { quoteWords } from "../quote.ts";
import { READ_WORDS } from "./xargs-command.ts";

const OPTIONS: OptionSpec = {
  short: "aCdEIjLMnNPSsW",
  attached: "eil",
  long: [
    "arg-file",
    "arg-file-sep",
    "arg-sep",
    "basefile",
    "block",
    "colsep",
    "delay",
    "delimiter",
    "env",
    "halt",
    "header",
    "jobs",
    "joblog",
    "limit",
    "load",
    "max-args",
    "max-chars",
    "max-line-length-allowed",
    "max-procs",
    "max-replace-args",
    "memfree",
    "nice",
    "profile",
    "recend",
    "recstart",
    "regexp",
    "results",
    "retries",
    "rpl",
    "shellquote",
    "sqlmaster",
    "sshdelay",
    "sshlogin",
    "sshloginfile",
    "tagstring",
    "tempdir",
    "termseq",
    "timeout",
    "tmpdir",
    "transferfile",
    "trim",
    "workdir",
  ],
  flags: [
    "bar",
    "bg",
    "cat",
    "citation",
    "dry-run",
    "eta",
    "fifo",
    "group",
    "keep-order",
    "line-buffer",
    "link",
    "no-notice",
    "no-run-if-empty",
    "null",
    "pipe",
    "pipepart",
    "plus",
    "progress",
    "quote",
    "resume",
    "resume-failed",
    "semaphore",
    "shuf",
    "tag",
    "tty",
    "ungroup",
    "verbose",
    "will-cite",
    "xargs",
  ],
};

/** Options with which a run gets several arguments, or in another form. */
const GROUPING = [
  ...Array.from("nNLXmCIWis0d"),
  "max-args",
  "max-replace-args",
  "xargs",
  "colsep",
  "trim",
  "header",
  "rpl",
  "pipe",
  "pipepart",
  "delimiter",
  "null",
];

/** Arguments that are followed one by one; of more, none is known. */
const MOST_ARGS = 16;

const TEMPLATE = /\{[-+./#%0-9]*\}/g;

/** `parallel CMD ::: ARGS…`: a shell runs the command once for each argument. */
export function launchParallel({ fields, frame, draft, reading }: Entered): void {
  const parted = partOptions(fields.slice(1), OPTIONS);
  const scope = frame.scope.child();
  const inner = { ...through(frame, "parallel", scope), stdin: OWN_STDIN };
  for (const rest of [parted.rest, ...(parted.unsure ? [parted.rest.slice(1)] : [])]) {
    const end = rest.findIndex(({ text }) => /^:::+\+?$/.test(text));
    const command = end < 0 ? rest : rest.slice(0, end);
    const isListed = end >= 0 && rest[end]?.text === ":::";
    const args = isListed ? rest.slice(end + 1) : end < 0 ? lines(frame.stdin.text()) : undefined;
    const isKnown =
      args?.every((arg) => arg.known && arg.glob !== true && !arg.text.startsWith(":::")) ===
        true &&
      args.length <= MOST_ARGS &&
      !hasOption(parted, ...GROUPING, "a", "arg-file");
    if (command.length === 0 && !isKnown) return markOpaque(draft, frame.stdin.from);
    const line = joinedScript(command);
    for (const arg of isKnown ? (args ?? []) : [READ_WORDS])
      reading.script(filled(line, arg), inner);
  }
}

function lines(read: Field | undefined): readonly Field[] | undefined {
  if (read?.known !== true) return undefined;
  return read.text.split("\n").filter(Boolean).map(known);
}

/** An argument is quoted where it is put into a line, and is the line where there is none. */
function filled(line: string, arg: Field): string {
  if (line === "") return scriptText(arg);
  const text =
    arg.known && !/^[\w./:@%+,=-]+$/.test(arg.text) ? quoteWords([arg.text]) : scriptText(arg);
  let isPut = false;
  const put = line.replaceAll(TEMPLATE, (template) => {
    isPut = true;
    return arg.known && (template === "{}" || template === "{1}") ? text : UNKNOWN + template;
  });
  return isPut ? put : `${line} ${text}`;
}
