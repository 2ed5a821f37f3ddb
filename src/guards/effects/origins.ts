import { wordSet } from "../../core/index.ts";
import type { Effect, ShellCommand } from "../../core/index.ts";
import { pathInside, resolvePath } from "../../matching/index.ts";
import type { Format } from "../scripts/piece.ts";
import { SOCKET } from "./connections.ts";
import { base } from "./copies.ts";
import { isInterpreter, isShell, UNKNOWN_FOLDER } from "../scripts/piece.ts";
import { runsOf } from "../scripts/runs-of.ts";

/** Programs that fetch texts and files from where they connect to. */
const FETCHES = wordSet(`
  curl wget wget2 fetch aria2c axel lynx http https xh curlie lwp-request GET ftp tftp scp rsync nc ncat netcat
  socat aws gsutil gcloud s3cmd s5cmd mc rclone az git hg svn gh glab
`);
/** Those that print none of it, and the addresses of other machines for them. */
const CLONES = wordSet("git hg svn gh glab");
const REMOTE = /^(?!file:)[a-z][\w+.-]*:\/\/|^[\w@.-]{2,}:/i;
/** Programs that run what is at an address. */
const RUNS_ADDRESS =
  /^(?:deno (?:run|x|install|serve)|bun (?:run|x)|(?:uv|pipx) run|npx|bunx|(?:pnpm|yarn) dlx)(?: -\S+)* (https?:\S+)/;
