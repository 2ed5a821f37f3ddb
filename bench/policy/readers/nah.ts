import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Line } from "../corpus.ts";

/** The files of nah's corpus about commands of the shell; the others are about secrets, and about nah's own files. */
const FILES = [
  "execution-flows",
  "filesystem",
  "git",
  "local-utilities",
  "project",
  "shell-resolution",
] as const;

interface Case {
  readonly command?: string;
  readonly observation_fixture: string;
  readonly expected: { readonly verdict?: "block" | "delegate"; readonly guard?: string };
}

interface Fixtures {
  readonly observation_fixtures: Readonly<Record<string, { readonly cwd: string }>>;
}

/** nah's corpus of cases (`corpus/*.jsonl`): "block" is a stop. */
export function nahLines(folder: string, corpus: string): Line[] {
  const text = (file: string): string => readFileSync(join(folder, "corpus", file), "utf8");
  const fixtures = (JSON.parse(text("FIXTURES.json")) as Fixtures).observation_fixtures;
  return FILES.flatMap((file) =>
    text(`${file}.jsonl`)
      .split("\n")
      .flatMap((row, index): Line[] => {
        if (row.trim() === "") return [];
        const { command, observation_fixture, expected } = JSON.parse(row) as Case;
        // "delegate" leaves a line to whoever is asked next: it is wanted neither stopped nor allowed.
        if (command === undefined || expected.verdict !== "block") return [];
        // About what may be read and sent: secret-guard's part, and no matter of what a command destroys or runs.
        if (expected.guard?.startsWith("secrets-") === true) return [];
        const cwd = fixtures[observation_fixture]?.cwd;
        const source = `corpus/${file}.jsonl:${index + 1}`;
        return [
          { corpus, line: command, wants: "stop", source, ...(cwd === undefined ? {} : { cwd }) },
        ];
      }),
  );
}
