import { relative, resolve, sep } from "node:path";
import { z } from "zod";
import {
  AUDIT_LEVELS,
  CAPABILITIES,
  type CapabilityName,
  DEFAULT_MAX_DEPTH,
  FSYNC_POLICIES,
  HOOK_MODES,
  equalJson,
  stated,
} from "../core/index.ts";
import { compileRegex } from "../matching/index.ts";
import { failureMode, hookMode, milliseconds } from "./hook-schema.ts";
import { checkedText, quoted, refuse, tableSchema } from "./schema-parts.ts";
import { isFolder } from "../machine/index.ts";
import { isTable } from "./table.ts";

/** For a setting that loosens nothing. */
const NEVER: LooseningRule = { when: "set", loosens: () => false };

/** One setting. Required fields are decisions that every setting must make. */
interface SettingSpec {
  /** One line of Markdown, for docs, JSON Schema and editors. */
  readonly doc: string;
  readonly project: ProjectRule;
  /**
   * What other layers may not do while the machine enforces hooks or the setting. Default: the rule for projects; where
   * that is none, the setting is fixed once an enforced configuration of the machine sets it.
   */
  readonly enforced?: LooseningRule;
  /** Left out: undefined unless it is set. */
  readonly default?: unknown;
  /** A path, relative to the file that sets it. */
  readonly isPath?: true;
}

/** A schema is built for a value: building all of them takes milliseconds. */
type Setting = SettingSpec & { readonly schema: () => z.ZodType };

/** A table of settings. */
interface Section {
  readonly doc: string;
  /**
   * A discovered project cannot set any of it; with `"own"`, only the user's own configuration can; with `"deployed"`,
   * that, the machine's and a bundle.
   */
  readonly project?: "never" | "own" | "deployed" | undefined;
  /** Whether all of it is fixed once an enforced configuration of the machine sets a part. */
  readonly isOneDecision?: boolean | undefined;
  readonly settings: Readonly<Record<string, Setting>>;
}

const text = z.string().min(1);
const DURATION = /^\d{1,6}[smhd]$/;
const capability = z.enum(Object.keys(CAPABILITIES) as CapabilityName[]);
const duration = z
  .string()
  .regex(DURATION, "must be a number and s, m, h or d, such as 30s or 7d")
  .refine((written) => durationMs(written) >= 1000, "must be 1s or more");
const pattern = checkedText((source) => void compileRegex("redact", source));
const isRedisUrl = (written: string): boolean =>
  URL.canParse(written) && /^rediss?:\/\/[^/]/.test(written);
/** Who may answer a question about a call of a coding agent. */
const ANSWER_WAYS = ["agent", "terminal", "inspector", "command", "url"] as const;
const isAnswerUrl = (written: string): boolean => {
  if (!URL.canParse(written)) return false;
  const { protocol, hostname } = new URL(written);
  const isHere = hostname === "localhost" || /^127\.|^\[::1\]$/.test(hostname);
  return protocol === "https:" || (protocol === "http:" && isHere);
};
const bundleKey = z
  .string()
  .regex(/^ed25519:[A-Za-z0-9+/]{43}=$/, "must be a line that orcs bundle keygen prints");
/** A `lua_State` counts its memory in 32 bits. */
const megabytes = z.int().min(1).max(2048);

const DURATION_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration of the configuration, such as `"30s"`, in milliseconds. */
export function durationMs(written: string): number {
  return Number(written.slice(0, -1)) * (DURATION_MS[written.slice(-1)] ?? Number.NaN);
}

/**
 * Every setting: its type, default, documentation, and whether a discovered project can change it. Each can also be set
 * with the variable `ORCS_<SECTION>_<KEY>`. The schema, the type `Settings`, the docs and the JSON Schema are derived
 * from this table.
 */
