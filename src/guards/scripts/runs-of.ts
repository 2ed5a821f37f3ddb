import { wordSet } from "../../core/index.ts";
import type { FileReader, ShellCommand } from "../../core/index.ts";
import { byName, resolvePath } from "../../matching/index.ts";
import { gitHooks } from "./git-files.ts";
import type { FileRun } from "./piece.ts";
import { above, folderOf, isInterpreter, isShell } from "./piece.ts";

/** A command among those in front of it. */
export interface Around {
  readonly command: ShellCommand;
  readonly before: readonly ShellCommand[];
  readonly cwd: string;
  readonly files: FileReader;
}

/** Programs that print files, so that a shell behind them runs these. */
const PRINTS = wordSet("cat head tail tac sed grep envsubst tr cut sort");
/** Options of interpreters whose value is a word of its own. */
const VALUES: Readonly<Record<string, string>> = {
  python: "-W -X",
  pypy: "-W -X",
  node: "-r --require --import --loader --experimental-loader --env-file",
  ruby: "-r -I",
  perl: "-I",
  php: "-d -c",
};
/** Options behind which there is code in place of a file. */
const CODE = /^-(?:[a-zA-Z]*[ce]|-eval|p|pe|ne|n?le|r)$/;
const SHELL_VALUES = wordSet("-o -O +o +O --rcfile --init-file");
/** Modules of Python that run the file behind them. */
const RUNS_FILE = /^(?:pdb|cProfile|profile|trace|runpy)$/;
const RUNNERS = wordSet("run x watch");
/** Options with which interpreters only look at a file. */
const CHECKS: Readonly<Record<string, RegExp>> = {
  node: /^(?:-c|--check)$/,
  ruby: /^-w?c$/,
  perl: /^-w?c$/,
  php: /^-l$/,
};
const MAKEFILES = "GNUmakefile makefile Makefile".split(" ");
const JUSTFILES = "justfile Justfile .justfile".split(" ");
const TASKFILES = "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml".split(
  " ",
);
const MAKE_VALUES = wordSet("-C --directory -f --file --makefile -I --include-dir -j -l -o -W");
/** Lifecycle scripts that subcommands of package managers run. */
const LIFECYCLE = byName({
  "install i ci": "preinstall install postinstall prepare",
  publish: "prepublishOnly prepack prepare postpack publish",
  pack: "prepack prepare postpack",
  version: "version",
  start: "start",
  stop: "stop",
  restart: "restart",
  "test t tst": "test",
});
const PACKAGE_VALUES = wordSet("--prefix -C --cwd --dir -w --workspace --filter -F");
const NO_VALUES: ReadonlySet<string> = new Set();

/** The files that a command runs, as far as its words are known. */
export function runsOf(around: Around): readonly FileRun[] {
  const { command } = around;
  const { program, argv } = command;
  const name = program.toLowerCase().replace(/\.(?:exe|cmd)$/, "");
  if (isShell(name)) return shellRuns(name, around);
  if (name === "source" || name === ".") {
    const file = argv[1] === "-p" ? argv[3] : argv[1];
    if (file !== undefined && !file.startsWith("<(") && isKnown(command, argv.indexOf(file)))
      return [run(around, file, "shell", "source")];
    return printed(around);
  }
  if (name === "eval") return printed(around);
  const [first = ""] = argv;
  const itself =
    first.includes("/") && isKnown(command, 0)
      ? [run(around, first, "any", program, argsBehind(command, 0))]
      : [];
  if (isInterpreter(name)) return [...interpreterRuns(name, around), ...itself.filter(isOfProject)];
  // `uv run x.py`
  if (name.endsWith(".py") && command.via.includes("uv") && itself.length === 0)
    return existing(around, [first], "python", argsBehind(command, 0));
  return RUNS.get(name)?.(around, name) ?? itself;
}

