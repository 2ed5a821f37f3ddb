import { existsSync } from "node:fs";
import { join } from "node:path";
import { distinct } from "./corpus.ts";
import type { Line } from "./corpus.ts";
import { dcgCoreLines, dcgPackLines } from "./readers/dcg.ts";
import { nahLines } from "./readers/nah.ts";
import { safetyNetLines } from "./readers/safety-net.ts";

/** Test lines of another guard, read from a copy of its repository: they are not ours to keep here. */
export interface Corpus {
  readonly name: string;
  readonly repository: string;
  readonly tag: string;
  /** The name of the copy in the folder of copies. */
  readonly folder: string;
  readonly read: (folder: string, corpus: string) => Line[];
  /**
   * Whether its other lines are wanted allowed. nah's are not: "delegate" leaves a line to whoever is asked next, so a
   * stop of it is no false one.
   */
  readonly wantsAllowed: boolean;
  /** Whether it tests packs that ours has off by default. */
  readonly isPacks: boolean;
}

const SAFETY_NET = { read: safetyNetLines, wantsAllowed: true, isPacks: false };
const DCG = {
  repository: "Dicklesworthstone/destructive_command_guard",
  tag: "v0.4.1",
  folder: "destructive_command_guard",
  wantsAllowed: true,
};

export const CORPORA: readonly Corpus[] = [
  {
    name: "cc-safety-net-0.9",
    repository: "kenryu42/claude-code-safety-net",
    tag: "v0.9.0",
    folder: "cc-safety-net-0.9",
    ...SAFETY_NET,
  },
  {
    name: "cc-safety-net-2.0",
    repository: "kenryu42/cc-safety-net",
    tag: "v2.0.10",
    folder: "cc-safety-net-2.0",
    ...SAFETY_NET,
  },
  { name: "dcg-core", ...DCG, read: dcgCoreLines, isPacks: false },
  { name: "dcg-packs", ...DCG, read: dcgPackLines, isPacks: true },
  {
    name: "nah-shell",
    repository: "manuelschipper/nah",
    tag: "v1.3.1",
    folder: "nah",
    read: nahLines,
    wantsAllowed: false,
    isPacks: false,
  },
];

/** The lines of a corpus; what to do about it if there is no copy. */
export function corpusLines(corpus: Corpus, from: string | undefined): Line[] | string {
  const folder = join(from ?? "DIR", corpus.folder);
  if (from !== undefined && existsSync(folder)) return distinct(corpus.read(folder, corpus.name));
  const url = `https://github.com/${corpus.repository}`;
  return (
    `${corpus.name} is not measured: there is no copy${from === undefined ? "" : ` in ${folder}`}. ` +
    `git clone --depth 1 --branch ${corpus.tag} ${url} ${folder}, then --from ${from ?? "DIR"}`
  );
}