export const SETTINGS = {
  debug: setting(() => z.boolean(), {
    doc: "logs all levels from debug on, instead of warnings and errors only; has no effect on a program's own logger",
    default: false,
    project: "free",
  }),
  self_guard: setting(() => z.boolean(), {
    doc: "whether the [policy `self-guard`](policies.md#self-guard) denies attempts of coding agents to switch orcs off; can only be set in your own configuration",
    project: "own",
    enforced: { when: "hooks", loosens: is(false) },
  }),
  enforced: setting(() => z.boolean(), {
    doc: "whether no other configuration can loosen this one; can only be set in the [configuration of the machine](../how-to/machine.md)",
    project: "machine",
  }),
  hil: section("how a decision `ask` is answered (human in the loop)", {
    mode: setting(() => z.enum(["terminal", "callback", "deny"]), {
      doc: 'who is asked: `"terminal"` lets `orcs run` ask on stderr and read stdin (both must be terminals), `"callback"` calls the program\'s `approve`, `"deny"` denies without asking. Not set: `approve` if there is one, otherwise the terminal. If nobody can be asked, the call is denied with that reason',
      project: { when: "set", loosens: isOther, weakens: isNot("deny") },
    }),
    timeout_ms: setting(() => milliseconds, {
      doc: "how long to wait for a response, including the wait for other questions at the terminal; without a response in that time, the call is denied",
      default: 300_000,
      project: { when: "set", loosens: isHigher },
    }),
    answer: setting(() => z.array(z.enum(ANSWER_WAYS)).min(1), {
      doc: 'who may answer a question about a call of a coding agent: `"agent"`, the agent\'s own dialogue, where somebody sits at it; `"terminal"`, `orcs status --answer`; `"inspector"`, `orcs ui`; `"command"` and `"url"`, see below. With any but `"agent"`, the call waits as long as the agent lets it, and is denied then ([answers](ask.md#somebody-who-does-not-sit-at-the-agent)). Can only be set in your own configuration',
      default: ["agent"],
      project: "own",
    }),
    answer_command: setting(() => z.array(text).min(1), {
      doc: 'a program and its arguments, for `answer = ["command"]`: it reads the question as JSON and prints `{"answer":"allow"}` or `{"answer":"deny"}`. Can only be set in your own configuration',
      project: "own",
    }),
    answer_url: setting(
      () => z.string().refine(isAnswerUrl, "must be https://…, or http:// to this machine"),
      {
        doc: 'the server that gets questions, for `answer = ["url"]`, and is asked for their answers. Can only be set in your own configuration',
        project: "own",
      },
    ),
    answer_key_file: setting(
      () =>
        text.regex(/(?:^|\/)answer\.key$/, "must be a file answer.key, which secret-guard knows"),
      {
        doc: "a file `answer.key` with the key, of 32 characters or more, that signs the requests to `answer_url` and its answers. Can only be set in your own configuration",
        isPath: true,
        project: "own",
      },
    ),
  }),
  paths: section("where files are kept", {
    state: setting(() => text, {
      // With a state of its own, a project could claim that the user's hooks with `once` have run.
      doc: "the directory where `orcs hook`, `orcs serve` and `orcs mcp` keep `orcs.state` between runs; otherwise a directory in the user's state folder. Other commands keep it in memory",
      isPath: true,
      project: { when: "hooks", loosens: isOther, weakens: isOtherThanSet },
      enforced: { when: "hooks", loosens: isOther },
    }),
    audit: setting(() => text, {
      // The log also contains the decisions of the user's own hooks.
      doc: "the directory of the [audit log](audit.md); otherwise a directory beside the state, but only for `orcs hook`, `orcs serve`, `orcs mcp` and `orcs run`",
      isPath: true,
      project: { when: "hooks", loosens: isOther, weakens: isOtherThanSet },
      enforced: { when: "hooks", loosens: isOther },
    }),
  }),
  state: section(
    "a [state that several machines share](shared-state.md); can only be set in your own configuration",
    {
      url: setting(() => z.string().refine(isRedisUrl, "must be redis://… or rediss://…"), {
        doc: "the Redis or Valkey server that keeps `orcs.state`: `redis://user:password@host:port/number`, or `rediss://` with TLS. Not set: `orcs.state` stays on this machine",
        project: "free",
      }),
      ca_file: setting(() => text, {
        doc: "with `rediss://`: a file with the certificates (PEM) of the authorities that the server's certificate may be from, read for each connection. Not set: those that Node.js trusts",
        isPath: true,
        project: "free",
      }),
      prefix: setting(
        () => z.string().regex(/^[\w.-]{1,64}$/, "must be up to 64 letters, digits, _, - and ."),
        {
          doc: "what all keys on the server begin with, followed by `:`",
          default: "orcs",
          project: "free",
        },
      ),
    },
    "own",
    true,
  ),
  scripts: section("where scripts are", {
    dirs: setting(() => z.array(text), {
      doc: 'where scripts of `script = "…"` and modules of `require` are searched',
      project: "free",
      // Each configuration has its own.
      enforced: NEVER,
    }),
  }),
  permissions: section(
    "what the built-in tools may do, and which commands may run without asking",
    {
      root: setting(() => text, {
        doc: "the directory to which tools are confined; otherwise the working directory",
        isPath: true,
        project: { when: "set", loosens: isOutside },
      }),
      capabilities: setting(() => z.array(capability), {
        doc: "the maximum that tools may do; hooks can remove capabilities for a call, but never add any",
        default: Object.keys(CAPABILITIES) as CapabilityName[],
        project: { when: "set", loosens: hasMore },
      }),
      env: setting(() => z.array(text), {
        doc: "environment variables that are passed to commands in addition to `PATH`, `HOME`, `LANG`, `TMPDIR`, `USER` and `TERM`; otherwise none",
        project: { when: "set", loosens: hasMore },
      }),
      grants: setting(() => z.array(grant), {
        // If the user has no grants, commands need none: whatever a project states is stricter.
        doc: 'commands that start with these words run without approval, and every other command needs approval; with an empty list, all commands need it. Not set: commands need no grant. `"git status"` covers `git status -s`, but not `git statusx`; only plain words are allowed, without quotes, operators and globs ([grants](permissions.md#commands-and-grants))',
        project: { when: "set", loosens: grantsMore },
      }),
    },
  ),
  engine: section("how hooks are run", {
    on_error: setting(() => failureMode, {
      // Stricter is not better: the user decides what happens when the user's hooks fail.
      doc: "what happens when a hook fails; otherwise pre hooks fail closed, and post and on hooks fail open ([actions](actions.md#when-a-hook-fails))",
      project: { when: "hooks", loosens: isOther, weakens: is("open") },
    }),
    mode: setting(() => hookMode, {
      // A project has `mode` at the top of its own file.
      doc: 'the mode of all hooks that have a stronger one: `"audit"` only records what they would have done, `"warn"` only tells it ([shadow](shadow.md)). A project and the environment cannot weaken it',
      default: "enforce",
      project: { when: "always", loosens: isEarlierIn(HOOK_MODES) },
      // Enforced hooks have the mode of the machine's configuration, whatever this is.
      enforced: NEVER,
    }),
    max_depth: setting(() => z.int().min(1).max(100), {
      // Below the needed depth a post hook, for example a redaction, fails and is skipped.
      doc: "the maximum depth of nested calls, when hooks call tools that have hooks themselves",
      default: DEFAULT_MAX_DEPTH,
      project: { when: "hooks", loosens: isLower },
    }),
    max_payload_mb: setting(() => megabytes, {
      doc: "the maximum size of the result of a Lua hook, and of a string that it reads",
      default: 16,
      project: { when: "hooks", loosens: isLower },
    }),
    load_ms: setting(() => milliseconds, {
      // A higher limit keeps a coding agent waiting; with a lower one, the user's own hooks would not load.
      doc: "the maximum time for loading all scripts and modules of your own configuration, and again for those of a project ([loading](failures.md#when-loading-takes-too-long)). A project cannot change it",
      default: 5000,
      project: { when: "always", loosens: isOther },
    }),
  }),
  lua: section("the limits of scripts", {
    max_run_ms: setting(() => milliseconds, {
      doc: "the maximum time that a script may run without a wait; ten times as long while it is loaded ([which clock](lua.md#which-clock-a-limit-uses))",
      default: 100,
      project: { when: "hooks", loosens: isLower },
    }),
    max_chain_ms: setting(() => milliseconds, {
      doc: "the maximum time that all Lua code of one dispatch may run, not counting waits ([which clock](lua.md#which-clock-a-limit-uses))",
      default: 1000,
      project: { when: "hooks", loosens: isLower },
    }),
    memory_mb: setting(() => megabytes, {
      doc: "the maximum memory of one script",
      default: 16,
      project: { when: "hooks", loosens: isLower },
    }),
    isolation: setting(() => z.enum(["thread", "worker"]), {
      doc: '`"worker"` runs scripts on a separate thread, where a watchdog ends scripts that hang; contexts are copied between the threads, which costs time. Use it for scripts that you do not trust',
      default: "thread",
      project: { when: "set", loosens: isOther, weakens: is("thread") },
    }),
  }),
  serve: section("the service for coding agents", {
    auto: setting(() => z.boolean(), {
      doc: "whether `orcs hook` starts a service in the background for later events, if none is running",
      default: true,
      project: "free",
    }),
    port: setting(() => z.int().min(0).max(65_535), {
      doc: "the port on 127.0.0.1 for coding agents that send their events over HTTP; 0 picks a free one. Not set: no HTTP",
      project: { when: "hooks", loosens: isOther, weakens: isOtherThanSet },
    }),
    idle_minutes: setting(() => z.number().min(0.01).max(100_000), {
      doc: "how long a service that was started in the background keeps running without requests",
      default: 30,
      project: "free",
    }),
  }),
  hosts: section("what happens where a coding agent does not support a decision", {
    ask: setting(() => z.enum(["deny", "pass"]), {
      doc: 'the result of `ask` if the coding agent cannot ask its user: `"deny"` denies, `"pass"` makes no decision, so that the agent decides',
      default: "deny",
      project: { when: "hooks", loosens: is("pass") },
    }),
    rewrite: setting(() => z.enum(["refuse", "approve"]), {
      doc: 'the result of a rewrite that the coding agent accepts only together with an approval: `"refuse"` denies the call, `"approve"` approves the rewritten call',
      default: "refuse",
      project: { when: "hooks", loosens: is("approve") },
    }),
  }),
  audit: section("which decisions of hooks are written to the [audit log](audit.md)", {
    level: setting(() => z.enum(AUDIT_LEVELS), {
      doc: '`"decisions"` writes each dispatch in which a hook made a decision, changed the payload or failed; `"all"` writes every dispatch; `"off"` writes none',
      default: "decisions",
      project: { when: "hooks", loosens: isEarlierIn(AUDIT_LEVELS) },
    }),
    fsync: setting(() => z.enum(FSYNC_POLICIES), {
      doc: 'when lines are flushed to disk: `"never"` leaves it to the system (lines survive a crash of the program), `"interval"` once per second, `"always"` before the result is returned (lines survive a power failure)',
      default: "never",
      project: { when: "hooks", loosens: isEarlierIn(FSYNC_POLICIES) },
    }),
    on_error: setting(() => failureMode, {
      doc: 'what happens if a decision at a pre point cannot be written: `"closed"` denies the operation (`ORCS8005`), `"open"` keeps the decision',
      default: "closed",
      project: { when: "hooks", loosens: is("open") },
    }),
    max_mb: setting(() => megabytes, {
      doc: "the maximum size of a file; before it is exceeded, the file is rotated and a new one started",
      default: 64,
      project: { when: "hooks", loosens: isLower },
    }),
    keep_days: setting(() => z.number().min(0.1).max(100_000), {
      doc: "how many days a rotated file is kept after its last line; a file that began a tenth of that ago is rotated",
      default: 30,
      project: { when: "hooks", loosens: isLower },
    }),
    keep_mb: setting(() => z.int().min(1).max(1_000_000), {
      doc: "how large all files together may be; the oldest rotated ones are removed, except the last one",
      default: 256,
      project: { when: "hooks", loosens: isLower },
    }),
  }),
  otel: section(
    "reporting to [OpenTelemetry](opentelemetry.md#of-orcs-serve-and-orcs-mcp)",
    {
      enabled: setting(() => z.boolean(), {
        doc: "whether spans, metrics and log records are sent. Not set: if `endpoint` or the variable `OTEL_EXPORTER_OTLP_ENDPOINT` is set",
        project: "free",
      }),
      endpoint: setting(() => z.url({ protocol: /^https?$/ }), {
        doc: "the base URL of a collector that speaks OTLP over HTTP, such as `http://localhost:4318`; otherwise the variables of OpenTelemetry say where",
        project: "free",
      }),
      content: setting(() => z.boolean(), {
        doc: "whether spans carry arguments and results of tools, with secrets masked",
        default: false,
        project: "free",
      }),
    },
    "never",
    true,
  ),
  bundle: section(
    "a [signed bundle](bundles.md) of hooks and settings, below your own; can only be set in your own configuration",
    {
      url: setting(() => text, {
        doc: "where the bundle is: an `http` or `https` URL, or the absolute path of a file. Not set: no bundle",
        project: "free",
      }),
      keys: setting(() => z.array(bundleKey), {
        doc: "the public keys that are trusted to sign it, as `orcs bundle keygen` prints them",
        default: [],
        project: "free",
      }),
      poll: setting(() => duration, {
        doc: "how often `orcs serve` asks for a new bundle",
        default: "30s",
        project: "free",
      }),
      max_age: setting(() => duration, {
        doc: "how long a bundle is used after it came, unless a later one comes",
        default: "30d",
        project: "free",
      }),
      on_error: setting(() => failureMode, {
        doc: 'what happens without a valid bundle: `"closed"` denies tool calls, `"open"` runs your own hooks alone and reports it',
        default: "closed",
        project: "free",
      }),
    },
    "own",
    true,
  ),
  ship: section(
    "sending the audit log to a [receiver](fleet.md#the-receiver); can only be set in your own configuration, that of the machine and a bundle",
    {
      url: setting(() => z.url({ protocol: /^https?$/ }), {
        doc: "where `orcs serve` sends the lines of the audit log, and its status. Not set: nowhere",
        project: "free",
      }),
      token_file: setting(() => text, {
        doc: "a file with the token for `Authorization: Bearer`, read for each request",
        isPath: true,
        project: "free",
      }),
      interval: setting(() => duration, {
        doc: "how often new lines are sent",
        default: "5s",
        project: "free",
      }),
      status: setting(() => duration, {
        doc: "how often the status is sent: the revision of the bundle, hooks, errors and versions",
        default: "1m",
        project: "free",
      }),
    },
    "deployed",
    true,
  ),
  redact: section("what is masked in addition to [known secrets](redaction.md)", {
    keys: setting(() => z.array(text), {
      doc: "names whose values are masked; case and separators between words are ignored",
      default: [],
      project: "free",
      // Those of other configurations are added.
      enforced: NEVER,
    }),
    patterns: setting(() => z.array(pattern), {
      doc: "regular expressions (RE2) whose matches in a text are masked",
      default: [],
      project: "free",
      enforced: NEVER,
    }),
  }),
  trust: section(
    "rules for a project that nobody has trusted",
    {
      untrusted: setting(() => z.enum(["warn", "deny"]), {
        doc: 'what happens to tool calls in a discovered project that nobody has trusted: `"warn"` reports it and applies only your own hooks, `"deny"` denies them. Can only be set in your own configuration, or with `ORCS_UNTRUSTED=deny`',
        default: "warn",
        project: { when: "set", loosens: is("warn") },
      }),
    },
    "never",
  ),
} as const satisfies Readonly<Record<string, Setting | Section>>;

