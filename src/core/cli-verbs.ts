/**
 * Whether something loosens what orcs guards: never, always, if one of some flags is given, or unless one is. This
 * determines what a coding agent may not do on behalf of its user.
 */
export type Loosens =
  | boolean
  | { readonly flags: readonly string[] }
  | { readonly unless: readonly string[] };

/** A command-line verb, as far as it may loosen something. */
export interface Verb {
  readonly loosens: Loosens;
  /** Whether it handles a missing terminal itself: it only shows what it would change, or has nothing to ask. */
  readonly shows?: boolean;
  /** Whether it writes its own entry in the audit log. */
  readonly notes?: boolean;
}

/**
 * The command-line verbs. Every verb must be listed here, with `loosens`. The table determines what self-guard denies,
 * which verbs require a terminal, and which are logged in the audit log.
 */
export const VERBS = {
  eval: { loosens: false },
  explain: { loosens: false },
  list: { loosens: false },
  check: { loosens: false },
  run: { loosens: false },
  test: { loosens: false },
  fuzz: { loosens: false },
  bench: { loosens: false },
  types: { loosens: false },
  init: { loosens: { flags: ["--dev"] }, notes: true },
  // `--http` determines which hooks handle a session that uses HTTP, and whether its events are processed.
  hook: { loosens: { flags: ["--http"] } },
  serve: { loosens: { flags: ["--rotate-token"] } },
  // At a terminal it shows codes that approve questions.
  ui: { loosens: { unless: ["--json", "--deny-only"] }, shows: true, notes: true },
  mcp: { loosens: false },
  // These options determine how orcs is started, which configuration it reads (another one may guard nothing), and what
  // happens for users without orcs.
  install: {
    loosens: { flags: ["--command", "--config", "--missing", "--no-strict", "--transport"] },
    shows: true,
  },
  uninstall: { loosens: true, shows: true },
  import: { loosens: false },
  replay: { loosens: false },
  audit: { loosens: false },
  allow: { loosens: { unless: ["--list"] }, notes: true },
  // A hook that allows something, or that replaces a stricter one, loosens when it is enforced.
  promote: { loosens: { unless: ["--dry-run"] }, shows: true },
  trust: { loosens: { unless: ["--show", "--list"] }, notes: true },
  // Its hooks may allow what others deny, and run in the user's own configuration at once.
  add: { loosens: { unless: ["--dry-run"] }, shows: true },
  remove: { loosens: { unless: ["--dry-run"] }, shows: true },
  // What it accepts is what runs after `orcs trust`; in the user's own configuration, at once.
  update: { loosens: { unless: ["--dry-run"] }, shows: true },
  pack: { loosens: false },
  // Whoever signs decides what every machine with that key runs.
  bundle: { loosens: { flags: ["--key"] } },
  // `--repair` ends the denial of calls whose state was lost.
  doctor: { loosens: { flags: ["--repair"] }, shows: true },
  completion: { loosens: false },
  version: { loosens: false },
  help: { loosens: false },
} as const satisfies Readonly<Record<string, Verb>>;

/** A command-line verb. */
export type VerbName = keyof typeof VERBS;

/** Whether a word is a command-line verb. */
export function isVerb(word: string | undefined): word is VerbName {
  return word !== undefined && Object.hasOwn(VERBS, word);
}

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
