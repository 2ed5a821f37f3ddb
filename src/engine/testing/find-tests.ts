import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { OrcsError } from "../../core/index.ts";

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
export interface TestFiles {
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
export function findTests({ cwd, files, scriptDirs, configFiles }: TestFileSearch): TestFiles {
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
