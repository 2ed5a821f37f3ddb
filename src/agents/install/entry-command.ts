import { firstWord, quoteWord, type HostName } from "../../core/index.ts";
import type { UserFolders } from "../../machine/index.ts";
import type { Fallback } from "./fallback.ts";
import type { WantedEvent } from "./wanted-events.ts";

/** What happens for people without orcs in the place of the entry; a crash denies in any case. */
export type WhenMissing = "deny" | "allow";

/** The parts of an entry's command. */
export interface OrcsCommand {
  /** The program that starts orcs, quoted for a shell. */
  readonly program: string;
  /**
   * The launcher bin/orcs-hook, which runs first and starts the program when no service answers; quoted for a shell.
   */
  readonly launcher?: string | undefined;
  /** File of the configuration; undefined for a discovered one. */
  readonly config: string | undefined;
  /** Digest of the sealed copy that stands for that file. */
  readonly seal?: string | undefined;
  /** The user's folders, which override the environment; not set in a project's entry. */
  readonly folders?: UserFolders | undefined;
  /** The installation it belongs to, from `newInstallationId`. */
  readonly id?: string | undefined;
  readonly strict?: boolean | undefined;
  readonly missing?: WhenMissing | undefined;
  /** Whether the agent sends what it can over HTTP. */
  readonly http?: boolean | undefined;
}

/**
 * The command of an entry.
 * @param event with its time limit; `begins`: whether it registers the session of events sent over HTTP, which needs Node
 */
export function hookCommand(
  command: OrcsCommand,
  host: HostName,
  {
    seconds,
    fallback,
    begins = false,
  }: Pick<WantedEvent, "seconds" | "fallback"> & { begins?: boolean },
  platform: NodeJS.Platform = process.platform,
): string {
  const { program, launcher, config, seal, folders, id, strict = false, missing } = command;
  const words = [
    ...(config === undefined ? [] : ["--config", quoteWord(config)]),
    ...(seal === undefined ? [] : ["--seal", seal]),
    ...(folders === undefined ? [] : ["--config-dir", quoteWord(folders.config)]),
    ...(folders === undefined ? [] : ["--state-dir", quoteWord(folders.state)]),
    ...(id === undefined ? [] : ["--id", quoteWord(id)]),
    ...(strict ? ["--strict"] : []),
    ...(begins ? ["--http"] : []),
  ];
  const asked = launcher === undefined || begins ? [] : [launcher];
  const call = [...asked, `${program} hook --host ${host} --timeout ${seconds}`, ...words].join(
    " ",
  );
  // Windows has no guaranteed `sh`.
  return platform === "win32" ? call : withFallback(call, fallback, missing);
}

/**
 * A call that every shell of an agent reads the same way, including fish: one program with its words. The output of a
 * crashed orcs is not passed on: a partial response could be read as no decision, and Gemini CLI uses it whatever the
 * exit code is.
 */
function withFallback(call: string, fallback: Fallback, missing: WhenMissing = "deny"): string {
  return `/bin/sh -c '${scriptOf(fallback, missing)}' orcs ${quoteWord(fallback.text)} ${call}`;
}

/** A shell would report a missing program itself, in the line that some agents show. */
const CALL = 'if command -v "$1" >/dev/null; then o=$("$@"); c=$?; else c=127; fi;';
/** As written by versions before. */
const OLDER_CALL = 'o=$("$@"); c=$?;';

/** The script takes the fallback text and the call. */
function scriptOf(
  { denies, stream, code }: Omit<Fallback, "text">,
  missing: WhenMissing,
  call = CALL,
): string {
  // Where exit code 2 does not deny, that of orcs does not deny either.
  const own = denies && code !== 2 ? "0" : "0|2";
  // A response that cannot be passed on, for example to a full disk, does not count.
  const orElse = denies ? " || exit 2" : "";
  const through = `${own}) [ -z "$o" ] || printf "%s\\n" "$o"${orElse}; exit $c;;`;
  const absent =
    denies && missing === "allow" ? ` ${MISSING_CASE} echo "${MISSING_TEXT}" >&2; exit 0;;` : "";
  const to = stream === "stderr" ? " >&2" : "";
  return `m=$1; shift; ${call} case $c in ${through}${absent} esac; printf "%s\\n" "$m"${to}${orElse}; exit ${code}`;
}

