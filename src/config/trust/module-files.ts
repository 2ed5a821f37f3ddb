import { readlinkSync, rmSync, symlinkSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import {
  bufferOf,
  isFile,
  makeFolder,
  moveFile,
  realpath,
  textIfReadable,
} from "../../machine/index.ts";
import { packageFolder } from "../packages/package-name.ts";
import { isPathInside, pathOfName } from "../path-inside.ts";
import type { TrustedFiles } from "../found-project.ts";
import { objectIn, OrcsError, orUndefined, textAt } from "../../core/index.ts";
import { LookBudget } from "./referenced-files.ts";

/** A literal text in code, without escapes and interpolation. */
const TEXT = /"([^"\\\n]{0,1024})"|'([^'\\\n]{0,1024})'|`([^`\\$\n]{0,1024})`/.source;

/** Specifiers of imports, in every place where one can be written. Comments count as well. */
const IMPORTED = new RegExp(
  `(?:\\bfrom\\s*|\\bimport\\s*|(?:\\bimport|\\brequire(?:\\.resolve)?)\\s*\\(\\s*)(?:${TEXT})`,
  "g",
);
/** A worker from a file beside the module. Without the URL, Node searches the working directory. */
const WORKER = new RegExp(
  `\\bnew\\s+Worker\\s*\\(\\s*new\\s+URL\\s*\\(\\s*(?:${TEXT})\\s*,\\s*import\\.meta\\.url\\s*,?\\s*\\)`,
  "g",
);

/** The texts with which a module names others: imports and workers. */
function specifiers(code: string): string[] {
  const found = [...code.matchAll(IMPORTED), ...code.matchAll(WORKER)];
  return [...new Set(found.map(([, a, b, c]) => a ?? b ?? c ?? ""))];
}

/** A path relative to the module that stays the same when URL-decoded. */
function isRelative(specifier: string): boolean {
  return /^\.{1,2}\/[^%\\]*$/.test(specifier);
}

