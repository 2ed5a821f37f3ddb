import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { addTo, type Diagnostic } from "../../../core/index.ts";
import { isShipped, SHIPPED_MODULES, shownFile } from "../../../config/index.ts";
import { isSpec, ProjectTests } from "../project-tests.ts";
import { LineSteps } from "../../lua/index.ts";
import { LuaSources, type LuaText } from "../lua-sources.ts";
import type { TestResult } from "../run-hook-test.ts";
import type { TestRunOptions } from "../run-tests.ts";
import { TestEngine } from "../test-engine.ts";
import { openTestProject } from "../test-project.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { LoadedGuards, type TestUnit, testUnits } from "./test-units.ts";

/** Which tests to run, and on how many mutants. */
export interface MutationOptions extends Omit<TestRunOptions, "coverage" | "ended"> {
  /** The maximum number of mutants, spread evenly; default all. */
  readonly sample?: number | undefined;
  /** Mutate only files for which this returns true, by their shown name. */
  readonly only?: ((file: string) => boolean) | undefined;
  /** Run only the mutants for which this returns true; default all. */
  readonly wanted?: ((file: string, mutant: Mutant) => boolean) | undefined;
  /** Tests besides those of the project. */
  readonly units?: readonly TestUnit[] | undefined;
  /** Called as each mutant ends; with the mutant if no test noticed it. */
  readonly progress?: (done: number, all: number, file: string, survivor?: Survivor) => void;
}

/** A mutant that no test noticed. */
export interface Survivor extends Mutant {
  readonly file: string;
  /** How many tests ran on it; 0: no test runs its line. */
  readonly tests: number;
}

/** The score of one file. */
export interface FileScore {
  readonly file: string;
  readonly mutants: number;
  readonly killed: number;
}

/** The result of a run. */
export interface MutationReport {
  /** Tests that fail without any change, and invalid tests: no mutant was run then. */
  readonly failed: readonly TestResult[];
  readonly mistakes: readonly Diagnostic[];
  /** Number of tests. */
  readonly tests: number;
  /** All mutants of the files, before `sample`. */
  readonly found: number;
  readonly files: readonly FileScore[];
  readonly survivors: readonly Survivor[];
  /** Median time of a mutant that was run, in milliseconds. */
  readonly median_ms: number;
  readonly duration_ms: number;
}

/**
 * Change the Lua under test in small ways, one at a time, and run the tests on each: a change that no test notices
 * shows what is not tested.
 * @throws OrcsError as `runTests`
 */
export async function runMutants(options: MutationOptions): Promise<MutationReport> {
  const project = await openTestProject({ ...options, coverage: true });
  const sources = new LuaSources();
  const { settings, points, cwd, projectTrust, packages } = project.bench;
  const at = { settings, points, cwd, projectTrust, packages, sources };
  let plain: TestEngine | undefined;
  const began = performance.now();
  try {
    const tests = new ProjectTests(project, options.files ?? []);
    const { units, mistakes } = await testUnits(project, tests, options.filter);
    plain = await TestEngine.open(at);
    plain.agent = options.agent;
    units.push(...(options.units ?? []));
    const { reached, failed, count } = await baseline(units, project.bench, plain);
    const base = { failed: failed.map((result) => tests.shown(result)), mistakes, tests: count };
    const none = { found: 0, files: [], survivors: [], median_ms: 0, duration_ms: 0 };
    if (failed.length > 0 || mistakes.length > 0) return { ...base, ...none };
    const targets = targetsIn(sources, cwd, options.only);
    const coverage = project.bench.lines?.files ?? new Map();
    const result = await new MutationRun(reached, sources, plain, coverage).run(targets, options);
    return { ...base, ...result, duration_ms: performance.now() - began };
  } finally {
    await plain?.close();
    await project.bench.close();
  }
}

/** A test, and what is known of it. */
interface KnownTest {
  readonly unit: TestUnit;
  /** How long it takes. */
  readonly ms: number;
  /** How likely it is to kill a mutant, from those that it ran on; the latest count most. */
  chance: number;
}