/** Exit codes of a shell when a program does not exist or cannot be executed. */
const MISSING_CASE = "126|127)";
const MISSING_TEXT = "orcs is not installed here: no hook was run";

/** All scripts that an entry can have. */
const SCRIPTS: ReadonlySet<string> = new Set(
  [true, false].flatMap((denies) =>
    (["stdout", "stderr"] as const).flatMap((stream) =>
      ([0, 2] as const).flatMap((code) =>
        (["deny", "allow"] as const).flatMap((missing) =>
          [CALL, OLDER_CALL].map((call) => scriptOf({ denies, stream, code }, missing, call)),
        ),
      ),
    ),
  ),
);

/** The call in an entry's command: the part after our fallback, or all of it. */
export function unwrapCommand(command: string): { readonly call: string; readonly script: string } {
  const text = command.trim();
  const [, script = "", rest = ""] = WRAPPED.exec(text) ?? [];
  const word = SCRIPTS.has(script) ? wordAt(rest) : undefined;
  return word ? { call: rest.slice(word.end).trimStart(), script } : { call: text, script: "" };
}

/**
 * Parse the command of an entry; undefined when it is not one of orcs for this agent.
 * @param programs other commands that start orcs here
 */
export function readOrcsCommand(
  command: string,
  host: HostName,
  programs: readonly string[],
): OrcsCommand | undefined {
  const { call, script } = unwrapCommand(command);
  const launcher = launcherIn(call);
  const [, program = "", rest = ""] =
    HOOK_CALL.exec(call.slice(launcher?.length).trimStart()) ?? [];
  if (wordAfter("--host", rest) !== host || !isOrcs(program, programs)) return undefined;
  const config = wordAfter("--config-dir", rest);
  const state = wordAfter("--state-dir", rest);
  return {
    program,
    launcher,
    config: wordAfter("--config", rest),
    seal: wordAfter("--seal", rest),
    folders: config === undefined || state === undefined ? undefined : { config, state },
    id: wordAfter("--id", rest),
    strict: hasFlag("--strict", rest),
    http: hasFlag("--http", rest),
    missing: script.includes(MISSING_CASE) ? "allow" : undefined,
  };
}

const WRAPPED = /^\/bin\/sh -c '([^']*)' orcs (.*)$/s;
const HOOK_CALL = /^(\S.*?)\s+hook\s+(--.*)$/s;

/** The launcher at the start of a call, as written, if any. */
function launcherIn(call: string): string | undefined {
  const word = wordAt(call);
  return word?.text.endsWith("/orcs-hook") === true ? call.slice(0, word.end) : undefined;
}

function hasFlag(flag: string, words: string): boolean {
  return new RegExp(String.raw`(?:^|\s)${flag}(?:\s|$)`).test(words);
}

function wordAfter(flag: string, words: string): string | undefined {
  const [, value] = new RegExp(String.raw`(?:^|\s)${flag}[\s=]+(\S.*)`, "s").exec(words) ?? [];
  return value === undefined ? undefined : wordAt(value)?.text;
}

/** `orcs`, a path that ends with it, and the scripts of a package with that name, quoted or not. */
const ORCS_PROGRAM =
  /(?:^|[\s/\\'"])orcs(?:\.cmd|\.exe|\.cjs|[/\\]dist[/\\]cli[/\\]main\.js)?['"]?$/;

function isOrcs(program: string, programs: readonly string[]): boolean {
  return (
    ORCS_PROGRAM.test(program) ||
    programs.some((known) => program === known || program.endsWith(` ${known}`))
  );
}

/** The first word of a text. In an entry written by a person it can contain a variable, which stays as written. */
function wordAt(text: string): { readonly text: string; readonly end: number } | undefined {
  const exact = firstWord(text);
  if (exact) return exact;
  const [bare] = /^[^\s'"\\]+/.exec(text) ?? [];
  return bare === undefined ? undefined : { text: bare, end: bare.length };
}