const ENTRIES: Readonly<Record<string, Setting | Section>> = SETTINGS;

/** The schemas of the settings. */
export const SETTINGS_SHAPE = mapped(ENTRIES, (entry) =>
  z
    .lazy(() =>
      "settings" in entry
        ? tableSchema(mapped(entry.settings, ({ schema }) => z.lazy(schema)))
        : entry.schema(),
    )
    .optional(),
) as unknown as { [Name in keyof Table]: z.ZodType<SettingsTable[Name]> };

/** The default values. */
export const DEFAULT_SETTINGS = mapped(ENTRIES, (entry) => {
  if (!("settings" in entry)) return entry.default;
  return stated(mapped(entry.settings, (setting) => setting.default));
}) as SettingsTable;

type Table = typeof SETTINGS;
type ValueOf<S> = S extends { readonly schema: () => infer Schema extends z.ZodType }
  ? z.output<Schema>
  : never;
type SettingsOf<Name extends keyof Table> = Table[Name] extends { readonly settings: infer S }
  ? S
  : never;
/** The keys that always have a value. */
type Filled<S> = {
  [Key in keyof S]: S[Key] extends { readonly default: unknown } ? Key : never;
}[keyof S];

/** The settings in one configuration; missing ones are undefined. */
export type SettingsTable = {
  -readonly [Name in keyof Table]?:
    | (Table[Name] extends Section
        ? { -readonly [Key in keyof SettingsOf<Name>]?: ValueOf<SettingsOf<Name>[Key]> | undefined }
        : ValueOf<Table[Name]>)
    | undefined;
};

