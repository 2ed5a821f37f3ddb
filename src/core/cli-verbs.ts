/**
 * Whether something loosens what orcs guards: never, always, if one of some flags is given, or unless one is. This
 * determines what a coding agent may not do on behalf of its user.
 */
export type Loosens =
  | boolean
  | { readonly flags: readonly string[] }
  | { readonly unless: readonly string[] };

/** A command-line verb. */
export interface Verb {
  /** For `orcs --help`, which loads none of the verbs. */
  readonly does: string;
  /** Its arguments and what they are; default none. */
  readonly takes?: Readonly<Record<string, string>>;
  /** Then the options are theirs. */
  readonly hasSubcommands?: boolean;
  readonly loosens: Loosens;
  /** Whether it handles a missing terminal itself: it only shows what it would change, or has nothing to ask. */
  readonly shows?: boolean;
  /** Whether it writes its own entry in the audit log. */
  readonly notes?: boolean;
}

const EVENT = {
  "[point]": "hook point or alias, such as tool.pre_execute; with --host, the event has it",
  "[key=value...]":
    "keys of the payload: tool=NAME, session_id, agent_id, cwd, result; at tool points, any other key is an argument of the tool",
};

/**
 * The command-line verbs. Every verb must be listed here, with `loosens`. The table determines what self-guard denies,
 * which verbs require a terminal, which are logged in the audit log, and what help says of them and their arguments.
 * `rules allow` is a command below a verb, and `eval --explain` another command that an option of a verb selects.
 */
