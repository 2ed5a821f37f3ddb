import { dirname, join, relative, resolve } from "node:path";
import { OrcsError, type PointSpec } from "../../core/index.ts";
import { configuredScripts, type TestedScript } from "./hook-tests.ts";
import type { TestResult } from "./run-hook-test.ts";
import type { TestProject } from "./test-project.ts";
import { readdirSync, statSync } from "node:fs";

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
    const { dirs } = config.settings.scripts;
    // Test files are not part of what is sealed: they stay in the project, and are searched there.
    this.dirs = [...new Set([...dirs, ...dirs.map((dir) => this.#inFolder(dir))])];
    const configs = config.files.map((file) => this.#inFolder(file));
    const given = files.map((file) => resolve(bench.cwd, file));
    const { specs, scripts, configured } =
      given.length > 0 ? named(given, configs) : this.#unnamed(configs);
    this.scripts = this.#scriptsOf(scripts);
    this.specs = [...new Set(specs)];
    this.configured = configured;
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

  /** The `*_test.lua` files in the script folders, beside the configuration and in `tests/` beside it. */
  #unnamed(configs: readonly string[]): TestFiles {
    const { cwd } = this.#project.bench;
    const beside = configs.length > 0 ? configs.map((file) => dirname(file)) : [cwd];
    const specs = [
      ...this.dirs.flatMap((dir) => specsBelow(this.#inFolder(dir), DEEPEST)),
      ...beside.flatMap((dir) => specsBelow(dir, 0)),
      ...beside.flatMap((dir) => specsBelow(join(dir, "tests"), DEEPEST)),
    ];
    return { specs: specs.sort(), scripts: undefined, configured: true };
  }

  /** @param files undefined for those of the configuration */
  #scriptsOf(files: readonly string[] | undefined): readonly TestedScript[] {
    const configured = configuredScripts(this.#project.config.hooks);
    if (!files) return configured;
    const entryOf = new Map(configured.map(({ file, entry }) => [this.#inFolder(file), entry]));
    return [...new Set(files)].map((file) => ({ file, entry: entryOf.get(file) }));
  }
}

/** Files that contain tests, absolute; `scripts` is undefined for those of the configuration. */
type TestFiles = Pick<ProjectTests, "specs" | "configured"> & {
  readonly scripts: readonly string[] | undefined;
};

const SPEC = /_test\.lua$/;

/** Maximum depth of searched folders. */
const DEEPEST = 8;

/** Whether a file name is that of a test file. */
export function isSpec(file: string): boolean {
  return SPEC.test(file);
}

/**
 * The given files, and every `*_test.lua` in given folders.
 * @throws OrcsError ORCS5001 for a file that does not exist, or whose name is not that of a test file
 */
function named(files: readonly string[], configFiles: readonly string[]): TestFiles {
  const specs: string[] = [];
  const scripts: string[] = [];
  let configured = false;
  for (const file of files) {
    if (isFolder(file)) specs.push(...specsBelow(file, DEEPEST));
    else if (isSpec(file)) specs.push(file);
    else if (file.endsWith(".lua")) scripts.push(file);
    else if (configFiles.includes(file)) configured = true;
    else {
      const why = `${file} is neither a Lua file, a folder nor the configuration`;
      throw new OrcsError("ORCS5001", why, { file });
    }
  }
  return { specs, scripts, configured };
}

/** @throws OrcsError ORCS5001 */
function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    throw new OrcsError("ORCS5001", `no such file: ${file}`, { file });
  }
}

function specsBelow(dir: string, depth: number): string[] {
  let entries;
  try {
    entries = readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) {
        const passed = depth === 0 || entry.name === "node_modules" || entry.name.startsWith(".");
        return passed ? [] : specsBelow(path, depth - 1);
      }
      return entry.isFile() && isSpec(entry.name) ? [path] : [];
    });
}