type FilledSection<Name extends keyof Table> = {
  -readonly [Key in Filled<SettingsOf<Name>>]: ValueOf<SettingsOf<Name>[Key]>;
} & {
  -readonly [Key in Exclude<keyof SettingsOf<Name>, Filled<SettingsOf<Name>>>]?:
    | ValueOf<SettingsOf<Name>[Key]>
    | undefined;
};

/**
 * The settings of an engine: keys as in TOML, paths absolute, times in milliseconds. Without defaults are `hil.mode`
 * (depends on who can be asked), `paths`, `permissions.env`, `permissions.grants` (if missing, commands need none) and
 * `engine.on_error` (depends on the phase of a point).
 */
export type Settings = {
  -readonly [
    Name in Exclude<keyof Table, "debug" | "self_guard" | "enforced">
  ]: FilledSection<Name>;
} & {
  debug: boolean;
  self_guard?: boolean | undefined;
  enforced?: boolean | undefined;
  permissions: { root: string };
  /** The script directories of all layers, existing or not. */
  scripts: { dirs: string[] };
  /** The existing directories of `scripts.dirs`, for `require`. */
  scriptRoots: string[];
};

/** The documentation of every setting and section: path → text. */
export function settingDocs(): Record<string, string> {
  const docs = Object.entries(ENTRIES).map(([name, { doc }]) => [name, doc] as const);
  const keys = sectionSettings().map(({ path, setting }) => [path.join("."), setting.doc] as const);
  return Object.fromEntries([...docs, ...keys]);
}

