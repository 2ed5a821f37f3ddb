import type { Effect, ShellCommand } from "../../core/index.ts";
import type { Part } from "../../matching/index.ts";
import type { EffectCall } from "./command-effects.ts";
import type { EffectList } from "./effect-list.ts";
import type { LineNotes } from "./line-notes.ts";

/** A file that bash opens as a connection. */
export const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\/(\w+)$/;
/** Most commands that are looked at for what is sent: of a pipe, and of a line. */
const LONGEST_PIPE = 16;
const LONGEST_LINE = 256;

/**
 * The effects of a command with what its connections send: the files that it names for that, and those behind its
 * standard input.
 * @param before commands of the line in front of it, with their effects
 */
export function withSentFiles(
  found: EffectList,
  command: ShellCommand,
  before: readonly ShellCommand[],
  notes: LineNotes,
): readonly Effect[] {
  const sent = new Set(found.sent);
  for (const { op, target } of command.redirects) {
    const [, host, port] = SOCKET.exec(target) ?? [];
    if (host === undefined || op === "<") continue;
    found.connect(`${host}:${port}`);
    for (const path of shownBy(found.list)) sent.add(path);
  }
  if (!found.list.some(({ kind }) => kind === "connect")) return found.list;
  const unknown = command.unknown.map((at) => command.argv[at] ?? "");
  if (unknown.some((word) => /\$\(|`/.test(word)))
    for (const { effects = [] } of substituted(before.slice(-LONGEST_PIPE)))
      for (const path of shownBy(effects)) sent.add(path);
  // What a variable holds: `key=$(cat x); curl -d "$key" …`.
  const values = unknown.map((word) => notes.valuesIn(word)).join("\n");
  if (values !== "")
    for (const { program, effects = [] } of substituted(before.slice(-LONGEST_LINE)))
      if (values.includes(program)) for (const path of shownBy(effects)) sent.add(path);
  if (found.sendsInput) for (const path of inputOf(command, found, before)) sent.add(path);
  // A copy of a copy, too: what is added is gone through as well.
  for (const path of sent) for (const source of sourcesOf(path, before)) sent.add(source);
  if (sent.size === 0) return found.list;
  const effects: Effect[] = [];
  for (const effect of found.list) {
    if (effect.kind !== "connect") effects.push(effect);
    else for (const from of sent) effects.push({ ...effect, from });
  }
  return effects;
}

/** The commands in substitutions. */
function substituted(commands: readonly ShellCommand[]): readonly ShellCommand[] {
  return commands.filter(({ via }) => via.at(-1) === "$()");
}

/** The files of which a file was made that the line writes: by a copy, an archive, a redirection. */
function sourcesOf(path: string, before: readonly ShellCommand[]): readonly string[] {
  const writes = before
    .slice(-LONGEST_LINE)
    .filter(({ effects = [] }) =>
      effects.some(({ kind, target }) => kind === "write" && target === path),
    );
  return writes.flatMap(({ effects = [] }) =>
    effects.flatMap(({ kind, target, from }) => {
      const source = kind === "read" ? target : kind === "write" ? from : undefined;
      const isKnown = source !== undefined && /^(?:\/|env:)/.test(source);
      return isKnown && source !== path ? [source] : [];
    }),
  );
}

/** The files whose content a command shows. */
function shownBy(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap(({ kind, target, shows }) =>
    kind === "read" && /^(?:\/|env:\*)/.test(target ?? "") && shows !== "nothing"
      ? [target ?? ""]
      : [],
  );
}

/** The files behind the standard input of a command: of its redirection, or of the commands of its pipe. */
function inputOf(
  command: ShellCommand,
  found: EffectList,
  before: readonly ShellCommand[],
): readonly string[] {
  const redirected = command.redirects.filter(({ op, dynamic }) => op === "<" && !dynamic);
  if (redirected.length > 0) return redirected.flatMap(({ target }) => found.pathOf(target) ?? []);
  const programs = new Set(command.from);
  const files: string[] = [];
  for (const { program, from, effects = [] } of before.slice(-LONGEST_PIPE).reverse()) {
    if (!programs.has(program)) continue;
    files.push(...shownBy(effects));
    for (const name of from) programs.add(name);
  }
  return files;
}

/** `nc HOST PORT`: it sends its input. */
export function netcat({ args: { operands, meanings, parts }, found, byRole }: EffectCall): void {
  byRole(parts.filter(({ option }) => option !== undefined));
  const [host, port] = operands;
  if (!host || meanings.has("listens")) return;
  found.sendsInput = true;
  found.connect(port ? { ...host, text: `${host.text}:${port.text}` } : host);
}

/** `socat FILE:x TCP:host:port`: files and connections are addresses. */
export function socat({ args, found }: EffectCall): void {
  for (const operand of args.operands) {
    const [, kind = "", rest = ""] = /^!?([a-z\d-]+):([^,]*)/i.exec(operand.text) ?? [];
    const part: Part = { ...operand, text: rest, role: "reads" };
    const creates = /,creat/i.test(operand.text);
    if (/^(?:file|open|gopen)$/i.test(kind) && creates) found.file("write", part);
    else if (/^(?:file|open|gopen|rdonly|pipe)$/i.test(kind)) {
      found.file("read", part);
      found.send(part);
    } else if (/^(?:tcp|udp|openssl|ssl|sctp)\d?(?:-connect)?$/i.test(kind)) {
      found.sendsInput = true;
      found.connect(part);
    } else if (/^create$/i.test(kind)) found.file("write", part);
  }
}

/** HTTPie: `http POST URL name=value name@file`. */
export function requests({ args: { operands, parts }, found, byRole }: EffectCall): void {
  byRole(parts);
  const [url, ...items] = operands.filter(
    ({ text }) => !/^[A-Z]+$/i.test(text) || text === "localhost",
  );
  if (!url) return;
  found.sendsInput = true;
  found.connect(url);
  for (const item of items) {
    const text = /^[^=:@]*@([^;]+)/.exec(item.text)?.[1];
    if (text !== undefined) found.send({ ...item, text });
  }
}
