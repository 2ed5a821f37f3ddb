import { quoteWords } from "../../core/index.ts";
import { withShellHome } from "../languages/home-folder.ts";
import { CodeNames, parts, withModules } from "./code-names.ts";
import type { Statement } from "./code-names.ts";
import type { FileRun, Piece } from "./piece.ts";
import { newlines } from "./shell-text.ts";

/**
 * What a statement has that removes files, or does something to a place outside of the project, such as settings of a
 * coding agent.
 */
const ACTS =
  /rmtree|rm_rf|rm_r\b|rmSync|rmdirSync|\bfs\.(?:rm|promises)|fs\/promises|remove_tree|removeSync|Deno\.remove|RemoveAll|emptyDir|remove_dir_all|rimraf|unlink|os\.remove|os\.rmdir|File\.delete|rm_f|shutil|\bfork\b|\.ssh|authorized_keys|ld\.so\.preload|urlopen|b64decode|fromhex|atob\(|settings\.(?:local\.)?json|hooks\.json|config\.toml|\.copilot|opencode|[./]orcs\b|\/etc\/|\/dev\/(?:sd|hd|vd|nvme|mmcblk|r?disk)/;
/** What runs another program, and programs with which that does harm. */
const CALLS =
  /system|popen|subprocess|exec|session\.run|spawn|check_call|check_output|getoutput|qx|passthru|`|%x|os\.execute|Command|Open3|\bopen\b.*\||\bsh\b/;
const PROGRAMS =
  /\b(?:rm|dd|mkfs|shred|wipefs|curl|wget|git|chmod|chown|crontab|mv|find|nc|ncat|socat|k?sh|bash|zsh|kill|pkill|killall|shutdown|reboot|poweroff|fdisk|parted|scp|rsync|tee|truncate|orcs)\b/;
/** A path in the folder of the project, or of the program: the history of a repository is the same in both. */
const IN_FOLDER =
  /\b(?:path|File|os\.path|filepath)\.[jJ]oin\(\s*(?:__dirname|__dir__|process\.cwd\(\)|Dir\.pwd|os\.getcwd\(\))\s*,\s*(["']\.git["'])\s*\)/g;
/** A variable of the environment with a default, which counts. */
const DEFAULT =
  /\b(?:os\.environ\.get|os\.getenv|ENV\.fetch)\(\s?["'](?!HOME)\w{1,60}["']\s?,\s?("[^"\n]{1,200}"|'[^'\n]{1,200}')\s?\)|\bprocess\.env\.(?!HOME)\w{1,60}\s?(?:\|\||\?\?)\s?("[^"\n]{1,200}"|'[^'\n]{1,200}')/g;
const SETS_ATTRIBUTE = /\b(?:self|this)\.(\w{1,60})\s?=\s?["'(]/g;
const ATTRIBUTE = /\b(?:self|this)\.(\w{1,60})\b(?!\s?\()/g;
/** Where a call runs its command. */
const FOLDER = /\bcwd\s?[=:]\s?["'](\/[^"'\n]{1,200})["']/;
/** The n-th word behind the program: in Python, JavaScript, and Ruby or Perl. */
const WORDS = /\bsys\.argv\[(\d)\]|\bprocess\.argv\[(\d)\]|\$?\bARGV\[(\d)\]/g;
/** The longest statement, and the most lines of one. */
const LONGEST = 4_000;
const MOST_LINES = 40;
/** The most statements of a file. */
const MOST_STATEMENTS = 400;

/** Calls that run a line of a shell, or the words of a command. */
const RUNS =
  /\b(?:os\.system|os\.popen|getoutput|getstatusoutput|subprocess\.\w+|create_subprocess_\w+|os\.(?:exec|spawn)\w+|check_call|check_output|Popen|execSync|execFileSync|execFile|exec|spawnSync|spawn|execa\w*|exec\.Command|session\.run|Deno\.Command|system|popen|shell_exec|passthru|os\.execute|Open3\.\w+)\s*\(?\s*(?:shell\s*=\s*True,\s*)?(\[|%w\[|[furb]?(?=["'`]))/g;
