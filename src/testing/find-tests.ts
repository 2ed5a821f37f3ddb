import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { OrcsError } from "../core/errors.ts";

/** What is looked for, and where. */
interface TestFileSearch {
  readonly cwd: string;
  /** As given on the command line; none: wherever tests usually are. */
  readonly files: readonly string[];
  /** Folders of scripts, absolute. */
  readonly scriptDirs: readonly string[];
  /** Files of the configuration, absolute. */
  readonly configFiles: readonly string[];
}

/** Files that hold tests; absolute, each once. */
export interface TestFiles {
  /** `*_test.lua` */
  readonly specs: readonly string[];
  /** Scripts that were named; undefined when those of the configuration are meant. */
  readonly scripts: readonly string[] | undefined;
  /** Whether the tests that stand in the configuration are meant. */
  readonly configured: boolean;
}

const SPEC = /_test\.lua$/;

/** Deepest that folders are looked into. */
const DEEPEST = 8;

/** Whether a file is one of tests by its name. */
export function isSpec(file: string): boolean {
  return SPEC.test(file);
}

/**
 * The files of tests: those given, in folders that are given every `*_test.lua`; else those in the folders of
 * scripts, beside the configuration and in `tests/` beside it.
 * @throws OrcsError ORCS5001 for one that is not there or holds no tests by its name
 */
export function findTests({ cwd, files, scriptDirs, configFiles }: TestFileSearch): TestFiles {
  if (files.length > 0)
    return named(
      files.map((file) => resolve(cwd, file)),
      configFiles,
    );
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
