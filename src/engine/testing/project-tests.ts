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

/** What to search, and where. */
interface TestFileSearch {
  readonly cwd: string;
  /** As given on the command line; empty: the default places. */
  readonly files: readonly string[];
  /** Folders of scripts, absolute. */
  readonly scriptDirs: readonly string[];
  /** Files of the configuration, absolute. */
  readonly configFiles: readonly string[];
}

/** Files that contain tests; absolute, without duplicates. */
interface TestFiles {
  /** `*_test.lua` */
  readonly specs: readonly string[];
  /** Scripts that were named; undefined for those of the configuration. */
  readonly scripts: readonly string[] | undefined;
  /** Whether to run the tests in the configuration. */
  readonly configured: boolean;
}

const SPEC = /_test\.lua$/;

/** Maximum depth of searched folders. */
const DEEPEST = 8;

/** Whether a file name is that of a test file. */
export function isSpec(file: string): boolean {
  return SPEC.test(file);
}

/**
 * The files with tests: the given files, and every `*_test.lua` in given folders. Without any, those in the script
 * folders, beside the configuration and in `tests/` beside it.
 * @throws OrcsError ORCS5001 for a file that does not exist, or whose name is not that of a test file
 */
function findTests({ cwd, files, scriptDirs, configFiles }: TestFileSearch): TestFiles {
  const given = files.map((file) => resolve(cwd, file));
  if (given.length > 0) return named(given, configFiles);
  const beside = configFiles.length > 0 ? configFiles.map((file) => dirname(file)) : [cwd];
  const specs = [
    ...scriptDirs.flatMap((dir) => specsBelow(dir, DEEPEST)),
    ...beside.flatMap((dir) => specsBelow(dir, 0)),
    ...beside.flatMap((dir) => specsBelow(join(dir, "tests"), DEEPEST)),
  ];
  return { specs: [...new Set(specs)].sort(), scripts: undefined, configured: true };
}

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
  return { specs: [...new Set(specs)], scripts: [...new Set(scripts)], configured };
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
