import { lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPathInside } from "../../config/index.ts";
import {
  ANY_FILE,
  createFile,
  fileBytes,
  isRunning,
  ownIdentity,
  realpath,
  replaceFile,
  userStateDir,
} from "../../machine/index.ts";
import { MASK, messageOf, OrcsError } from "../../core/index.ts";
import { failureText, runTests, type TestRunOptions } from "../../engine/index.ts";

/** Far more than a person writes, in bytes. */
const MAX_BYTES = 16 * 2 ** 20;

/** A file of tests of the user, to which orcs adds some. What stands in it stays. */
export class TestFile {
  readonly path: string;
  readonly #head: string;
  /** Its text; undefined when it does not exist. */
  #text: string | undefined;

  /**
   * @param head its first line when it does not exist
   * @throws OrcsError ORCS8007 when no test may be written there, ORCS5002 when it is a link, or no regular file
   */
  constructor(path: string, head: string) {
    this.path = path;
    this.#head = head;
    this.#text = this.#read();
  }

  /** Whether it has a text already. */
  has(text: string): boolean {
    return this.#text?.includes(text) === true;
  }

  /**
   * Run tests that are to be added, in a file beside it: modules are found as from there.
   * @throws OrcsError ORCS8007 when it is not one test that passes, ORCS5002 when it cannot be written
   */
  async expectToPass(text: string, where: Pick<TestRunOptions, "config" | "cwd">): Promise<void> {
    const trial = join(dirname(this.path), `.trial-${process.pid}_test.lua`);
    removeTrials(dirname(this.path));
    this.#write(() => createFile(trial, this.#head + text, { mode: ANY_FILE }));
    try {
      const { ok, tests, mistakes } = await runTests({ ...where, files: [trial] });
      if (ok && tests.length === 1) return;
      const failed = tests.filter(({ status }) => status === "failed").map(failureText);
      const why = [...failed, ...mistakes.map(({ message }) => message)].join("\n");
      const masked = text.includes(MASK) ? "Secrets are masked in what was recorded. " : "";
      const message = `the test was not written, because it would fail. ${masked}${why}`;
      throw new OrcsError("ORCS8007", message);
    } finally {
      rmSync(trial, { force: true });
    }
  }

  /** Add tests at its end. @throws OrcsError ORCS5002, ORCS8007; it is as it was then */
  add(text: string): void {
    const before = this.#text;
    this.#write(() => {
      // Hooks and agents may have run since it was read.
      if (this.#read() !== before) throw new Error("it was changed in the meantime");
      const gap = before === undefined || before.endsWith("\n") ? "" : "\n";
      const after = (before ?? this.#head) + gap + text;
      const isNew = before === undefined;
      replaceFile(this.path, after, { mode: ANY_FILE, keepsMode: true, isNew });
      this.#text = after;
    });
  }

  #read(): string | undefined {
    expectTestFolder(this.path);
    return this.#write(() => {
      const found = lstatSync(this.path, { throwIfNoEntry: false });
      if (found?.isSymbolicLink()) throw new Error("it is a symbolic link");
      return found && fileBytes(this.path, MAX_BYTES).toString("utf8");
    });
  }

  #write<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      if (thrown instanceof OrcsError) throw thrown;
      const why = `${this.path} cannot be written: ${messageOf(thrown)}`;
      throw new OrcsError("ORCS5002", why, { path: this.path }, { cause: thrown });
    }
  }
}

/**
 * Whether a test may be written there: not into a package, whose next version drops it, and not below the state folder,
 * where the sealed sets are. Links of its folder are followed.
 * @throws OrcsError ORCS8007
 */
function expectTestFolder(file: string): void {
  const folder = realpath(dirname(file));
  const isState = isPathInside(realpath(userStateDir()), folder);
  if (!isState && !/[/\\]node_modules([/\\]|$)/.test(folder)) return;
  const where = isState ? "the state folder of orcs" : "a package";
  throw new OrcsError("ORCS8007", `no test is written into ${where}: ${folder}`, { path: folder });
}

/** Of processes that were killed. */
function removeTrials(folder: string): void {
  const self = ownIdentity();
  for (const name of readdirSync(folder)) {
    const [, pid] = /^\.trial-(\d+)_test\.lua$/.exec(name) ?? [];
    if (
      pid !== undefined &&
      isRunning({ ...self, pid: Number(pid), started: undefined }, self) === false
    )
      rmSync(join(folder, name), { force: true });
  }
}