/** Programs with which a file is compared with a checksum or a signature: it is not unseen. */
const VERIFIES = wordSet(
  "sha256sum sha512sum sha1sum md5sum shasum gpg gpgv cosign minisign openssl",
);
/** Shells and what runs texts in a shell. */
const RUNS_INPUT = wordSet("source . eval csh tcsh su ssh pwsh powershell");
/** Commands of PowerShell and cmd that download files, and those that run what their words name. */
const WINDOWS_FETCHES = wordSet(
  "invoke-webrequest invoke-restmethod start-bitstransfer certutil bitsadmin",
);
const WINDOWS_RUNS = wordSet("powershell pwsh powershell_ise cmd start-process invoke-item");
/** Programs that send their input over a connection, and those that make a named pipe. */
const SENDS = wordSet("nc ncat netcat nc.traditional nc.openbsd socat telnet openssl");
const PIPES = wordSet("mkfifo mknod");
const FEEDERS: ReadonlySet<string> = new Set(["xargs", "parallel"]);
/** A substitution, with the program in it. */
const SUBSTITUTED = /(?:[<$]\(|`)\s*([\w-]+)/;
/** Most files of a line whose origin is known. */
const MOST_FILES = 100;
/** What projects are built with is run from repositories that are fetched: it is no program of theirs. */
const BUILDS: ReadonlySet<Format> = new Set(["makefile", "package", "dockerfile", "justfile"]);
const NO_FILES = { read: () => undefined };

/** A file, or a folder with all that is in it. */
interface Fetched {
  readonly path: string;
  readonly isFolder: boolean;
  readonly from: string;
}

/** Where what the commands of a line run comes from, if that is another machine. */
export class Origins {
  /** The addresses that programs print something of, by their last command. */
  readonly #printed = new Map<string, string>();
  #files: Fetched[] = [];
  /** Files that commands of Windows download, by their last names: where they come from. */
  readonly #downloads = new Map<string, string>();
  #isDownloading = false;
  #hasPipe = false;
  /** Shells that may read their commands from a named pipe. */
  readonly #fed = new Set<string>();
  /** The current folder, if it is not known where it is. */
  #unknown = UNKNOWN_FOLDER;
  #last: ShellCommand | undefined;
  readonly #valuesIn: (word: string) => string;

  /** @param valuesIn what the line assigns to the variables of a word, as written */
  constructor(valuesIn: (word: string) => string = () => "") {
    this.#valuesIn = valuesIn;
  }

  /** A command with `from` among its `run` effects; what it fetches counts for those behind it. */
  follow(command: ShellCommand): ShellCommand {
    const { program, argv, effects = [], from, via } = command;
    if (program === "cd" && command.cwd === undefined)
      this.#unknown = resolvePath(this.#unknown, argv[1] ?? "");
    const socket = this.#socket(command);
    const { stdin } = command;
    const input =
      this.#inputOf([...from, ...via.filter((name) => FEEDERS.has(name))]) ??
      (stdin?.known === false ? this.#printedIn(stdin.text) : undefined);
    const address = FETCHES.has(program) ? addressOf(command) : undefined;
    const isPlain = this.#files.length === 0 && this.#printed.size === 0;
    const isKnown = effects.some((effect) => effect.kind === "run" && effect.from !== undefined);
    const runs = isKnown
      ? undefined
      : (atAddress(command) ??
        socket ??
        this.#sentShell(command) ??
        this.#runsDownload(command) ??
        (isPlain ? undefined : this.#runs(command, input)));
    this.#note(command, address, input ?? (isPlain ? undefined : this.#carried(command)));
    this.#last = command;
    if (runs === undefined) return command;
    return { ...command, effects: [...effects, runs] };
  }

  /** The address of what the programs print of which a command reads. */
  #inputOf(from: readonly string[]): string | undefined {
    for (const name of from) {
      const address = this.#printed.get(name);
      if (address !== undefined) return address;
    }
    return undefined;
  }

  /** The address of what is in variables among the words of a command that prints them. */
  #carried({ program, argv, unknown }: ShellCommand): string | undefined {
    if (program !== "echo" && program !== "printf") return undefined;
    return this.#printedIn(unknown.map((at) => argv[at] ?? "").join(" "));
  }

  /** The address of what a substitution in a word gives, or in what the line assigns to its variables. */
  #printedIn(word: string): string | undefined {
    for (const text of [word, this.#valuesIn(word)]) {
      const address = this.#printed.get(SUBSTITUTED.exec(text)?.[1] ?? "");
      if (address !== undefined) return address;
    }
    return undefined;
  }

  /** A shell whose commands come from a connection: `bash -i >& /dev/tcp/HOST/PORT 0>&1`. */
  #socket(command: ShellCommand): Effect | undefined {
    // What a program starts has its connections: `nohup bash …`.
    const isStarted = command.via.length > 0 && command.via.at(-1) === this.#last?.program;
    const redirects = [...command.redirects, ...(isStarted ? (this.#last?.redirects ?? []) : [])];
    const socket = redirects.find(({ target }) => SOCKET.test(target));
    return socket &&
      (isShell(command.program) || RUNS_INPUT.has(command.program)) &&
      readsInput(command)
      ? { kind: "run", sure: true, from: socket.target }
      : undefined;
  }

  /** What sends the output of a shell on a line in which a named pipe gives the shell its commands. */
  #sentShell(command: ShellCommand): Effect | undefined {
    const { program, from } = command;
    this.#hasPipe ||= PIPES.has(program);
    const runsInput = isShell(program) || program === "csh" || program === "tcsh";
    if (this.#hasPipe && runsInput && readsInput(command)) this.#fed.add(program);
    const isSent = SENDS.has(program) && from.some((name) => this.#fed.has(name));
    return isSent ? { kind: "run", sure: true, from: "/dev/tcp/" } : undefined;
  }

  #runs(command: ShellCommand, input: string | undefined): Effect | undefined {
    const { program, opaque, argv, unknown } = command;
    const run = { kind: "run", sure: true, program } as const;
    if (input !== undefined && opaque) return { ...run, from: input };
    const name = program.toLowerCase();
    const isOfCode = isInterpreter(name);
    if (isOfCode && input !== undefined && readsInput(command)) return { ...run, from: input };
    for (const [at, word] of isOfCode || isShell(name) || name === "eval" ? argv.entries() : []) {
      const isGiven = name === "eval" || /^-[a-zA-Z]*[ceEpr]$/.test(argv[at - 1] ?? "");
      // A shell with `<(…)` is read with what is in it.
      if (!(isGiven && unknown.includes(at)) && !(isOfCode && word.startsWith("<("))) continue;
      const address = this.#printedIn(word);
      if (address !== undefined) return { ...run, from: address };
    }
    if (this.#files.length === 0) return undefined;
    const cwd = this.#folderOf(command);
    const [itself = ""] = argv;
    const runs = runsOf({ command, before: [], cwd, files: NO_FILES });
    const found = runs.map((each) => this.#fetched(each.path, !BUILDS.has(each.format)));
    const words = RUNS_INPUT.has(name) ? argv.slice(1) : [];
    if (itself.includes("/")) words.push(itself);
    const paths = runs.map(({ path }) => path);
    for (const word of words) {
      const path = resolvePath(cwd, word);
      paths.push(path);
      found.push(this.#fetched(path));
    }
    const at = found.findIndex((from) => from !== undefined);
    const from = found[at];
    return from === undefined ? undefined : { ...run, target: paths[at] ?? "", from };
  }

  /** What runs a file that a command of Windows has downloaded; it is known by its last name alone. */
  #runsDownload({ program, argv, dialect, from, effects = [] }: ShellCommand): Effect | undefined {
    if (dialect !== undefined && WINDOWS_FETCHES.has(program)) {
      const address = effects.find(({ kind }) => kind === "connect")?.word ?? "?";
      this.#isDownloading = true;
      for (const { kind, word = "" } of effects)
        if (kind === "write" && word !== "") this.#downloads.set(fileName(word), address);
      return undefined;
    }
    if (!this.#isDownloading && program !== "invoke-expression") return undefined;
    const isPiped = this.#isDownloading || from.includes("invoke-webrequest");
    const words = WINDOWS_RUNS.has(program) ? argv : argv.slice(0, 1);
    const found = words.map((word) => this.#downloads.get(fileName(word))).find(Boolean);
    const address = found ?? (isPiped && program === "invoke-expression" ? "?" : undefined);
    return address === undefined ? undefined : { kind: "run", sure: true, program, from: address };
  }

  #fetched(path: string, isBelowToo = true): string | undefined {
    return this.#files.find(
      (file) =>
        file.path === path ||
        (isBelowToo && file.isFolder && pathInside(file.path, path) !== undefined),
    )?.from;
  }

  #note(command: ShellCommand, address: string | undefined, input: string | undefined): void {
    const { program, effects = [] } = command;
    if (VERIFIES.has(program)) this.#files = [];
    const printed = CLONES.has(program) || program === "rsync" ? undefined : (address ?? input);
    if (printed === undefined) this.#printed.delete(program);
    else this.#printed.set(program, printed);
    const from = address ?? input;
    // It may write any file that it names.
    if (from !== undefined && command.described !== true && !isShell(program)) {
      const cwd = this.#folderOf(command);
      for (const word of command.argv.slice(1))
        for (const name of [word, base(word)])
          this.#fetch({ path: resolvePath(cwd, name), isFolder: address !== undefined, from }, cwd);
    }
    for (const effect of effects) {
      if (effect.kind !== "write") continue;
      const origin = from ?? this.#copied(effect, effects);
      const path = this.#pathOf(effect);
      const isFolder = effect.recursive === true;
      // What stores of files copy into the current folder stands beside what was there.
      const near =
        address === undefined || CLONES.has(program) ? undefined : this.#folderOf(command);
      if (origin !== undefined && path !== undefined)
        this.#fetch({ path, isFolder, from: origin }, near);
    }
  }

  /** @param near folder that is not noted as a whole */
  #fetch(file: Fetched, near?: string): void {
    if (this.#files.length >= MOST_FILES) return;
    const isNear = file.path === near && file.isFolder;
    this.#files.push(
      isNear
        ? { ...file, path: resolvePath(near, base(file.from).replace(/^.*:/, "")), isFolder: false }
        : file,
    );
  }

  /** The folder of a command, also below one that is not known. */
  #folderOf({ cwd }: Pick<ShellCommand, "cwd">): string {
    return cwd === undefined ? this.#unknown : resolvePath("/", cwd);
  }

  /** The address of what is copied, moved or unpacked. */
  #copied({ from }: Effect, effects: readonly Effect[]): string | undefined {
    if (this.#files.length === 0) return undefined;
    const copied = from === undefined ? undefined : this.#fetched(from);
    if (copied !== undefined) return copied;
    for (const each of effects) {
      const path = each.kind === "read" ? this.#pathOf(each) : undefined;
      const found = path === undefined ? undefined : this.#fetched(path);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #pathOf({ target, word = "", cwd }: Effect): string | undefined {
    if (target !== undefined) return target;
    return /^[$`]/.test(word) ? undefined : resolvePath(this.#folderOf({ cwd }), word);
  }
}