/** What other programs run, by their names. */
const RUNS = byName<(around: Around, name: string) => readonly FileRun[]>({
  "make gmake": makeRuns,
  just: (around) =>
    recipeRuns(around, JUSTFILES, "justfile", "-f --justfile -d --working-directory --set"),
  "task go-task": (around) => recipeRuns(around, TASKFILES, "taskfile", "-t --taskfile -d --dir"),
  "npm pnpm yarn": packageRuns,
  composer: (around, name) => {
    const words = operands(around.command, NO_VALUES);
    const goals = words.filter((word) => !/^run(?:-script)?$/.test(word));
    return [{ ...run(around, "composer.json", "package", name), goals }];
  },
  rake: (around) => {
    const file = valueOf(around.command.argv, "-f", "--rakefile") ?? "Rakefile";
    return [run(around, file, "code", "ruby")];
  },
  // Their code is read as that of JavaScript: literals near calls.
  "zx go": (around, name) => {
    const [file = "", ...more] = operands(around.command, NO_VALUES);
    const path = name === "zx" ? file : file === "run" ? more[0] : undefined;
    return path === undefined ? [] : existing(around, [path, `${path}/main.go`], "node");
  },
  tox: (around, name) => {
    const goals = valueOf(around.command.argv, "-e")?.split(",") ?? [];
    return [{ ...run(around, "tox.ini", "tox", name), goals }];
  },
  nox: (around) => [
    run(around, valueOf(around.command.argv, "-f") ?? "noxfile.py", "code", "python"),
  ],
  "pre-commit prek": (around, name) =>
    around.command.argv[1] === "run"
      ? [run(around, ".pre-commit-config.yaml", "pre-commit", name)]
      : [],
  "pytest py.test": (around) => [run(around, "conftest.py", "code", "python")],
  "pip pip3": pipRuns,
  "bundle bundler": (around) =>
    around.command.argv.length > 1 ? [run(around, "Gemfile", "code", "ruby")] : [],
  "npx bunx pnpx": (around) => localProgram(around, operands(around.command, PACKAGE_VALUES)[0]),
  "docker podman buildah nerdctl": dockerRuns,
  git: gitRuns,
  crontab: (around) => {
    const [, file, ...more] = around.command.argv;
    if (file === undefined || file.startsWith("-") || more.length > 0) return [];
    return isKnown(around.command, 1) ? [run(around, file, "crontab", "crontab")] : [];
  },
  "at batch": (around, name) => {
    const { argv } = around.command;
    const file = argv.includes("-f") ? argv[argv.indexOf("-f") + 1] : undefined;
    return file === undefined ? inputFile(around, "shell") : [run(around, file, "shell", name)];
  },
});

/** Programs of the machine are not read: `/usr/bin/python3`. */
function isOfProject({ path }: FileRun): boolean {
  return !/^\/(?:usr\/|opt\/|s?bin\/)/.test(path);
}

function isKnown(command: ShellCommand, at: number): boolean {
  return !command.unknown.includes(at);
}

function run(
  { cwd, command }: Around,
  file: string,
  format: FileRun["format"],
  program: string,
  args?: readonly string[],
): FileRun {
  return {
    path: resolvePath(cwd, file),
    format,
    program,
    cwd: command.cwd === undefined ? undefined : cwd,
    args,
  };
}

/** The words behind one, if all of them are known. */
function argsBehind({ argv, unknown }: ShellCommand, at: number): readonly string[] | undefined {
  return unknown.some((each) => each > at) ? undefined : argv.slice(at + 1);
}

/** Words that are no options and no values of options that take the next word. */
function operands({ argv, unknown }: ShellCommand, values: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (values.has(word)) at++;
    else if (!word.startsWith("-") && !unknown.includes(at)) found.push(word);
  }
  return found;
}

function valueOf(argv: readonly string[], ...names: string[]): string | undefined {
  for (const [at, word] of argv.entries()) {
    if (names.includes(word)) return argv[at + 1];
    for (const name of names) {
      if (name.startsWith("--") && word.startsWith(`${name}=`)) return word.slice(name.length + 1);
      if (/^-\w$/.test(name) && word.startsWith(name) && word.length > 2 && !word.startsWith("--"))
        return word.slice(2);
    }
  }
  return undefined;
}

function shellRuns(name: string, around: Around): readonly FileRun[] {
  const { command } = around;
  const { argv } = command;
  let at = name === "busybox" ? 2 : 1;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (SHELL_VALUES.has(word)) at++;
    else if (/^-[a-zA-Z]*c/.test(word)) return printed(around);
    else if (word === "--" || word === "-") {
      at++;
      break;
    } else if (!/^[-+]/.test(word)) break;
  }
  const flags = argv.slice(1, at);
  // Only looked at for errors.
  if (flags.some((word) => /^-[a-z]*n[a-z]*$/.test(word))) return [];
  const file = argv[at];
  if (file === undefined) return [...printed(around), ...inputFile(around, "shell")];
  if (!isKnown(command, at)) return printed(around);
  return [run(around, file, "shell", name, argsBehind(command, at))];
}

