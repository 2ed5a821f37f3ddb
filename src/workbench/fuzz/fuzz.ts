import { quoteWord, quoteWords } from "../../core/index.ts";
import { type Forbidden, forbiddenAmong } from "./forbidden.ts";
import { shrink, type Spelling, spellings } from "./generate.ts";
import { basename } from "node:path";
import { createShellReader } from "../../matching/index.ts";
import { openSandbox } from "./sandbox.ts";

/** What hooks do with a command line. */
export interface Judgement {
  /** Whether the command is not run as it is: denied, asked about, skipped or retried. */
  readonly stopped: boolean;
  /** The line that runs if it is not stopped: hooks can change it. */
  readonly line: string;
  /** Whether it was stopped because a hook failed. */
  readonly failed?: string | undefined;
}

/** Judges one line, without running it. */
export type Judge = (line: string) => Promise<Judgement>;

/** A run. */
export interface FuzzRun {
  readonly forbidden: Forbidden;
  readonly judge: Judge;
  readonly seed: number;
  /** Most spellings. */
  readonly runs: number;
  /** Most time in milliseconds. */
  readonly ms: number;
  /** Most holes. */
  readonly most: number;
  readonly signal?: AbortSignal | undefined;
  /** Called now and then. */
  readonly progress?: ((counts: FuzzCounts) => void) | undefined;
}

/** Numbers of a run. */
export interface FuzzCounts {
  /** Lines that were judged; those of shrinking are not counted. */
  readonly spellings: number;
  readonly stopped: number;
  readonly passed: number;
  /** Of those that passed: lines that ran the forbidden command, with those of a hole that was found before. */
  readonly ran: number;
  readonly holes: number;
}

/** A line that hooks let pass, and that runs the forbidden command. No step can be left out. */
export interface Hole {
  readonly line: string;
  /** The forbidden command that it ran, as words. */
  readonly ran: readonly string[];
  /** The rules by which the line differs from the plain command. */
  readonly rules: readonly string[];
  /** The plain command. */
  readonly command: string;
}

/** The result of a run. */
export interface FuzzResult extends Omit<FuzzCounts, "holes"> {
  readonly seed: number;
  readonly checkedBy: Oracle["kind"];
  /** Why it was not checked in a sandbox. */
  readonly why: string | undefined;
  /** Stopped only because a hook failed, and the first such failure. */
  readonly failed: number;
  readonly failure: string | undefined;
  readonly holes: readonly Hole[];
}

/** Lines that are checked together: starting the sandbox costs as much as some lines. */
const BATCH = 24;
/** A line waits for no more spellings than this to be checked. */
const MOST_WAIT = 500;
const PROGRESS_EVERY = 200;

/** Generate spellings of forbidden commands, and find those that hooks let pass and that really run the command. */
export async function runFuzz(run: FuzzRun): Promise<FuzzResult> {
  const oracle = await openOracle(run.forbidden);
  try {
    return await new Fuzzing(run, oracle).run();
  } finally {
    oracle.close();
  }
}

class Fuzzing {
  readonly #run: FuzzRun;
  readonly #oracle: Oracle;
  readonly #until: number;
  readonly #holes: { readonly hole: Hole; readonly spelling: Spelling }[] = [];
  #waiting: { readonly spelling: Spelling; readonly line: string }[] = [];
  #since = 0;
  #spellings = 0;
  #stopped = 0;
  #passed = 0;
  #ran = 0;
  #failed = 0;
  #failure: string | undefined;

  constructor(run: FuzzRun, oracle: Oracle) {
    this.#run = run;
    this.#oracle = oracle;
    this.#until = performance.now() + run.ms;
  }