/** Every setting of a section, with its path. */
export function sectionSettings(): {
  readonly path: readonly [section: string, key: string];
  readonly setting: Setting;
}[] {
  return Object.entries(ENTRIES).flatMap(([name, entry]) =>
    Object.entries("settings" in entry ? entry.settings : {}).map(([key, setting]) => ({
      path: [name, key] as const,
      setting,
    })),
  );
}

/** What a layer may not do to a setting of those above it: those of the machine, the user's own, all files. */
interface LayerRule {
  /** One key, or a section and a key. */
  readonly path: readonly string[];
  readonly rule: LooseningRule;
  /** The section that is fixed as a whole once a part of it is set. */
  readonly oneDecision: string | undefined;
}

/**
 * The settings that a layer may not change in every way, and how.
 * @param by what decides: the rules for projects, for environment variables, or for all below an enforcing machine
 */
export function layerRules(by: "project" | "environment" | "machine"): LayerRule[] {
  return Object.entries(ENTRIES).flatMap(([name, entry]) => {
    const isSection = "settings" in entry;
    const oneDecision = by === "machine" && isSection && entry.isOneDecision ? name : undefined;
    const settings = isSection ? Object.entries(entry.settings) : [[undefined, entry] as const];
    return settings.flatMap(([key, { project, enforced }]): LayerRule[] => {
      const own = typeof project === "string" ? undefined : project;
      const rule = by === "machine" ? (enforced ?? own ?? ANY_CHANGE) : own;
      if (!rule) return [];
      const loosens = by === "project" ? rule.loosens : (rule.weakens ?? rule.loosens);
      const path = key === undefined ? [name] : [name, key];
      return [{ path, rule: { when: rule.when, loosens }, oneDecision }];
    });
  });
}