/** `pip install .`, which runs the setup of what it installs. */
function pipRuns(around: Around): readonly FileRun[] {
  const [verb, ...folders] = operands(around.command, NO_VALUES);
  if (verb !== "install" && verb !== "wheel") return [];
  return folders
    .filter((folder) => /^[./]/.test(folder))
    .map((folder) => run(around, `${folder.replace(/\[.*$/, "")}/setup.py`, "code", "python"));
}

/** What `cat FILE | sh`, `sh -c "$(cat FILE)"` and `sh <(cat FILE)` run. */
function printed(around: Around): readonly FileRun[] {
  const { command, before } = around;
  const words = command.argv.join(" ");
  const found: FileRun[] = [];
  const isSubstituted = /\$\(|`|<\(/.test(words);
  const read = /\$\(\s*<\s*"?([^\s()"'$`]+)"?\s*\)/.exec(words)?.[1];
  if (read !== undefined) found.push(run(around, read, "shell", command.program));
  for (let at = before.length - 1; at >= Math.max(0, before.length - 12); at--) {
    const other = before[at];
    if (!other || !PRINTS.has(other.program)) continue;
    if (!command.from.includes(other.program) && !(isSubstituted && words.includes(other.program)))
      continue;
    for (const file of operands(other, new Set(["-n", "-e", "-c"])))
      found.push(run(around, file, "shell", command.program));
    for (const { op, target, dynamic } of other.redirects)
      if (op === "<" && !dynamic) found.push(run(around, target, "shell", command.program));
  }
  return found.filter(({ path }) => typeof around.files.read(path) === "object");
}

/** `sh < FILE` */
function inputFile(around: Around, format: FileRun["format"]): readonly FileRun[] {
  const { command } = around;
  return command.redirects.flatMap(({ op, target, dynamic }) =>
    op === "<" && !dynamic ? [run(around, target, format, command.program)] : [],
  );
}

/** Code that stands in the line. What code runs of the same language is a statement of it. */
function codeRuns(name: string, text: string | undefined, around: Around): readonly FileRun[] {
  if (text === undefined || around.command.via.at(-1) === around.command.program) return [];
  // The path is what a refusal says: "in the code, line 3".
  return [{ ...run(around, "", "code", name, [text]), path: "the code", text, isInLine: true }];
}

function interpreterRuns(name: string, around: Around): readonly FileRun[] {
  const { command } = around;
  const { argv } = command;
  const kind = /^[a-zA-Z-]*[a-zA-Z]/.exec(name)?.[0] ?? name;
  const values = new Set((VALUES[kind] ?? "").split(" "));
  const found: FileRun[] = [];
  let at = 1;
  if (/^(?:bun|deno|tsx)$/.test(kind) && RUNNERS.has(argv[1] ?? "")) at++;
  if (kind === "deno" && argv[1] === "task") {
    const [file] = existing(around, ["deno.json", "deno.jsonc"], name);
    return file ? [{ ...file, format: "package", goals: argv.slice(2, 3) }] : [];
  }
  for (; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "-m" && /^(?:python|pypy)/.test(kind)) {
      if (RUNS_FILE.test(argv[at + 1] ?? "")) {
        at++;
        continue;
      }
      const module = (argv[at + 1] ?? "").replaceAll(".", "/");
      return existing(around, [`${module}.py`, `${module}/__main__.py`], name);
    }
    if (values.has(word)) {
      const value = argv[++at] ?? "";
      if (/^[./]/.test(value) && kind === "node")
        found.push(...existing(around, [value, `${value}.js`], name));
    } else if (CHECKS[kind]?.test(word)) return [];
    else if (CODE.test(word) && kind !== "bun") {
      const code = isKnown(command, at + 1) ? argv[at + 1] : undefined;
      return [...found, ...codeRuns(name, code, around)];
    } else if (!word.startsWith("-")) break;
  }
  const file = argv[at];
  if (file === undefined) {
    const { stdin } = command;
    const code = stdin?.known === true ? stdin.text : undefined;
    return [...inputFile(around, "code"), ...codeRuns(name, code, around)];
  }
  if (!isKnown(command, at)) return found;
  if (kind === "bun" && !/[./]/.test(file)) return packageRuns(around, name);
  const names = /^(?:node|bun|tsx|ts-node|nodejs)$/.test(kind)
    ? [file, `${file}.js`, `${file}.mjs`, `${file}.ts`, `${file}/index.js`]
    : kind.startsWith("py")
      ? [file, `${file}/__main__.py`]
      : [file];
  return [...found, ...existing(around, names, name, argsBehind(command, at))];
}