  async run(): Promise<FuzzResult> {
    const { forbidden, seed, runs, progress } = this.#run;
    for (const spelling of spellings(forbidden.commands, seed, this.#isForbidden)) {
      if (this.#spellings >= runs || this.#isOver()) break;
      await this.#take(spelling);
      // Counted, not timed: the same seed is to find the same holes.
      const waited = this.#waiting.length > 0 && this.#spellings - this.#since >= MOST_WAIT;
      if (this.#waiting.length >= BATCH || waited) await this.#check();
      if (this.#spellings % PROGRESS_EVERY === 0) progress?.(this.#counts());
    }
    if (!this.#isOver()) await this.#check();
    const { kind, why } = this.#oracle;
    return {
      ...this.#counts(),
      seed,
      checkedBy: kind,
      why,
      failed: this.#failed,
      failure: this.#failure,
      holes: this.#holes.map(({ hole }) => hole),
    };
  }

  readonly #isForbidden = (argv: readonly string[]): boolean =>
    this.#run.forbidden.matches(argv, {});

  #isOver(): boolean {
    const { most, signal } = this.#run;
    return (
      this.#holes.length >= most || signal?.aborted === true || performance.now() > this.#until
    );
  }

  #counts(): FuzzCounts {
    return {
      spellings: this.#spellings,
      stopped: this.#stopped,
      passed: this.#passed,
      ran: this.#ran,
      holes: this.#holes.length,
    };
  }

  async #take(spelling: Spelling): Promise<void> {
    this.#spellings++;
    const { stopped, line, failed } = await this.#run.judge(spelling.line);
    if (stopped) {
      this.#stopped++;
      if (failed === undefined) return;
      this.#failed++;
      this.#failure ??= failed;
      return;
    }
    this.#passed++;
    if (this.#isKnown(spelling)) this.#ran++;
    else {
      if (this.#waiting.length === 0) this.#since = this.#spellings;
      this.#waiting.push({ spelling, line });
    }
  }

  /** Whether a hole that was found explains it: all of its steps are among these. */
  #isKnown({ command, steps }: Spelling): boolean {
    const names = steps.map(({ rule }) => rule.name);
    return this.#holes.some(({ spelling }) => {
      let at = 0;
      for (const { rule } of spelling.steps) {
        at = names.indexOf(rule.name, at) + 1;
        if (at === 0) return false;
      }
      return spelling.command === command;
    });
  }

  /** Check the lines that wait, and shrink those that are holes. */
  async #check(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const ran = await this.#oracle.ran(waiting.map(({ line }) => line));
    for (const [at, { spelling }] of waiting.entries()) {
      const argv = ran[at];
      if (!argv) continue;
      this.#ran++;
      if (this.#isOver() && this.#holes.length > 0) continue;
      if (!this.#isKnown(spelling)) await this.#add(spelling, argv);
    }
  }

  async #add(found: Spelling, ran: readonly string[]): Promise<void> {
    const seen = new Map([[found.line, ran]]);
    const spelling = await shrink(found, this.#isForbidden, (all) => this.#holesAmong(all, seen));
    // Without what is left out, it may be one that is known.
    if (this.#isKnown(spelling)) return;
    const { line, steps, command } = spelling;
    const rules = steps.map(({ rule }) => rule.name);
    const hole = {
      line,
      ran: seen.get(line) ?? ran,
      rules,
      command: command.map(quoteWord).join(" "),
    };
    this.#holes.push({ hole, spelling });
  }

  /** @param seen gets what each hole ran */
  async #holesAmong(
    all: readonly Spelling[],
    seen: Map<string, readonly string[]>,
  ): Promise<readonly Spelling[]> {
    const passed: { readonly spelling: Spelling; readonly line: string }[] = [];
    for (const spelling of all) {
      const { stopped, line } = await this.#run.judge(spelling.line);
      if (!stopped) passed.push({ spelling, line });
    }
    if (passed.length === 0) return [];
    const ran = await this.#oracle.ran(passed.map(({ line }) => line));
    return passed.flatMap(({ spelling }, at) => {
      const argv = ran[at];
      if (!argv) return [];
      seen.set(spelling.line, argv);
      return [spelling];
    });
  }
}

/** Says what lines really run. */
interface Oracle {
  /** A bash in a sandbox that ran them, or the reader of orcs, which only read them. */
  readonly kind: "sandbox" | "reader";
  /** Why it is the reader; undefined if it is the sandbox. */
  readonly why?: string;
  /** For each line, the forbidden command that it ran; undefined if it did not run one. */
  ran(lines: readonly string[]): Promise<readonly (readonly string[] | undefined)[]>;
  close(): void;
}

/** The best oracle of this machine that sees the commands themselves run. */
export async function openOracle(forbidden: Forbidden): Promise<Oracle> {
  const programs = forbidden.commands.map(([program = ""]) => basename(program));
  const sandbox = await openSandbox(programs, forbidden.usesEnvironment);
  if ("why" in sandbox) return readerOracle(forbidden, sandbox.why);
  const ran: Oracle["ran"] = async (lines) =>
    (await sandbox.run(lines)).map((each) => forbiddenAmong(each, forbidden));
  const seen = await ran(forbidden.commands.map(quoteWords));
  const unseen = forbidden.commands.find((_, at) => seen[at] === undefined);
  if (!unseen) return { kind: "sandbox", ran, close: () => sandbox.close() };
  sandbox.close();
  return readerOracle(forbidden, `bash does not start a program for ${unseen.join(" ")}`);
}

/** Believes what the reader of orcs knows for sure. */
function readerOracle(forbidden: Forbidden, why: string): Oracle {
  const reader = createShellReader();
  const ranIn = (line: string): readonly string[] | undefined => {
    const known = reader
      .read(line)
      .commands.filter(({ unknown, program }) => unknown.length === 0 && program !== "");
    return forbiddenAmong(
      known.map(({ argv }) => ({ argv, env: {} })),
      forbidden,
    );
  };
  return { kind: "reader", why, ran: async (lines) => lines.map(ranIn), close: () => {} };
}
