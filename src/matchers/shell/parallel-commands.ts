import { markOpaque } from "./entered.ts";
import type { Entered } from "./entered.ts";
import type { Field } from "./field.ts";
import { OWN_STDIN, through } from "./frame.ts";
import { partOptions } from "./options.ts";
import { READ_WORDS } from "./xargs-command.ts";

const OPTIONS = {
  short: "aCdEIjLnNPSsX",
  long: [
    "arg-file",
    "colsep",
    "delay",
    "delimiter",
    "jobs",
    "joblog",
    "max-args",
    "results",
    "sshlogin",
    "tmpdir",
    "timeout",
    "workdir",
  ],
};

/** Arguments that are followed one by one; of more, none is known. */
const MOST_ARGS = 16;

const TEMPLATE = /\{[./#%0-9]*\}/g;

/** `parallel CMD ::: ARGS…`: a shell runs the command once for each argument. */
export function launchParallel({ fields, frame, draft, reading }: Entered): void {
  const { rest } = partOptions(fields.slice(1), OPTIONS);
  const end = rest.findIndex(({ text }) => /^:::+\+?$/.test(text));
  const command = end < 0 ? rest : rest.slice(0, end);
  const args = end >= 0 && rest[end]?.text === ":::" ? rest.slice(end + 1) : undefined;
  const inner = { ...through(frame, "parallel", frame.scope.layer()), stdin: OWN_STDIN };
  const known =
    args?.every((arg) => arg.known && arg.text !== ":::") === true && args.length <= MOST_ARGS;
  if (command.length === 0 && !known) return markOpaque(draft, frame.stdin.from);
  const line = command.map(({ text }) => text).join(" ");
  const written = known ? (args ?? []) : [READ_WORDS];
  for (const arg of written) {
    reading.script(filled(line, arg), {
      ...inner,
      templates: [...frame.templates, READ_WORDS.text],
    });
  }
}

function filled(line: string, { text }: Field): string {
  if (line === "") return text;
  const put = line.replaceAll(TEMPLATE, () => text);
  return put === line ? `${line} ${text}` : put;
}
