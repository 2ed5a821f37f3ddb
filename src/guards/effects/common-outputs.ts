import type { ShellCommand } from "../../core/index.ts";
import type { DescribedCommand } from "../../matching/index.ts";
import type { EffectList } from "./effect-list.ts";

/** Options of any program whose value is mostly a file or a folder that it writes. */
const OUTPUTS =
  "--output --out --outfile --out-file --output-file --output-path --outdir --out-dir --output-dir --outDir --outFile " +
  "--target-dir --dest --destination";
/** A value that may be a path. */
const PATH = /^(?!-)(?=.*[/.])[^\s{]+$/;

/** Lists what a program may write by the common names of options that its row does not have. */
export function addCommonOutputs(
  { argv, unknown }: ShellCommand,
  found: EffectList,
  described?: DescribedCommand,
): void {
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (!word.startsWith("--")) continue;
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    if (name.length < 5 || name === "--target" || !` ${OUTPUTS}`.includes(` ${name}`)) continue;
    // It may abbreviate one of several options.
    if (described && [...described.row.options.keys()].some((own) => own.startsWith(name)))
      continue;
    const value = equals < 0 ? (argv[at + 1] ?? "") : word.slice(equals + 1);
    const position = equals < 0 ? at + 1 : at;
    if (PATH.test(value))
      found.file(
        "write",
        { text: value, at: position, known: !unknown.includes(position) },
        { sure: false },
      );
  }
}
