import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrcs } from "orcs";
import type { Orcs } from "orcs";
import { quantile } from "./measure.ts";
import type { Row } from "./report.ts";

const FOLDERS = 48;
const FILES_OF_FOLDER = 16;
const LINES = 100;
const ROUNDS = 25;
const PATTERN = "needle[0-9]+";
const SAMPLE_MS = 1;

/** `grep` over 768 files of 100 lines beside the program of that name, and how long it holds the thread at most. */
export async function grepRows(): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), "orcs-bench-grep-"));
  const orcs = await createOrcs({ config: { permissions: { root } } });
  const took: number[] = [];
  const held: number[] = [];
  const program: number[] = [];
  try {
    writeTree(root);
    for (let round = 0; round < ROUNDS; round++) {
      const stop = watchThread();
      const started = performance.now();
      await search(orcs);
      took.push(performance.now() - started);
      held.push(await stop());
      program.push(grep(root));
    }
  } finally {
    await orcs.close();
    rmSync(root, { recursive: true });
  }
  const [us, baseline] = [took, program].map((ms) => quantile(ms, 0.25) * 1000);
  const longest = quantile(held, 0.25);
  return [
    {
      key: "grep_768",
      what: "grep over 768 files, against the process of `grep -r`",
      us: us ?? NaN,
      baseline: baseline ?? NaN,
      ratio: (us ?? NaN) / (baseline ?? NaN),
    },
    {
      key: "grep_768_held",
      what: "the longest that it holds the thread",
      us: longest * 1000,
      ratio: longest,
    },
  ];
}

function writeTree(root: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, `folder${folder}`);
    mkdirSync(path);
    for (let file = 0; file < FILES_OF_FOLDER; file++) {
      const lines = Array.from(
        { length: LINES },
        (_, line) => `export const value${line} = source.of(${folder * line}); // ${file}`,
      );
      if (file === 0) lines[50] = `needle${folder}`;
      writeFileSync(join(path, `file${file}.ts`), `${lines.join("\n")}\n`);
    }
  }
}

async function search(orcs: Orcs): Promise<void> {
  const answer = await orcs.get("grep", { pattern: PATTERN, path: "." });
  const matches = answer.ok ? answer["matches"] : undefined;
  if (!Array.isArray(matches) || matches.length !== FOLDERS) {
    throw new Error(`grep: ${JSON.stringify(answer).slice(0, 200)}`);
  }
}

/** Milliseconds that the program takes for the same. */
function grep(root: string): number {
  const started = performance.now();
  const { stdout } = spawnSync("grep", ["-rnE", PATTERN, "."], { cwd: root, encoding: "utf8" });
  const took = performance.now() - started;
  if (stdout.trim().split("\n").length !== FOLDERS) throw new Error(`grep -r: ${stdout}`);
  return took;
}

/** @returns what tells for how long a timer was kept waiting at most, in milliseconds */
function watchThread(): () => Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last - SAMPLE_MS);
    last = now;
  };
  const timer = setInterval(look, SAMPLE_MS);
  return async () => {
    await new Promise((resolve) => setImmediate(resolve));
    look();
    clearInterval(timer);
    return longest;
  };
}
