import type { Entered } from "./entered.ts";
import type { Field } from "./field.ts";
import { known } from "./field.ts";
import { OWN_STDIN, through } from "./frame.ts";
import { hasOption, optionValue, partOptions } from "./options.ts";
import { splitWords } from "./split-fields.ts";

const OPTIONS = {
  short: "adEIJLnPRSs",
  long: ["arg-file", "delimiter", "eof", "max-args", "max-chars", "max-procs", "process-slot-var"],
};

/** What stands for words that a program reads and nobody knows. */
export const READ_WORDS: Field = { text: "…", known: false };

/** `xargs CMD ARGS…`: what it reads stands behind, or where `-I` says. */
export function launchXargs(entered: Entered): void {
  const { fields, frame, run } = entered;
  const parted = partOptions(fields.slice(1), OPTIONS);
  const { scope, stdin } = frame;
  const inner = { ...through(frame, "xargs", scope.layer()), stdin: OWN_STDIN };
  const command = parted.rest.length > 0 ? parted.rest : [known("echo")];
  const template = templateOf(parted);
  const read = hasOption(parted, "a", "arg-file") ? undefined : stdin.text();
  const words = read?.known === true ? splitWords(read.text) : undefined;
  if (template === undefined) {
    const added = words ? words.map(known) : [READ_WORDS];
    return run([...command, ...added], inner);
  }
  if (words?.length === 1 && words[0] !== undefined) {
    const [word] = words;
    return run(
      command.map((field) => ({ ...field, text: field.text.replaceAll(template, () => word) })),
      inner,
    );
  }
  const unsure = command.map((field) =>
    field.text.includes(template)
      ? { ...field, known: field.text !== template && field.known }
      : field,
  );
  return run(unsure, { ...inner, templates: [...frame.templates, template] });
}

function templateOf(parted: ReturnType<typeof partOptions>): string | undefined {
  const given = optionValue(parted, "I", "J", "replace");
  if (given) return given.text === "" ? "{}" : given.text;
  return hasOption(parted, "i", "replace") ? "{}" : undefined;
}
