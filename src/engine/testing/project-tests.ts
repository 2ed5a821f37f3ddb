import { relative, resolve } from "node:path";
import type { PointSpec } from "../../core/index.ts";
import type { TestFiles } from "./find-tests.ts";
import { findTests } from "./find-tests.ts";
import type { TestedScript } from "./hook-tests.ts";
import { configuredScripts } from "./hook-tests.ts";
import type { TestResult } from "./run-hook-test.ts";
import type { TestProject } from "./test-project.ts";

/** The files of a project that contain tests. */
export class ProjectTests {
  /** Folders of scripts, absolute. */
  readonly dirs: readonly string[];
  readonly scripts: readonly TestedScript[];
  /** `*_test.lua` files, absolute. */
  readonly specs: readonly string[];
  /** Whether to run the tests in the configuration. */
  readonly configured: boolean;
  readonly #project: TestProject;

  /**
   * @param files as given on the command line; empty: all tests
   * @throws OrcsError ORCS5001 for files that do not exist
   */
  constructor(project: TestProject, files: readonly string[]) {
    this.#project = project;
    const { config, bench } = project;
    const { projectTrust } = bench;
    // Test files are not part of what is sealed, and stay in the project.
    const own = config.settings.scripts.dirs.map((dir) => projectTrust?.shown(dir) ?? dir);
    this.dirs = [...new Set([...config.settings.scripts.dirs, ...own])];
    const found = findTests({
      cwd: bench.cwd,
      files,
      // Test files are not part of what is sealed: they are searched in the folder.
      scriptDirs: this.dirs.map((dir) => this.#inFolder(dir)),
      configFiles: config.files.map((file) => this.#inFolder(file)),
    });
    this.scripts = this.#scriptsOf(found);
    this.specs = found.specs;
    this.configured = found.configured;
  }

  /** The point of a script in the configuration. */
  pointOf(file: string): PointSpec | undefined {
    const scripts = configuredScripts(this.#project.config.hooks);
    const at = this.#inFolder(file);
    return scripts.find((script) => this.#inFolder(script.file) === at)?.entry?.point;
  }

  /** A result with the file of the project, if it was read from a sealed copy. */
  shown(ended: TestResult): TestResult {
    const { cwd } = this.#project.bench;
    const from = resolve(cwd, ended.place.file);
    const file = this.#inFolder(from);
    return from === file
      ? ended
      : { ...ended, place: { ...ended.place, file: relative(cwd, file) } };
  }

  /** The source of a file of the sealed copy. */
  #inFolder(file: string): string {
    return this.#project.config.projectTrust?.shown(file) ?? file;
  }

  #scriptsOf({ scripts }: TestFiles): readonly TestedScript[] {
    const configured = configuredScripts(this.#project.config.hooks);
    if (!scripts) return configured;
    const entryOf = new Map(configured.map(({ file, entry }) => [this.#inFolder(file), entry]));
    return scripts.map((file) => ({ file, entry: entryOf.get(file) }));
  }
}
