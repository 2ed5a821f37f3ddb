import { HOME } from "../languages/home-folder.ts";
import type { FileRun, Piece } from "./piece.ts";
import { newlines } from "./shell-text.ts";

/**
 * What a statement has that removes files, or does something to a place outside of the project, such as settings of a
 * coding agent.
 */
const ACTS =
  /rmtree|rm_rf|rm_r\b|rmSync|rmdirSync|\bfs\.(?:rm|promises)|fs\/promises|remove_tree|removeSync|emptyDir|remove_dir_all|rimraf|unlink|os\.remove|os\.rmdir|File\.delete|rm_f|shutil|\bfork\b|\.ssh|authorized_keys|ld\.so\.preload|urlopen|b64decode|fromhex|atob\(|settings\.(?:local\.)?json|hooks\.json|config\.toml|\.copilot|opencode|[./]orcs\b/;
/** What runs another program, and programs with which that does harm. */
const CALLS =
  /system|popen|subprocess|exec|spawn|check_call|check_output|getoutput|qx|passthru|`|%x|os\.execute/;
const PROGRAMS =
  /\b(?:rm|dd|mkfs|shred|wipefs|curl|wget|git|chmod|chown|crontab|mv|find|nc|ncat|socat|k?sh|bash|zsh|kill|pkill|killall|shutdown|reboot|poweroff|fdisk|parted|scp|rsync|tee|truncate|orcs)\b/;
/** The longest statement, and the most lines of one. */
const LONGEST = 4_000;
const MOST_LINES = 40;
/** The most statements of a file. */
const MOST_STATEMENTS = 400;

/** Calls that run a line of a shell, or the words of a command. */
const RUNS =
  /\b(?:os\.system|os\.popen|getoutput|getstatusoutput|subprocess\.\w+|check_call|check_output|Popen|execSync|execFileSync|execFile|exec|spawnSync|spawn|execa\w*|system|popen|shell_exec|passthru|os\.execute|Open3\.\w+)\s*\(?\s*(?:shell\s*=\s*True,\s*)?(\[|%w\[|[furb]?(?=["'`]))/g;
/** What uses a connection, or starts processes. */
const CONNECTS =
  /urlopen|requests\.|httpx|\bfetch\b|https?\.(?:get|request)|axios|[sS]ocket|\bfork\b|Net::|LWP|HTTP::|net\.connect|smtplib|fsockopen/;
const LONGEST_WHOLE = 65_536;
const COMMENT =
  /^\s*(?:#|\/\/|\*|\/\*|--\s|import\s|from\s|(?:const|let|var)\s[^=]*=\s*require\(|use\s|require\s)/;

/** The statements of a program that may do something, each as a command of its interpreter, with what they run. */
export function codePieces(written: string, { program }: FileRun): readonly Piece[] {
  const text = program.startsWith("perl") ? withQuotes(written) : written;
  const constants = constantsOf(text);
  const acting = [...constants].flatMap(([name, value]) => (ACTS.test(value) ? [name] : []));
  const names = acting.length > 0 ? new RegExp(`\\b(?:${acting.join("|")})\\b`) : undefined;
  const pieces: Piece[] = [];
  const option = /^(?:python|pypy)/.test(program) ? "-c" : "-e";
  let count = 0;
  for (const { line, statement } of statements(text)) {
    const calls = CALLS.test(statement);
    if (!calls && !ACTS.test(statement) && !names?.test(statement)) continue;
    if (++count > MOST_STATEMENTS) break;
    const known = filled(statement, constants);
    if (!ACTS.test(known) && !PROGRAMS.test(known)) continue;
    for (const piece of runBy(known, line)) pieces.push(piece);
    pieces.push({ line, argv: [program, option, known] });
  }
  // What stands in several statements: a download that is run, a socket with a shell, a key that is sent.
  const sends = CONNECTS.exec(text);
  if (sends && text.length <= LONGEST_WHOLE) {
    const line = newlines(text.slice(0, sends.index)) + 1;
    pieces.push({ line, argv: [program, "-", withoutComments(text)] });
  }
  return pieces;
}

/** Perl's `q{…}` and `qq(…)` as strings in quotes. */
function withQuotes(text: string): string {
  return text.replaceAll(
    /\bqq?\s*(?:\{([^{}\n]*)\}|\(([^()\n]*)\)|\[([^[\]\n]*)\])/g,
    (_, ...parts: (string | undefined)[]) => {
      const inner = parts.slice(0, 3).find((part) => part !== undefined) ?? "";
      return inner.includes("'") ? JSON.stringify(inner) : `'${inner}'`;
    },
  );
}

function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*(?:#|\/\/).*$/gm, "");
}

/** Lines, joined while a bracket is open. */
function* statements(text: string): Generator<{ line: number; statement: string }> {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const begin = at;
    let statement = lines[at] ?? "";
    if (COMMENT.test(statement) || statement.trim() === "") continue;
    if (statement.length > LONGEST) {
      for (const part of cut(statement)) yield { line: begin + 1, statement: part };
      continue;
    }
    for (let depth = depthOf(statement); depth > 0 && at - begin < MOST_LINES;) {
      const next = lines[at + 1];
      // A block: its statements stand for themselves.
      if (next === undefined || /\{\s*$|=>\s*$/.test(lines[at] ?? "")) break;
      if (statement.length + next.length > LONGEST) break;
      at++;
      statement += ` ${next.trim()}`;
      depth += depthOf(next);
    }
    yield { line: begin + 1, statement };
  }
}

/** A long line, cut behind statements as far as they can be seen. */
function* cut(line: string): Generator<string> {
  for (let begin = 0; begin < line.length;) {
    const most = begin + LONGEST;
    const end = line.length <= most ? -1 : line.lastIndexOf(";", most);
    const next = line.length <= most ? line.length : end > begin ? end + 1 : most;
    yield line.slice(begin, next);
    begin = next;
  }
}

function depthOf(line: string): number {
  let depth = 0;
  for (const sign of line.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "")) {
    if (sign === "(" || sign === "[") depth++;
    else if (sign === ")" || sign === "]") depth--;
  }
  return depth;
}