/** The first of some files that is there. */
function existing(
  around: Around,
  names: readonly string[],
  program: string,
  args?: readonly string[],
): readonly FileRun[] {
  const all = names.map((name) => run(around, name, "code", program, args));
  const found = all.find(
    ({ path }) => ![undefined, "kind"].includes(around.files.read(path) as string | undefined),
  );
  // One that is not there yet may be written by the line.
  const [first] = all;
  return found ? [found] : first ? [first] : [];
}

function makeRuns(around: Around): readonly FileRun[] {
  const { command, cwd, files } = around;
  const { argv } = command;
  const isDry = argv.some((word) =>
    /^-(?:[a-zA-Z]*[nqt][a-zA-Z]*|-(?:dry-run|just-print|recon|question|touch))$/.test(word),
  );
  const folder = resolvePath(cwd, valueOf(argv, "-C", "--directory") ?? ".");
  const named = valueOf(argv, "-f", "--file", "--makefile");
  const words = operands(command, MAKE_VALUES);
  const goals = words.filter((word) => !word.includes("="));
  const variables = words.flatMap((word) => {
    const at = word.indexOf("=");
    return at > 0 ? [[word.slice(0, at).replace(/[:?+]$/, ""), word.slice(at + 1)] as const] : [];
  });
  const isInput = named === "-" || named === "/dev/stdin";
  const text = isInput ? command.stdin?.text : undefined;
  if (isInput && text === undefined) return [];
  const paths = (named === undefined ? MAKEFILES : [named]).map((name) =>
    resolvePath(folder, name),
  );
  const path = paths.find((one) => files.read(one) !== undefined) ?? paths.at(-1) ?? "";
  const { program, unknown } = command;
  const own = { path, program, cwd: folder, goals, variables, isDry, isAny: unknown.length > 0 };
  return [{ ...own, format: "makefile", ...(text !== undefined && { text }) }];
}

/** The recipes of a file that is looked for in the folders above: `just t`, `task t`. */
function recipeRuns(
  around: Around,
  names: readonly string[],
  format: FileRun["format"],
  values: string,
): readonly FileRun[] {
  const { command, cwd, files } = around;
  const [short = "", long = ""] = values.split(" ");
  const named = valueOf(command.argv, short, long);
  const goals = operands(command, wordSet(values));
  const { program } = command;
  const paths =
    named === undefined
      ? above(cwd).flatMap((folder) => names.map((name) => resolvePath(folder, name)))
      : [resolvePath(cwd, named)];
  const path =
    paths.find((one) => files.read(one) !== undefined) ?? resolvePath(cwd, names[0] ?? "");
  return [{ path, format, program, cwd: folderOf(path), goals }];
}

function packageRuns(around: Around, name: string): readonly FileRun[] {
  const { command, cwd, files } = around;
  const { argv } = command;
  const end = argv.indexOf("--");
  const words = { ...command, argv: end < 0 ? argv : argv.slice(0, end) };
  const [first, ...rest] = operands(words, PACKAGE_VALUES);
  if (argv.includes("--ignore-scripts")) return [];
  const start = resolvePath(cwd, valueOf(words.argv, "--prefix", "-C", "--cwd", "--dir") ?? ".");
  const workspace = valueOf(words.argv, "-w", "--workspace");
  const goals = goalsOf(name, first, rest);
  if ((first === "exec" || first === "x" || first === "dlx") && rest[0] !== undefined)
    return localProgram(around, rest[0]);
  if (goals.length === 0) return [];
  const text = setScripts(around);
  const folders = workspace === undefined ? above(start) : [resolvePath(start, workspace)];
  const hasPackage = (folder: string): boolean =>
    files.read(resolvePath(folder, "package.json")) !== undefined;
  const folder = (text === undefined ? folders.find(hasPackage) : undefined) ?? start;
  const path = resolvePath(folder, "package.json");
  const own = { path, program: name, cwd: folder, goals, ...(text !== undefined && { text }) };
  return [{ ...own, format: "package" }];
}