/** The address that a command fetches from, `git+…` of a repository; undefined if it only shows its help. */
function addressOf({ program, argv, effects = [], described }: ShellCommand): string | undefined {
  const found = effects.find(({ kind }) => kind === "connect");
  if (!found && described !== true) return argv.find((word) => word.includes("://"));
  const address = found && (found.word ?? found.target ?? "");
  if (address === undefined || !CLONES.has(program)) return address;
  return /^(?:git|hg|svn)$/.test(program) && !REMOTE.test(address) ? undefined : `git+${address}`;
}

/** The last name in a path of Windows, without the ending of a program. */
function fileName(word: string): string {
  return word
    .replace(/^.*[\\/]/s, "")
    .toLowerCase()
    .replace(/\.[ecb][xmoa][edmt]$/, "");
}

function atAddress({ program, argv }: ShellCommand): Effect | undefined {
  if (!argv.some((word) => word.startsWith("http"))) return undefined;
  const from = RUNS_ADDRESS.exec([program, ...argv.slice(1)].join(" "))?.[1];
  return from === undefined ? undefined : { kind: "run", sure: true, from };
}

/** Whether an interpreter reads its program from its input: it has no script, and no code in its words. */
export function readsInput({ argv }: ShellCommand): boolean {
  for (const word of argv.slice(1)) {
    if (word === "-" || word === "/dev/stdin") return true;
    if (!word.startsWith("-") || /^-[a-zA-Z]*[cemEpnrl]/.test(word)) return false;
  }
  return true;
}