const FIRST_CHANCE = 0.5;
const LEAST_CHANCE = 0.01;
/** How much of a chance is the result of the latest mutant. */
const LATEST = 0.2;

/** Tests are run in the order of this, so that a kill takes the least time. */
function costOfKill({ ms, chance }: KnownTest): number {
  return ms / Math.max(chance, LEAST_CHANCE);
}

/** Which tests run a line. */
interface Reached {
  readonly tests: ReachedLines<KnownTest>;
  /** Lines that run when a shared script is loaded: those of all its tests. */
  readonly loading: ReachedLines<readonly KnownTest[]>;
}

/** Run the unchanged tests: for their lines, and for their results and times. */
async function baseline(units: readonly TestUnit[], covered: TestEngine, plain: TestEngine) {
  const reached: Reached = { tests: new ReachedLines(), loading: new ReachedLines() };
  const coverage = covered.lines ?? new LineSteps(false);
  const rowsOf = new Map<TestUnit["guard"], KnownTest[]>();
  const failed: TestResult[] = [];
  let count = 0;
  const [watched, fast] = [new LoadedGuards(covered), new LoadedGuards(plain)];
  for (const unit of units) {
    const { guard } = unit;
    if (guard && !rowsOf.has(guard)) {
      const rows: KnownTest[] = [];
      rowsOf.set(guard, rows);
      coverage.restart();
      await watched.load(guard);
      reached.loading.record(coverage, rows);
      await fast.load(guard);
    }
    coverage.restart();
    await unit.run(watched);
    const began = performance.now();
    const results = await unit.run(fast);
    const test = { unit, ms: performance.now() - began, chance: FIRST_CHANCE };
    reached.tests.record(coverage, test);
    if (guard) rowsOf.get(guard)?.push(test);
    count += results.length;
    failed.push(...results.filter(({ status }) => status === "failed"));
  }
  await watched.close();
  await fast.close();
  return { reached, failed, count };
}

/** A text that is mutated. */
interface Target {
  readonly text: LuaText;
  readonly key: string;
  readonly mutants: readonly Mutant[];
  readonly shown: string;
}

/**
 * The scripts, modules and inline handlers of the project; of what ships with orcs only what is tested itself, or what
 * `only` wants.
 */
function targetsIn(sources: LuaSources, cwd: string, only: MutationOptions["only"]): Target[] {
  const texts = [...sources.texts];
  const pathOf = (text: LuaText): string => resolve(cwd, text.file);
  const testsShipped =
    only !== undefined ||
    texts.some(([, text]) => text.kind === "script" && isShipped(pathOf(text)));
  return texts.flatMap(([key, text]) => {
    const path = pathOf(text);
    const shown = shownFile(path, cwd);
    const isOwn = testsShipped || !path.startsWith(SHIPPED_MODULES);
    if (!isOwn || isSpec(path) || !existsSync(path) || only?.(shown) === false) return [];
    // One character for each byte: any text can be put together again.
    const mutants = mutantsOf(Buffer.from(text.bytes).toString("latin1"), text.kind);
    return { text, key, mutants, shown };
  });
}

type Coverage = ReadonlyMap<string, { readonly active: readonly number[] }>;

class MutationRun {
  readonly #reached: Reached;
  readonly #sources: LuaSources;
  readonly #bench: TestEngine;
  /** Lines with code, by file. */
  readonly #active: ReadonlyMap<string, ReadonlySet<number>>;
  #done = 0;

  constructor(reached: Reached, sources: LuaSources, bench: TestEngine, coverage: Coverage) {
    this.#reached = reached;
    this.#sources = sources;
    this.#bench = bench;
    this.#active = new Map(Array.from(coverage, ([file, { active }]) => [file, new Set(active)]));
  }

