import type { HostName } from "../../core/hosts.ts";
import { firstWord, quoteWord } from "../../core/shell-words.ts";
import type { UserFolders } from "../../files/user-folders.ts";
import type { Fallback } from "./fallback.ts";

/** What people get who have no orcs where an entry looks for it; a crash denies in any case. */
export type WhenMissing = "deny" | "allow";

/** The command of an orcs entry, taken apart. */
export interface OrcsCommand {
  /** What starts orcs, as a shell reads it. */
  readonly program: string;
  /** What is asked before it, and starts it where no service answers: bin/orcs-hook, as a shell reads it. */
  readonly launcher?: string | undefined;
  /** File of the configuration; undefined when it is to be found. */
  readonly config: string | undefined;
  /** Digest of the sealed copy that stands for that file. */
  readonly seal?: string | undefined;
  /** The user's folders, which then hold whatever the environment says; those of a project's entry are open. */
  readonly folders?: UserFolders | undefined;
  /** The installation that it belongs to, as `installId` writes it. */
  readonly id?: string | undefined;
  readonly strict?: boolean | undefined;
  readonly missing?: WhenMissing | undefined;
  /** Whether the host sends over HTTP what it can send so. */
  readonly http?: boolean | undefined;
}

/** What the command of one entry says besides. */
interface EntryCall {
  /** After which the host goes on without an answer. */
  readonly seconds: number;
  readonly fallback: Fallback;
  /** Whether it notes the session of events that are sent over HTTP, for which it takes Node. */
  readonly begins?: boolean;
}

/** The command of an entry. */
export function hookCommand(
  command: OrcsCommand,
  host: HostName,
  { seconds, fallback, begins = false }: EntryCall,
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
  // There is no sh to be sure of.
  return platform === "win32" ? call : withFallback(call, fallback, missing);
}

/**
 * A call as every shell that a host may use reads it, fish among them: one program with its words. Nothing of what
 * orcs wrote before it crashed is passed on, for half an answer may be read as none, and one of Gemini CLI's counts
 * whatever the exit code is.
 */
function withFallback(call: string, fallback: Fallback, missing: WhenMissing = "deny"): string {
  return `/bin/sh -c '${scriptOf(fallback, missing)}' orcs ${quoteWord(fallback.text)} ${call}`;
}

/** The script takes what to say and the call. */
function scriptOf({ denies, stream, code }: Omit<Fallback, "text">, missing: WhenMissing): string {
  // Where exit code 2 denies nothing, that of orcs denies nothing either.
  const own = denies && code !== 2 ? "0" : "0|2";
  // An answer that cannot be handed on, to a full disk say, is none.
  const orElse = denies ? " || exit 2" : "";
  const through = `${own}) [ -z "$o" ] || printf "%s\\n" "$o"${orElse}; exit $c;;`;
  const absent =
    denies && missing === "allow" ? ` ${MISSING_CASE} echo "${MISSING_TEXT}" >&2; exit 0;;` : "";
  const to = stream === "stderr" ? " >&2" : "";
  return `m=$1; shift; o=$("$@"); c=$?; case $c in ${through}${absent} esac; printf "%s\\n" "$m"${to}${orElse}; exit ${code}`;
}

/** What a shell answers where a program is not there, or cannot be executed. */
const MISSING_CASE = "126|127)";
const MISSING_TEXT = "orcs is not installed here: no hook was run";

/** Every script that an entry may have. */
const SCRIPTS: ReadonlySet<string> = new Set(
  [true, false].flatMap((denies) =>
    (["stdout", "stderr"] as const).flatMap((stream) =>
      ([0, 2] as const).flatMap((code) =>
        (["deny", "allow"] as const).map((missing) => scriptOf({ denies, stream, code }, missing)),
      ),
    ),
  ),
);

/** What an entry's command calls: what stands behind a fallback of ours, or all of it. */
export function unwrapCommand(command: string): { readonly call: string; readonly script: string } {
  const text = command.trim();
  const [, script = "", rest = ""] = WRAPPED.exec(text) ?? [];
  const said = SCRIPTS.has(script) ? wordAt(rest) : undefined;
  return said ? { call: rest.slice(said.end).trimStart(), script } : { call: text, script: "" };
}

/**
 * Read the command of an entry; undefined when it is not one of orcs for this host.
 * @param programs what else starts orcs here, besides what is called so
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

/** The launcher that a call begins with, where it begins with one, as it is written. */
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

/** `orcs`, a path that ends with it, and the scripts of a package of that name, quoted or not. */
const ORCS_PROGRAM =
  /(?:^|[\s/\\'"])orcs(?:\.cmd|\.exe|\.cjs|[/\\]dist[/\\]cli[/\\]main\.js)?['"]?$/;

function isOrcs(program: string, programs: readonly string[]): boolean {
  return (
    ORCS_PROGRAM.test(program) ||
    programs.some((known) => program === known || program.endsWith(` ${known}`))
  );
}

/** The first word of a text. In an entry that a person wrote it may hold a variable, which stays as it is written. */
function wordAt(text: string): { readonly text: string; readonly end: number } | undefined {
  const exact = firstWord(text);
  if (exact) return exact;
  const [bare] = /^[^\s'"\\]+/.exec(text) ?? [];
  return bare === undefined ? undefined : { text: bare, end: bare.length };
}
