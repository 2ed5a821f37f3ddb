/**
 * Whether something loosens what orcs guards: never, always, when one of some flags is given, or unless one is.
 * What a coding agent may not do for its user follows from this.
 */
export type Loosens =
  | boolean
  | { readonly flags: readonly string[] }
  | { readonly unless: readonly string[] };

/** A verb of the command line, as far as it may loosen something. */
export interface Verb {
  readonly loosens: Loosens;
  /** Whether it refuses by itself where nobody can be asked, and shows what it would change. */
  readonly shows?: boolean;
  /** Whether it writes its own line in the audit log. */
  readonly notes?: boolean;
}

/**
 * The verbs of the command line. A verb that is not here cannot be added to it, nor one without `loosens`. From it
 * follow what self-guard denies, which verbs want a terminal, and which are written in the audit log.
 */
export const VERBS = {
  eval: { loosens: false },
  explain: { loosens: false },
  list: { loosens: false },
  check: { loosens: false },
  run: { loosens: false },
  test: { loosens: false },
  bench: { loosens: false },
  types: { loosens: false },
  init: { loosens: { flags: ["--dev"] }, notes: true },
  // Which hooks answer a session that asks over HTTP, and whether what it sends is heard.
  hook: { loosens: { flags: ["--http"] } },
  serve: { loosens: { flags: ["--rotate-token"] } },
  mcp: { loosens: false },
  // What starts orcs, and the configuration that it reads: another one may guard nothing. What people without orcs get.
  install: {
    loosens: { flags: ["--command", "--config", "--missing", "--no-strict", "--transport"] },
    shows: true,
  },
  uninstall: { loosens: true, shows: true },
  import: { loosens: false },
  replay: { loosens: false },
  audit: { loosens: false },
  trust: { loosens: { unless: ["--show", "--list"] }, notes: true },
  // It ends the denial of calls whose state is gone.
  doctor: { loosens: { flags: ["--repair"] }, shows: true },
} as const satisfies Readonly<Record<string, Verb>>;

/** A verb of the command line. */
export type VerbName = keyof typeof VERBS;

/** Whether a word is a verb of the command line. */
export function isVerb(word: string | undefined): word is VerbName {
  return word !== undefined && Object.hasOwn(VERBS, word);
}

/** A route of the service's HTTP side. */
export interface ServiceRoute {
  readonly method: "GET" | "POST";
  /** Its path; with a slash at the end, one more segment follows. */
  readonly path: string;
  readonly loosens: boolean;
}

/** The routes of the service. */
export const SERVICE_ROUTES = {
  health: { method: "GET", path: "/healthz", loosens: false },
  metrics: { method: "GET", path: "/metrics", loosens: false },
  hook: { method: "POST", path: "/hooks/", loosens: false },
  dispatch: { method: "POST", path: "/dispatch/", loosens: false },
} as const satisfies Readonly<Record<string, ServiceRoute>>;

/**
 * Whether a verb loosens, with these options.
 * @param isGiven whether an option was given, by its flag
 */
export function isLoosening(loosens: Loosens, isGiven: (flag: string) => boolean): boolean {
  if (typeof loosens === "boolean") return loosens;
  return "flags" in loosens ? loosens.flags.some(isGiven) : !loosens.unless.some(isGiven);
}
