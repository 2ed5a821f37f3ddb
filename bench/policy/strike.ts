import { writeFileSync } from "node:fs";
import { shellGuard } from "./guards.ts";
import type { Guard } from "./guards.ts";
import type { Line } from "./corpus.ts";
import { hashOf, MAX_STRUCK, readStruck, struckFile } from "./struck.ts";
import type { Struck } from "./struck.ts";
import { FETCHED, isSeen, openSandbox } from "./trace.ts";
import type { Trace } from "./trace.ts";

/** A stub cannot record these: what bash itself sends and receives, and lines of other shells. */
const UNSEEN = /\/dev\/(?:tcp|udp)\//;
/** So many lines run at once. */
const AT_ONCE = 4;

/**
 * Writes struck.jsonl anew for these corpora: runs what the default preset (with all packs, for a corpus of packs)
 * judges otherwise than its corpus wants, and strikes what the
 * traces allow (struck.ts says when), the first by hash up to the tenth of the corpus.
 */
export async function strike(
  corpora: readonly {
    readonly lines: readonly Line[];
    readonly wantsAllowed: boolean;
    readonly isPacks: boolean;
  }[],
): Promise<void> {
  const sandbox = openSandbox();
  const names = new Set(corpora.map(({ lines }) => lines[0]?.corpus));
  const struck = readStruck().filter(({ corpus }) => !names.has(corpus));
  try {
    for (const { lines, wantsAllowed, isPacks } of corpora) {
      const guard = await shellGuard(isPacks ? "default, all packs" : "default");
      const strict = await shellGuard(isPacks ? "strict, all packs" : "strict");
      const candidates: Line[] = [];
      for (const line of lines) {
        const isWanted = wantsAllowed || line.wants === "stop";
        if (isWanted && (await isCandidate(line, guard, strict))) candidates.push(line);
      }
      process.stderr.write(`${lines[0]?.corpus ?? ""}: ${candidates.length} lines to be run\n`);
      const found: Struck[] = [];
      const most = Math.floor(lines.length * MAX_STRUCK);
      const queue = candidates.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
      const work = async (): Promise<void> => {
        for (let line = queue.shift(); line && found.length < most; line = queue.shift()) {
          const trace = await sandbox.run(line);
          const ran = trace === undefined ? undefined : await struckBy(line, trace, guard, strict);
          if (ran === undefined) continue;
          found.push({ corpus: line.corpus, line: hashOf(line), wants: line.wants, ran });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      found.sort((a, b) => (a.line < b.line ? -1 : 1));
      struck.push(...found.slice(0, most));
      writeFileSync(struckFile, struck.map((one) => `${JSON.stringify(one)}\n`).join(""));
      await Promise.all([guard.close(), strict.close()]);
      const name = lines[0]?.corpus ?? "";
      process.stderr.write(
        `${name}: ${candidates.length} of ${lines.length} lines judged otherwise, ` +
          `${Math.min(found.length, most)} struck by their trace\n`,
      );
    }
  } finally {
    sandbox.close();
  }
}

/** Whether a line is judged otherwise than its corpus wants, so that its trace might strike it. */
async function isCandidate(line: Line, guard: Guard, strict: Guard): Promise<boolean> {
  if (line.shell !== undefined || UNSEEN.test(line.line)) return false;
  const verdict = await guard.judge(line);
  if (line.wants === "allow") return verdict !== "pass";
  return verdict === "pass" && (await strict.judge(line)) === "pass";
}

/** The programs for which a line is struck; undefined where its trace does not allow it. */
async function struckBy(
  line: Line,
  { ran, changed }: Trace,
  guard: Guard,
  strict: Guard,
): Promise<string[] | undefined> {
  const commands = ran.map(({ cwd, argv }) => ({ cwd, line: argv.map(quoted).join(" ") }));
  if (line.wants === "allow") {
    for (const [index, command] of commands.entries())
      if ((await guard.judge(command)) === "refuse") return [ran[index]?.argv[0] ?? ""];
    return undefined;
  }
  // A stub that might start other programs starts none here, and hides what the line would run.
  if (!ran.every(({ argv }) => isSeen(argv[0] ?? ""))) return undefined;
  if (changed > 0 || ran.some(({ argv }) => argv[0] === FETCHED)) return undefined;
  for (const command of commands) if ((await strict.judge(command)) !== "pass") return undefined;
  return ran.map(({ argv }) => argv[0] ?? "");
}

/** A word as a plain command has it. */
function quoted(word: string): string {
  return /^[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