const ENDINGS = ["", ".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

/** JavaScript modules and the files that they import by relative paths, as Node resolves them. */
export class ModuleGraph {
  /** Paths that are imported and lead to no file. */
  readonly missing = new Set<string>();
  readonly #textOf: (file: string) => string | undefined;
  readonly #budget: LookBudget;
  readonly #imports = new Map<string, readonly string[]>();

  /** @param textOf reads a file; undefined if it cannot be read */
  constructor(textOf: (file: string) => string | undefined, budget = new LookBudget()) {
    this.#textOf = textOf;
    this.#budget = budget;
  }

  /**
   * A module and all files that it imports, recursively.
   * @throws OrcsError ORCS1020 when too many names would have to be looked up
   */
  filesOf(first: string): string[] {
    const files = new Set<string>();
    const next = [first];
    for (let file = next.pop(); file !== undefined; file = next.pop()) {
      if (files.has(file)) continue;
      files.add(file);
      next.push(...this.#importsOf(file));
    }
    return [...files];
  }

  #importsOf(file: string): readonly string[] {
    const known = this.#imports.get(file);
    if (known) return known;
    // Node resolves links: imports are relative to the target.
    const folder = dirname(realpath(file));
    const imports: string[] = [];
    for (const specifier of specifiers(this.#textOf(file) ?? "").filter(isRelative)) {
      // Query and hash of a URL are not part of the file name.
      const names = new Set([specifier, specifier.replace(/[?#][^]*$/, "")]);
      const found = [...names].flatMap((name) =>
        importedBy(join(folder, name), this.#textOf, this.#budget),
      );
      if (found.length === 0) this.missing.add(join(folder, specifier));
      imports.push(...found);
    }
    this.#imports.set(file, imports);
    return imports;
  }
}

function importedBy(
  path: string,
  textOf: (file: string) => string | undefined,
  budget: LookBudget,
): string[] {
  budget.spend(1);
  const found = ENDINGS.map((ending) => path + ending).find(isFile);
  if (found !== undefined) return [found];
  budget.spend(ENDINGS.length);
  const description = join(path, "package.json");
  const files = isFile(description) ? [description] : [];
  const main = files.length > 0 && textAt(objectIn(textOf(description) ?? "") ?? {}, "main");
  for (const name of [...(main ? [main, join(main, "index")] : []), "index"]) {
    budget.spend(ENDINGS.length);
    const file = ENDINGS.map((ending) => join(path, name) + ending).find(isFile);
    if (file !== undefined) return [...files, file];
  }
  return files;
}

/** Packages that a JavaScript module imports by a literal name, except those of Node. */
export function importedPackages(code: string): string[] {
  return [...new Set(specifiers(code).flatMap((specifier) => packageOf(specifier) ?? []))];
}

/** @returns undefined for a specifier that is not a package */
function packageOf(specifier: string): string | undefined {
  if (!/^[@\w][\w@./-]{0,255}$/.test(specifier)) return undefined;
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  return isBuiltin(name) || isBuiltin(specifier) ? undefined : name;
}

/** Modules of Node with which code can run other code. */
const RUNNERS = /^(?:node:)?(?:child_process|cluster|inspector|module|repl|vm|wasi)(?:\/|$)/;

/**
 * Code that a JavaScript module may run and that is not sealed with it: packages, files with absolute paths, computed
 * names. Text that only looks like it, for example in a comment, counts as well.
 * @param leadsOut whether a relative path leads to an unsealed place
 */
export function unsealedImports(
  code: string,
  leadsOut: (specifier: string) => boolean = () => false,
): string[] {
  const found = new Set<string>();
  for (const specifier of specifiers(code)) {
    if (isRelative(specifier)) {
      if (leadsOut(specifier)) found.add(specifier);
    } else if (RUNNERS.test(specifier)) found.add(specifier);
    else if (!isBuiltin(specifier) && !specifier.startsWith("node:"))
      found.add(packageOf(specifier) ?? specifier);
  }
  // Any other specifier is computed or hidden.
  const rest = withoutSpelledOut(code);
  for (const { is, shown } of COMPUTED) if (is.test(rest)) found.add(shown);
  return [...found].filter((what) => what !== "");
}

/**
 * As `unsealedImports`, for a module and everything it imports, from the current files. @param root the folder outside
 * of which nothing is sealed
 */
export function unsealedModules(file: string, root: string): string[] {
  try {
    const found = moduleFiles(file).flatMap((path) => {
      const leadsOut = (name: string) => !isPathInside(root, join(dirname(path), name));
      return unsealedImports(textIfReadable(path) ?? "", leadsOut);
    });
    return [...new Set(found)];
  } catch (thrown) {
    if (thrown instanceof OrcsError) return [file];
    throw thrown;
  }
}

/** What a module loads by names that its text does not spell out, or that are absolute. */
export function computedImports(code: string): string[] {
  const isComputed = /\b(?:import|require)\s*\(/.test(withoutSpelledOut(code));
  const absolute = specifiers(code).filter((name) => /^(?:\/|file:|#)/.test(name));
  return [...(isComputed ? ["a computed import"] : []), ...new Set(absolute)];
}

/** The file of a module and what it imports that reads the environment of its process; undefined if none is seen to. */
export function readerOfEnvironment(file: string): string | undefined {
  return orUndefined(() =>
    moduleFiles(file).find((path) =>
      /\bprocess(?:\s*\?)?\s*(?:\.\s*env\b|\[\s*["'`]env["'`])|\{[^}]*\benv\b[^}]*\}\s*(?:=|from)\s*["'(\w]*(?:node:)?process\b/.test(
        textIfReadable(path) ?? "",
      ),
    ),
  );
}

function moduleFiles(file: string): readonly string[] {
  return new ModuleGraph(textIfReadable).filesOf(file);
}

/** Calls whose only or first argument is a literal text. */
const SPELLED_OUT = new RegExp(
  `\\b(?:import|require(?:\\.resolve)?)\\s*\\(\\s*(?:${TEXT})\\s*(?=[,)])`,
  "g",
);

function withoutSpelledOut(code: string): string {
  return code.replace(WORKER, "").replace(SPELLED_OUT, "");
}

const COMPUTED: readonly { readonly is: RegExp; readonly shown: string }[] = [
  { is: /\bimport\s*(?:\(|\/[*/])/, shown: "a computed import" },
  { is: /\bimport\s*\.\s*(?!meta\b)/, shown: "a computed import" },
  { is: /\bfrom\s*(?:\/[*/]|["'`](?:[^"'`\n]*\\|[^"'`\n]{1025}))/, shown: "an import in escapes" },
  { is: /\bimport\s*["'`](?:[^"'`\n]*\\|[^"'`\n]{1025})/, shown: "a computed import" },
  // In prose, a word follows.
  { is: /\brequire\b(?![ \t]+[A-Za-z])/, shown: "a computed require" },
  { is: /\bcreateRequire\b/, shown: "createRequire" },
  { is: /\bgetBuiltinModule\b/, shown: "process.getBuiltinModule" },
  { is: /\bdlopen\b/, shown: "process.dlopen" },
  { is: /\bbinding\s*\(/, shown: "process.binding" },
  { is: /\bWorker\s*\(/, shown: "new Worker(…)" },
  { is: /\beval\b/, shown: "eval(…)" },
  { is: /\bFunction\s*\(/, shown: "new Function(…)" },
  { is: /\\u(?:00[4-7]|\{0*[4-7])/i, shown: "names in escapes" },
];

/** File extensions of JavaScript modules. */
const MODULE = /\.[cm]?[jt]s$/;

/**
 * Make the packages that modules of a sealed set import resolvable, as from the project. Packages are not sealed; `orcs
 * trust` reports that.
 */
export function linkPackages({
  source,
  sealed,
  packageDirs,
}: Pick<TrustedFiles, "sealed" | "packageDirs"> & {
  readonly source: Pick<TrustedFiles["source"], "codeDir">;
}): void {
  for (const [name, { bytes }] of sealed) {
    if (!MODULE.test(name)) continue;
    const code = bufferOf(bytes).toString("utf8");
    for (const wanted of importedPackages(code)) {
      const found = packageDirs
        .map((folder) => packageFolder(wanted, dirname(pathOfName(folder, name))))
        .find((each) => each !== undefined);
      if (found !== undefined) link(join(source.codeDir, "node_modules", wanted), found);
    }
  }
}

/** All worktrees share the copy: links made for one are made again for the others. */
function link(path: string, target: string): void {
  // If it fails, the import itself reports what is missing.
  orUndefined(() => {
    if (orUndefined(() => readlinkSync(path)) === target) return;
    makeFolder(dirname(path));
    const aside = `${path}.${process.pid}`;
    rmSync(aside, { force: true });
    symlinkSync(target, aside);
    moveFile(aside, path);
  });
}