export const VERBS = {
  on: {
    does: "guard the coding agents of this machine: shell, paths, secrets; shows what it would do and asks",
    loosens: false,
    shows: true,
  },
  off: {
    does: "take back what orcs on did, byte for byte",
    loosens: true,
    shows: true,
    notes: true,
  },
  status: {
    does: "show what guards what, what was stopped this week, what is wrong and what waits for an answer",
    loosens: { flags: ["--answer"] },
  },
  init: {
    does: "create a project: orcs.toml, a guard with tests, files for editors",
    loosens: { flags: ["--dev"] },
    notes: true,
  },
  "init --types": {
    does: "write files for editors: Lua definitions, a schema of orcs.toml and .luarc.json",
    takes: { "[dir]": "folder for the definitions" },
    loosens: false,
  },
  check: {
    does: "check the configuration and its scripts, and report every error with file and line",
    takes: {
      "[script.lua...]": "check only these files, without a configuration; they are not run",
    },
    loosens: false,
  },
  test: {
    does: "run the tests of hooks: those in scripts, in the configuration and in *_test.lua files",
    takes: {
      "[files...]": "scripts, *_test.lua files, folders that contain them, or a configuration",
    },
    loosens: false,
  },
  "test --fuzz": {
    does: "generate spellings of a forbidden command, and show those that hooks let pass",
    loosens: false,
  },
  "test --bench": {
    does: "measure how long each hook takes for one event: p50, p99 and maximum",
    takes: {
      "[script.lua]": "measure the hooks of this file; default: those of the configuration",
    },
    loosens: false,
  },
  eval: {
    does: "run the hooks of a hook point on one event and show the result",
    takes: EVENT,
    loosens: false,
  },
  "eval --explain": {
    does: "show for one event which hooks ran or did not run, why, and what they changed",
    takes: EVENT,
    loosens: false,
  },
  // Its tools only read, whatever the configuration grants.
  "eval --interactive": {
    does: "open a prompt for Lua among the loaded hooks, with the context of an event as ctx",
    takes: EVENT,
    loosens: false,
  },
  "eval --steps": {
    does: "show for one event what each line of its Lua hooks did: how often it ran, how long, the values it read and wrote",
    takes: EVENT,
    loosens: false,
  },
  list: {
    does: "list the hooks of each hook point in the order in which they run",
    loosens: false,
  },
  run: {
    does: "run a Lua script or component; hooks see every tool call that it makes",
    takes: {
      "<script.lua>":
        "a script, or a script that returns a component, which then gets a run request",
    },
    loosens: false,
  },
  trust: {
    does: "show what the hooks of a project may do, and activate them after confirmation",
    takes: { "[dir]": "the folder of the project" },
    loosens: { unless: ["--show", "--list"] },
    notes: true,
  },
  rules: {
    does: "allow a refused line once, or raise the mode of a hook",
    hasSubcommands: true,
    loosens: false,
  },
  "rules allow": {
    does: "allow one refused command line once, by the code in the refusal",
    takes: { "[code]": "the code at the end of the refusal" },
    loosens: { unless: ["--list", "--forget"] },
    notes: true,
  },
  // A hook that allows something, or that replaces a stricter one, loosens when it is enforced.
  "rules promote": {
    does: "raise the mode of a hook in its configuration: from audit to warn, and from warn to enforce",
    takes: { "<hook>": "the id of the hook, as in orcs list" },
    loosens: { unless: ["--dry-run"] },
    shows: true,
  },
  package: {
    does: "use and publish packages of hooks: add, remove, update, pack",
    hasSubcommands: true,
    loosens: false,
  },
  // Its hooks may allow what others deny, and run in the user's own configuration at once.
  "package add": {
    does: "use the hooks of an installed npm package or of a folder",
    takes: { "<package>": "an installed npm package, or a folder that begins with ./" },
    loosens: { unless: ["--dry-run"] },
    shows: true,
  },
  "package remove": {
    does: "no longer use the hooks of a package",
    takes: { "<package>": "an npm package, or a folder that begins with ./" },
    loosens: { unless: ["--dry-run"] },
    shows: true,
  },
  // What it accepts is what runs after `orcs trust`; in the user's own configuration, at once.
  "package update": {
    does: "show how installed packages of hooks differ from orcs.lock, and accept what is installed",
    loosens: { unless: ["--dry-run"] },
    shows: true,
  },
  "package pack": {
    does: "check a package of hooks as npm would publish it",
    takes: { "[dir]": "the folder of the package; default: the working directory" },
    loosens: false,
  },
  // What it shows may be secret, and restoring overwrites what the user has done since.
  undo: {
    does: "restore the files and the repository as they were before a call of a coding agent",
    takes: {
      "[id]": "an undo point, as in --list; default: the newest one that was not undone",
      "[path...]": "only these files and folders",
    },
    loosens: { unless: ["--list"] },
    shows: true,
    notes: true,
  },
  import: {
    does: "convert the command hooks in a coding agent's settings to [[hooks]] for orcs.toml",
    takes: { "[file]": "only this settings file; default: the user's and the project's" },
    loosens: false,
  },
  // At a terminal it shows codes that approve questions.
  ui: {
    does: "open a page that shows live what the hooks of your agents do, and why",
    takes: {
      "[script.lua]":
        "run this script as orcs run does, once the page is open, and watch it instead",
    },
    loosens: { unless: ["--json", "--deny-only"] },
    shows: true,
    notes: true,
  },
  audit: {
    does: "show the audit log (what hooks decided, what failed) and verify that it was not changed",
    hasSubcommands: true,
    loosens: false,
  },
  replay: {
    does: "re-run recorded events and show decisions that changed",
    takes: { "<record>": "a file written by --record" },
    loosens: false,
  },
  // `--repair` ends the denial of calls whose state was lost.
  doctor: {
    does: "check coding agents, their settings and the configuration, and report why a hook would not run",
    loosens: { flags: ["--repair"] },
    shows: true,
  },
  help: {
    does: "show a page of the documentation, or list the pages",
    takes: {
      "[topic...]":
        "a page or a command, or the beginning of the name of a page; `programs NAME` for a program of the dictionary",
    },
    loosens: false,
  },
  version: {
    does: "show the versions of orcs, Node and Lua, and where orcs is installed",
    loosens: false,
  },
  // `--http` determines which hooks handle a session that uses HTTP, and whether its events are processed.
  hook: {
    does: "handle one event of a coding agent: reads JSON from stdin, writes the response to stdout",
    loosens: { flags: ["--http"] },
  },
  serve: {
    does: "run one engine that serves all coding agents, over a socket and HTTP, until it is stopped",
    loosens: { flags: ["--rotate-token"] },
  },
  mcp: {
    does: "run an MCP server over stdio with hooks in front of its tools",
    takes: { "<command...>": "the command of the MCP server, and its arguments" },
    loosens: false,
  },
  // These options determine how orcs is started, which configuration it reads (another one may guard nothing), and what
  // happens for users without orcs.
  install: {
    does: "add orcs to the settings of a coding agent",
    loosens: { flags: ["--command", "--config", "--missing", "--no-strict", "--transport"] },
    shows: true,
  },
  uninstall: {
    does: "remove orcs from the settings of a coding agent",
    loosens: true,
    shows: true,
  },
  // Whoever signs decides what every machine with that key runs.
  bundle: {
    does: "put a configuration into one signed file for many machines",
    hasSubcommands: true,
    loosens: { flags: ["--key"] },
  },
  completion: {
    does: "print a script with which bash, zsh or fish completes the commands of orcs",
    takes: { "<shell>": "the shell" },
    loosens: false,
  },
} as const satisfies Readonly<Record<string, Verb>>;