/** What uses a connection, or starts processes. */
const CONNECTS =
  /\.(?:bash|zsh)rc|\.(?:bash_)?profile\b|\bcrontab\b|\/etc\/cron|systemd|\/autostart|LaunchAgents|net\.Dial|urlopen|urlretrieve|requests\.|httpx|\bfetch\b|https?\.(?:get|request)|axios|[sS]ocket|\bfork\b|Net::|LWP|HTTP::|net\.connect|smtplib|ftplib|paramiko|sftp|fsockopen|URI\.open|open-uri|file_get_contents|http\.Post|["'`](?:curl|wget)\b|HTTParty|RestClient|Faraday/;
/** Calls of libraries that run a command on another machine, or in a container. */
const RUNS_FAR = /\.(?:exec_command|exec_run|execCommand)\(\s?(?:"[^"\n]*"|'[^'\n]*')/g;
const LONGEST_WHOLE = 65_536;
const IS_COMMENT = /^\s*(?:#|\/\/|\*|\/\*|--\s)/;
const IS_IMPORT =
  /^\s*(?:import\s|from\s|(?:const|let|var)\s[^=]*=\s*require\([^()]*\)(?:\.promises)?\s*$|use\s|require\s)/;
/** The statements of a program that may do something, each as a command of its interpreter, with what they run. */
export function codePieces(written: string, run: FileRun): readonly Piece[] {
  const { isInLine } = run;
  // These take code in the words behind another option, or none.
  const program = run.program.replace(/^(?:deno|tsx|ts-node)$/, "node");
  const plain = (program.startsWith("perl") ? withQuotes(written) : written)
    .replaceAll(IN_FOLDER, "$1")
    .replaceAll(DEFAULT, (_, one?: string, other?: string) => one ?? other ?? "");
  const text = withWords(withAttributes(plain), run.args);
  const all = [...statements(text)];
  const names = new CodeNames(text, all);
  // Elsewhere, what stands between backticks is a text, unless it is one for zx: $`…`.
  const quotesRun = /^(?:ruby|perl|php)/.test(program) ? /(?:^|[=(\s])`([^`]+)`/g : /\$`([^`]+)`/g;
  const pieces: Piece[] = [];
  const option = /^(?:python|pypy)/.test(program) ? "-c" : program === "php" ? "-r" : "-e";
  let count = 0;
  for (const { line, statement } of all) {
    if (count > MOST_STATEMENTS) break;
    for (const version of names.versions(statement, line)) {
      const known = isInLine
        ? version.slice(0, LONGEST)
        : version.slice(0, LONGEST).replaceAll(RUNS_FAR, ".far(");
      if (isInLine && withShellHome(known) === statement) continue;
      if (!ACTS.test(known) && !(CALLS.test(known) && PROGRAMS.test(known))) continue;
      if (++count > MOST_STATEMENTS) break;
      for (const piece of runBy(withShellHome(known), line, quotesRun)) pieces.push(piece);
      if (!isInLine || known !== statement) pieces.push({ line, argv: [program, option, known] });
    }
  }
  // What stands in several statements: a download that is run, a socket with a shell, a key that is sent.
  const whole = !isInLine && text.length <= LONGEST_WHOLE ? withModules(text) : "";
  const sends = CONNECTS.exec(whole);
  if (sends) {
    const line = newlines(whole.slice(0, sends.index)) + 1;
    const code = withoutComments(whole);
    for (const each of new Set([code, names.filled(code)]))
      pieces.push({ line, argv: [program, "-", each] });
  }
  return pieces;
}

/** Attributes that are set once as names: `self.base = "/srv"`. */
function withAttributes(text: string): string {
  const set = new Set(Array.from(text.matchAll(SETS_ATTRIBUTE), ([, name]) => name));
  if (set.size === 0) return text;
  return text.replaceAll(ATTRIBUTE, (found, name: string) =>
    set.has(name) ? `self_${name}` : found,
  );
}

/** The words that the program is given, in their places. */
function withWords(text: string, args: FileRun["args"]): string {
  return text.replaceAll(WORDS, (found, python?: string, node?: string, other?: string) => {
    const at =
      python !== undefined
        ? Number(python) - 1
        : node !== undefined
          ? Number(node) - 2
          : Number(other);
    const word = args?.[at];
    return word === undefined || /["'\\\n]/.test(word) ? found : `"${word}"`;
  });
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

/** Statements: lines, joined while a bracket is open, and cut at semicolons. */
function* statements(text: string): Generator<Statement> {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const begin = at;
    let joined = lines[at] ?? "";
    if (IS_COMMENT.test(joined) || joined.trim() === "") continue;
    if (joined.length > LONGEST) {
      for (const part of cut(joined)) yield { line: begin + 1, statement: part };
      continue;
    }
    for (let depth = depthOf(joined); depth > 0 && at - begin < MOST_LINES;) {
      const next = lines[at + 1];
      // A block: its statements stand for themselves.
      if (next === undefined || /\{\s*$|=>\s*$/.test(lines[at] ?? "")) break;
      if (joined.length + next.length > LONGEST) break;
      at++;
      joined += ` ${next.trim()}`;
      depth += depthOf(next);
    }
    for (const part of parts(joined, ";"))
      if (!IS_IMPORT.test(part)) yield { line: begin + 1, statement: withModules(part) };
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

/** The commands that calls in a statement run, as far as they are literal. */
function* runBy(statement: string, line: number, quotesRun: RegExp): Generator<Piece> {
  const folder = FOLDER.exec(statement)?.[1];
  const there = folder === undefined ? "" : `cd ${quoteWords([folder])} && `;
  for (const call of statement.matchAll(RUNS)) {
    const at = call.index + call[0].length;
    if (call[1] === "%w[") {
      const words = /^[^\]]*/.exec(statement.slice(at))?.[0].split(/\s+/).filter(Boolean) ?? [];
      if (words.length > 0) yield { line, text: words.map(quoted).join(" ") };
      continue;
    }
    const [first, ...more] = literals(statement, at);
    if (first === undefined) continue;
    // `["rm", "-rf", "x"]`, `spawn("rm", ["-rf", "x"])`: the words of a command.
    if (call[1] === "[" || (more.length > 0 && !/\s/.test(first)))
      yield { line, text: there + [first, ...more].map(quoted).join(" ") };
    else yield { line, text: there + first };
  }
  // Of Perl: `open(P, "-|", "…")`, `open(P, "… |")`; of Rake: `sh "…"`.
  for (const pattern of [OPENS, quotesRun, /%x[({[]([^)}\]]+)[)}\]]/g])
    for (const [, ...scripts] of statement.matchAll(pattern)) {
      const text = scripts.find((script) => script !== undefined);
      if (text !== undefined) yield { line, text };
    }
}

/** A word as a shell writes it, in which the home folder is still that. */
function quoted(word: string): string {
  return word.startsWith("$HOME") ? `"${word.replaceAll(/["`\\]/g, "")}"` : quoteWords([word]);
}

const OPENS =
  /\bopen\b[^;\n]{0,60},\s*["'](?:\|-|-\|)["']\s*,\s*["']([^"'\n]+)|\bopen\b[^;\n]{0,60},\s*["']\s*([^"'\n<>]+?)\|\s*["']|(?<![\w.-])sh\s*\(?\s*["']([^"'\n]+)/g;

const LITERAL =
  /(?:[\s,+.[]|\/(?=\s?["'])|\{\s*args:)*[furb]{0,2}(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`)/y;

/** The literals that follow each other from a position on. */
function literals(statement: string, from: number): string[] {
  const found: string[] = [];
  let end = from;
  LITERAL.lastIndex = from;
  for (let at = LITERAL.exec(statement); at; at = LITERAL.exec(statement)) {
    const text = (at[1] ?? at[2] ?? at[3] ?? "").replaceAll(/\\(["'\\`$])/g, "$1");
    const [, joint] = /^\s*([+./])/.exec(at[0]) ?? [];
    if (found.length > 0 && joint !== undefined)
      found.push(`${found.pop()}${joint === "/" ? "/" : ""}${text}`);
    else found.push(text);
    end = LITERAL.lastIndex;
  }
  // `"x" / name`: what it is, is not known.
  return /^\s{0,9}[+/]\s{0,9}\w/.test(statement.slice(end, end + 20)) ? [] : found;
}