  async run(targets: readonly Target[], { sample, wanted, progress }: MutationOptions) {
    const all = targets
      .flatMap((target) => target.mutants.map((mutant) => ({ target, mutant })))
      .filter(({ target, mutant }) => wanted?.(target.shown, mutant) ?? true);
    const chosen = spread(all, sample ?? all.length);
    const times: number[] = [];
    const survivors: Survivor[] = [];
    const scores = new Map<string, { mutants: number; killed: number }>();
    for (const { target, mutant } of chosen) {
      const began = performance.now();
      const tests = this.#reaching(target, mutant);
      const isKilled = tests.length > 0 && (await this.#isKilled(target, mutant, tests));
      if (tests.length > 0) times.push(performance.now() - began);
      const score = scores.get(target.shown) ?? { mutants: 0, killed: 0 };
      scores.set(target.shown, score);
      score.mutants += 1;
      if (isKilled) score.killed += 1;
      const survivor = isKilled
        ? undefined
        : { ...inFile(mutant, target), file: target.shown, tests: tests.length };
      if (survivor) survivors.push(survivor);
      progress?.(++this.#done, chosen.length, target.shown, survivor);
    }
    return {
      found: all.length,
      files: Array.from(scores, ([file, score]) => ({ file, ...score })),
      survivors,
      median_ms: times.sort((a, b) => a - b)[times.length >> 1] ?? 0,
    };
  }

  /** The tests that run the code of a mutant, in the order to run them. */
  #reaching({ text: { file, line } }: Target, mutant: Mutant): KnownTest[] {
    const active = this.#active.get(file) ?? new Set();
    // Without code of its own, such as a constant: every test of the file.
    const lines = [mutant.lines, mutant.statement]
      .map(({ first, last }) => numbers(first + line - 1, last + line - 1))
      .map((candidates) => candidates.filter((candidate) => active.has(candidate)))
      .find((candidates) => candidates.length > 0);
    const { tests, loading } = this.#reached;
    const reaching = tests.on(file, lines);
    for (const rows of loading.on(file, lines)) for (const row of rows) reaching.add(row);
    return [...reaching].sort((a, b) => costOfKill(a) - costOfKill(b));
  }

  async #isKilled(
    target: Target,
    { range, replacement }: Mutant,
    tests: readonly KnownTest[],
  ): Promise<boolean> {
    const bytes = Buffer.from(target.text.bytes);
    const [before, after] = [bytes.subarray(0, range.start), bytes.subarray(range.end)];
    const changed = Buffer.concat([before, Buffer.from(replacement), after]);
    this.#sources.replace(target.key, changed);
    const loaded = new LoadedGuards(this.#bench);
    try {
      for (const test of tests) {
        const results = await test.unit.run(loaded);
        const isKilled = results.some(({ status }) => status === "failed");
        test.chance += LATEST * (Number(isKilled) - test.chance);
        if (isKilled) return true;
      }
      return false;
    } finally {
      await loaded.close();
      this.#sources.replace(undefined);
    }
  }
}

/** A mutant with the line of its file, and its texts as they were written. */
function inFile(mutant: Mutant, { text: { line } }: Target): Mutant {
  const written = (code: string): string => Buffer.from(code, "latin1").toString("utf8");
  return {
    ...mutant,
    line: mutant.line + line - 1,
    from: written(mutant.from),
    to: written(mutant.to),
    killer: written(mutant.killer),
  };
}

/** `count` items of a list, spread evenly. */
function spread<Item>(list: readonly Item[], count: number): readonly Item[] {
  if (count >= list.length) return list;
  const at = (i: number): Item => list[Math.floor((i * list.length) / count)] as Item;
  return Array.from({ length: count }, (_, i) => at(i));
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Which of some things, such as tests, run each line of each file. */
class ReachedLines<Item> {
  readonly #files = new Map<string, Map<number, Item[]>>();

  /** Remember that the lines that ran since the last restart are those of an item. */
  record({ files }: LineSteps, item: Item): void {
    for (const [file, { ran }] of files) {
      const lines = this.#files.get(file) ?? new Map<number, Item[]>();
      this.#files.set(file, lines);
      for (const line of ran) addTo(lines, line, item);
    }
  }

  /** What runs one of these lines. @param lines undefined: any line of the file */
  on(file: string, lines: readonly number[] | undefined): Set<Item> {
    const known = this.#files.get(file) ?? new Map<number, Item[]>();
    return new Set((lines ?? [...known.keys()]).flatMap((line) => known.get(line) ?? []));
  }
}