/** What `npm pkg set scripts.x=…` in front of a command makes of the package.json. */
function setScripts({ before }: Around): string | undefined {
  const set = before.flatMap(({ program, argv }) =>
    argv[1] === "pkg" && /^(?:npm|pnpm|yarn|bun)$/.test(program)
      ? argv.flatMap((word) => [/^scripts\.([^=]+)=(.*)$/s.exec(word)?.slice(1, 3) ?? []])
      : [],
  );
  const scripts = set.filter(([name]) => name !== undefined);
  return scripts.length === 0
    ? undefined
    : JSON.stringify({ scripts: Object.fromEntries(scripts) as unknown });
}

function goalsOf(
  name: string,
  first: string | undefined,
  rest: readonly string[],
): readonly string[] {
  if (first === undefined)
    return name === "yarn" ? (LIFECYCLE.get("install") ?? "").split(" ") : [];
  if (/^(?:run(?:-script)?|rum|urn|workspace)$/.test(first))
    return name === "yarn" && first === "workspace" ? rest.slice(1) : rest.slice(0, 1);
  const lifecycle = LIFECYCLE.get(first);
  // With packages, scripts of these run, too, which are not those of the project.
  if (lifecycle !== undefined)
    return rest.length > 0 && lifecycle.startsWith("preinstall") ? [] : lifecycle.split(" ");
  // `yarn build`, `pnpm build`
  return name === "npm" ? [] : [first];
}

/** A program of `node_modules/.bin`. */
function localProgram(around: Around, name: string | undefined): readonly FileRun[] {
  if (name === undefined || /[@/]/.test(name)) return [];
  for (const folder of above(around.cwd)) {
    const path = resolvePath(folder, `node_modules/.bin/${name}`);
    if (around.files.read(path) !== undefined)
      return [{ path, format: "any", program: name, cwd: around.cwd }];
  }
  return [];
}

const DOCKER_VALUES = wordSet(
  "-f --file -t --tag --build-arg --target --platform --network --label --cache-from --cache-to -o --output --secret --ssh --progress --builder --add-host -m --memory --iidfile --metadata-file --build-context",
);

function dockerRuns(around: Around): readonly FileRun[] {
  const { command, cwd, files } = around;
  const words = operands(command, DOCKER_VALUES);
  const at = words.findIndex((word) => word === "build" || word === "bud");
  if (at < 0 || at > 2) return [];
  const context = words[at + 1] ?? ".";
  const named = valueOf(command.argv, "-f", "--file");
  const paths =
    named === undefined
      ? ["Dockerfile", "Containerfile"].map((name) => resolvePath(resolvePath(cwd, context), name))
      : [resolvePath(cwd, named)];
  const path = paths.find((one) => files.read(one) !== undefined) ?? paths[0] ?? "";
  return [{ path, format: "dockerfile", program: "docker", cwd: undefined }];
}

function gitRuns({ command, cwd, files }: Around): readonly FileRun[] {
  const { subcommand, folder, rest } = gitWords(command, cwd);
  return subcommand === undefined ? [] : gitHooks(subcommand, rest, folder, files);
}

/** The subcommand of git, and where it works. */
export function gitWords(
  { argv, unknown }: ShellCommand,
  cwd: string,
): {
  readonly subcommand: string | undefined;
  readonly folder: string;
  readonly rest: readonly string[];
} {
  let folder = cwd;
  let at = 1;
  for (; at < argv.length && (argv[at] ?? "").startsWith("-"); at++) {
    const word = argv[at] ?? "";
    if (word === "-C") folder = resolvePath(folder, argv[at + 1] ?? ".");
    if (/^(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|config-env))$/.test(word)) at++;
  }
  const subcommand = unknown.includes(at) ? undefined : argv[at];
  return { subcommand, folder, rest: argv.slice(at + 1) };
}