/** Once the machine sets it. */
const ANY_CHANGE: LooseningRule = { when: "set", loosens: isDifferent };

/** The settings of a configuration with absolute paths. */
export function locatedSettings(table: SettingsTable, baseDir: string): SettingsTable {
  const located: Record<string, unknown> = { ...table };
  for (const {
    path: [section, key],
    setting,
  } of sectionSettings()) {
    const values = located[section];
    if (!setting.isPath || !isTable(values)) continue;
    const value = values[key];
    if (typeof value === "string") located[section] = { ...values, [key]: resolve(baseDir, value) };
  }
  return located;
}

/** Merge the settings of two layers key by key: the upper one wins; lists are not joined. */
export function mergeSettings(lower: SettingsTable, upper: SettingsTable): SettingsTable {
  const merged: Record<string, unknown> = { ...lower };
  for (const [name, value] of Object.entries(upper)) {
    const under = merged[name];
    if (isTable(value))
      merged[name] = { ...(isTable(under) ? under : {}), ...stated<unknown>(value) };
    else if (value !== undefined) merged[name] = value;
  }
  return merged;
}

/**
 * The settings with defaults.
 * @param scriptDirs absolute, of all layers
 */
export function filledSettings(
  merged: SettingsTable,
  scriptDirs: readonly string[],
  cwd: string,
): Settings {
  const base = mergeSettings(DEFAULT_SETTINGS, { permissions: { root: cwd } });
  const dirs = [...new Set(scriptDirs)];
  // The defaults have every key that `Settings` requires, and merging never removes one.
  return {
    ...(mergeSettings(base, merged) as Settings),
    scripts: { dirs },
    scriptRoots: dirs.filter(isFolder),
  };
}

