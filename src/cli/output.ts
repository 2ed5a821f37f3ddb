import { printable } from "./table.ts";

/** Print a text as a line of its own. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Print a value as one line of JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** The same over several lines. */
export function printIndented(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}

/** Print a document: as JSON with `--json`, otherwise as text. */
export function printEither(
  json: boolean | undefined,
  document: unknown,
  text: () => string,
): void {
  print(json === true ? JSON.stringify(document) : text());
}

/** Say something beside the output, on stderr. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The same with the name of the program; the text may be of somebody else. */
export function tellOfOrcs(text: string): void {
  tell(`orcs: ${printable(text)}`);
}