/** A command-line verb, or a command of one. */
export type VerbName = keyof typeof VERBS;

/** The first word of a command. */
export type VerbWord = Exclude<VerbName, `${string} ${string}`>;

/** Whether a word is a command-line verb. */
export function isVerb(word: string | undefined): word is VerbWord {
  return word !== undefined && !word.includes(" ") && Object.hasOwn(VERBS, word);
}

/** The commands of a verb, by the word or the option that selects each. */
export function commandsOf(verb: string): readonly (readonly [word: string, name: VerbName])[] {
  const names = Object.keys(VERBS) as VerbName[];
  return names.flatMap((name) => {
    const [first = "", word] = name.split(" ");
    return first === verb && word !== undefined ? [[word, name] as const] : [];
  });
}

/** The verbs of the first help, in groups; all others are listed by `orcs help commands`. */
export const FIRST_VERBS: Readonly<Record<string, readonly string[]>> = {
  "Be guarded:": ["on", "off", "status", "undo"],
  "Write hooks:": ["init", "check", "test", "eval", "list", "run"],
  "Decide what counts:": ["trust", "rules", "package", "import"],
  "Look:": ["ui", "audit", "replay", "doctor"],
  "Read:": ["help", "version"],
};

/** Whether the first help leaves a verb out. */
export function isRare(verb: VerbWord): boolean {
  return !Object.values(FIRST_VERBS).flat().includes(verb);
}

/** Names of version 0.1, which work for one more version. */
export const OLD_VERBS: Readonly<Record<string, VerbName>> = {
  explain: "eval --explain",
  fuzz: "test --fuzz",
  bench: "test --bench",
  types: "init --types",
  allow: "rules allow",
  promote: "rules promote",
  add: "package add",
  remove: "package remove",
  update: "package update",
  pack: "package pack",
};

/** An HTTP route of the service. */
export interface ServiceRoute {
  readonly method: "GET" | "POST";
  /** Its path; if it ends with a slash, one more segment follows. */
  readonly path: string;
  readonly loosens: boolean;
}

/** The routes of the service. */
export const SERVICE_ROUTES = {
  health: { method: "GET", path: "/healthz", loosens: false },
  metrics: { method: "GET", path: "/metrics", loosens: false },
  hook: { method: "POST", path: "/hooks/", loosens: false },
  events: { method: "GET", path: "/v1/events", loosens: false },
  wire: { method: "POST", path: "/v1/", loosens: false },
} as const satisfies Readonly<Record<string, ServiceRoute>>;

/**
 * Whether a verb loosens something with the given options.
 * @param isGiven whether an option was given, by its flag
 */
export function isLoosening(loosens: Loosens, isGiven: (flag: string) => boolean): boolean {
  if (typeof loosens === "boolean") return loosens;
  return "flags" in loosens ? loosens.flags.some(isGiven) : !loosens.unless.some(isGiven);
}