function setting<Schema extends z.ZodType, Spec extends SettingSpec>(
  schema: () => Schema,
  spec: Spec & { readonly default?: z.output<Schema> },
): Spec & { readonly schema: () => Schema } {
  return { ...spec, schema };
}

function section<const S extends Readonly<Record<string, Setting>>>(
  doc: string,
  settings: S,
  project?: "never" | "own" | "deployed",
  isOneDecision?: boolean,
) {
  return { doc, settings, project, isOneDecision };
}

function mapped<From, To>(
  from: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}

/** @param held value in the layers below, or the default */
type Comparison = (found: unknown, held: unknown) => boolean;

/**
 * Whether a discovered project can change a setting:
 * - `"free"`: it can, in either direction
 * - `"own"`: only the user's own configuration can, and the machine's
 * - `"machine"`: only the machine's can
 * - a rule: it can, unless that would loosen what the user has set
 */
type ProjectRule = "free" | "own" | "machine" | LooseningRule;

/** A setting that a discovered project must not loosen. */
interface LooseningRule {
  /**
   * Applies when the user has `set` the value; or also when the user has `hooks`, which it could make fail open; or
   * `always`, as it keeps a coding agent waiting.
   */
  readonly when: "set" | "hooks" | "always";
  readonly loosens: Comparison;
  /** The comparison for an environment variable, if different: whoever starts orcs can make a setting stricter. */
  readonly weakens?: Comparison;
}