/** Names that are set once, to a literal or to the home folder: what they stand for. */
function constantsOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const again = new Set<string>();
  const sets =
    /^[ \t]*(?:const |let |var |my |our |local )?\$?([A-Za-z_]\w*)[ \t]*=[ \t]*([^=\n][^\n]{0,200});?[ \t]*$/gm;
  for (const [, name = "", value = ""] of text.matchAll(sets)) {
    if (found.has(name)) again.add(name);
    const plain = value.replace(/[;\s]+$/, "");
    if (CONSTANT.test(plain)) found.set(name, plain);
    else again.add(name);
    if (found.size > 200) break;
  }
  for (const name of again) found.delete(name);
  return found;
}

const CONSTANT = new RegExp(
  String.raw`^(?:"[^"$\n]*"|'[^'\n]*'|\[[^\]()]*\]|os\.path\.expanduser\(["'][^"']*["']\)|${HOME})$`,
);

function filled(statement: string, constants: ReadonlyMap<string, string>): string {
  if (constants.size === 0) return statement;
  const text = statement.replaceAll(/\$?\b[A-Za-z_]\w*\b/g, (word, at: number) => {
    const value = constants.get(word.replace("$", ""));
    if (
      value === undefined ||
      /^\s{0,20}=[^=]/.test(statement.slice(at + word.length, at + word.length + 24))
    )
      return word;
    if (/[.\w]/.test(statement.charAt(at - 1))) return word;
    return value;
  });
  return text.slice(0, LONGEST);
}

/** The commands that calls in a statement run, as far as they are literal. */
function* runBy(statement: string, line: number): Generator<Piece> {
  for (const call of statement.matchAll(RUNS)) {
    const at = call.index + call[0].length;
    if (call[1] === "%w[") {
      const words = /^[^\]]*/.exec(statement.slice(at))?.[0].split(/\s+/).filter(Boolean) ?? [];
      if (words.length > 0) yield { line, argv: words };
      continue;
    }
    const [first, ...more] = literals(statement, at);
    if (first === undefined) continue;
    // `["rm", "-rf", "x"]`, `spawn("rm", ["-rf", "x"])`: the words of a command.
    if (call[1] === "[" || (more.length > 0 && !/\s/.test(first)))
      yield { line, argv: [first, ...more] };
    else yield { line, text: first };
  }
  for (const [, script] of statement.matchAll(/(?:^|[=(\s])`([^`]+)`/g))
    if (script !== undefined) yield { line, text: script };
  for (const [, script] of statement.matchAll(/%x[({[]([^)}\]]+)[)}\]]/g))
    if (script !== undefined) yield { line, text: script };
}

const LITERAL = /[\s,+[]*[furb]{0,2}(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`)/y;

/** The literals that follow each other from a position on. */
function literals(statement: string, from: number): string[] {
  const found: string[] = [];
  LITERAL.lastIndex = from;
  for (let at = LITERAL.exec(statement); at; at = LITERAL.exec(statement)) {
    const text = (at[1] ?? at[2] ?? at[3] ?? "").replaceAll(/\\(["'\\`$])/g, "$1");
    if (found.length > 0 && at[0].includes("+") && /^[\s]*\+/.test(at[0]))
      found.push(`${found.pop()}${text}`);
    else found.push(text);
  }
  return found;
}