export function is(word: unknown): Comparison {
  return (found) => found === word;
}

function isNot(word: unknown): Comparison {
  return (found) => found !== word;
}

function isLower(found: unknown, held: unknown): boolean {
  return typeof found === "number" && typeof held === "number" && found < held;
}

/** Whether a value comes before the current one, in a list from the weakest to the strongest. */
function isEarlierIn(words: readonly unknown[]): Comparison {
  return (found, held) => words.indexOf(found) < words.indexOf(held);
}

function isHigher(found: unknown, held: unknown): boolean {
  return typeof found === "number" && typeof held === "number" && found > held;
}

/** As `isOther`, for lists, too. */
function isDifferent(found: unknown, held: unknown): boolean {
  return !equalJson(found, held);
}

function isOther(found: unknown, held: unknown): boolean {
  return found !== held;
}

/** A value that nobody has set is not changed. */
function isOtherThanSet(found: unknown, held: unknown): boolean {
  return held !== undefined && found !== held;
}

function isOutside(found: unknown, held: unknown): boolean {
  const way = relative(String(held), String(found));
  return way === ".." || way.startsWith(`..${sep}`);
}

function grantsMore(found: unknown, held: unknown): boolean {
  return Array.isArray(found) && Array.isArray(held) && !grantsNothingMore(found, held);
}

function hasMore(found: unknown, held: unknown): boolean {
  return Array.isArray(found) && Array.isArray(held) && found.some((name) => !held.includes(name));
}

/**
 * First words of commands that need no approval: `git status`. Only plain words: anything that a shell might interpret
 * is rejected here, where its place is known.
 */
export const grant = z.string().superRefine((pattern, ctx) => {
  const why = mistakeIn(pattern);
  if (why === undefined) return;
  refuse(ctx, `invalid grant ${quoted(pattern)}: ${why}`, { code: "ORCS6012" });
});

/** Whether each of these grants is covered by one of the others. */
export function grantsNothingMore(found: readonly string[], held: readonly string[]): boolean {
  const prefixes = held.map(wordsOf);
  return found.every((pattern) => {
    const words = wordsOf(pattern);
    return prefixes.some((prefix) => prefix.every((word, at) => word === words[at]));
  });
}

const MAX_LENGTH = 1000;

/** Operators, expansions, quotes, globs. */
const SPECIAL = /[;&|<>()$`'"\\*?[\]{}~]/;

/** Line breaks, other control characters, and blanks that look like a space. */
const UNSEEN = /[^\S ]|\p{Cc}/u;

/** Words that a shell interprets when they come first. */
const RESERVED: ReadonlySet<string> = new Set(
  "! case do done elif else esac fi for if in then until while".split(" "),
);

function mistakeIn(pattern: string): string | undefined {
  if (pattern.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (UNSEEN.test(pattern))
    return "words are separated by spaces only; other whitespace and control characters are not allowed";
  const [special] = SPECIAL.exec(pattern) ?? [];
  if (special !== undefined) return `${special} has a special meaning in a shell`;
  const words = wordsOf(pattern);
  const [first] = words;
  if (first === undefined) return "it is empty and would cover every command";
  if (RESERVED.has(first)) return `a plain command does not begin with ${first}`;
  if (first.includes("=")) return `${first} may be a variable assignment`;
  return words.some((word) => word.startsWith("#")) ? "# begins a comment" : undefined;
}

function wordsOf(pattern: string): string[] {
  return pattern.split(" ").filter((word) => word !== "");
}
