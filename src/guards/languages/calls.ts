import { quoteWords } from "../../core/index.ts";
import type { EffectList } from "../effects/effect-list.ts";
import { anyOf, oneOf, withHomeFolder } from "./home-folder.ts";
import { uncommented } from "./program.ts";

const INTERPRETER = new RegExp(
  `^(?:${oneOf(`
    python pypy ruby perl node nodejs deno bun php lua luajit rscript osascript tclsh ts-node tsx irb groovy scala julia
    elixir swift r octave octave-cli gnuplot maxima ghci ghc runghc runhaskell erl guile racket raku nim sbcl clojure clj
    bb ocaml crystal jshell iex rake rails rust-script kotlin kotlinc jrunscript mongosh mongo
  `)})[\\d.]*$`,
);
/** Calls that run a program. */
const RUNS = anyOf([
  /system|popen|subprocess|exec|spawn|check_call|check_output|getoutput|qx|passthru|proc_open|Open3/,
  /(?<![A-Za-z\d])open[\s(][^\n;]{0,80}["']\s*(?:\||-\||[^"'\n<>]*\|\s*["'])/,
  /do shell script|Deno\.Command|%x|\|\s*getline|\|&?\s*"|`|os:cmd|System\.cmd|callCommand|run-program/,
  /(?<![A-Za-z\d])shell(?![A-Za-z\d])|sys\.process|Sys\.command/,
  /(?<![A-Za-z\d])run\s*[(\s]["']|(?<![A-Za-z\d])sh\s+"/,
]);
/** Calls that remove a folder with all that is in it. */
const REMOVES = new RegExp(
  oneOf(String.raw`
    rmtree rm_rf rm_r(?![A-Za-z\d]) rmSync rmdirSync fs\.rm(?![A-Za-z\d]) fs\.promises\.rm fs/promises
    remove_tree removeSync emptyDir RemoveAll remove_dir_all rimraf Deno\.remove deleteDirectory
    (?<![A-Za-z\d])rm\(.*recursive\s*= unlink\(.*recursive\s*=\s*T remove_entry
  `),
);
/** Calls that remove a file. */
const UNLINKS = /unlink|os\.remove|os\.rmdir|File\.delete|rm_f|truncate|shutil\.move|Remove-Item/;
/** `rmtree(Path(".git"))` */
const OF_A_PATH =
  /(?:rmtree|rmSync|rm_rf?|removeSync|RemoveAll)\(\s?(?:[\w.]{1,30}\(\s?)?["']\.git["']/;
const HOMES = /HOME|homedir\(|expanduser|Path\.home|Dir\.home|user_home/;
const OF_THE_MACHINE = /^\/(?:etc|boot|bin|sbin|lib|usr|dev|var)\//;
/** Calls that fetch a text. */
const FETCHES = new RegExp(
  oneOf(String.raw`
    urlopen urlretrieve urllib requests\.get httpx\. https?\.get fetch\( URI\.open open-uri Net::HTTP LWP::
    file_get_contents\(["']http (?<![A-Za-z\d])get\s*\(?["']https?:
  `),
);
/** Calls that run a text as code: not methods such as `pattern.exec()` and `model.eval()`. */
const RUNS_TEXT =
  /(?<![.\w])exec\(|(?<![.\w])eval(?![A-Za-z\d])|(?<!\w)Function\(|vm\.run|instance_eval|include\s*\(?["']http/;
/** In JavaScript, `exec` runs a command: what a program runs of its own is no text that it fetches. */
const RUNS_OWN = /(?<![.\w])exec\(\s*(?:["'`]|(\w+))/g;
const DECODES = new RegExp(
  oneOf(String.raw`
    b64decode base64\.[a-z]*decode decode64 decode_base64 base64_decode fromhex unhexlify atob\( ["']base64["']
    codecs\.decode fromCharCode
  `),
  "i",
);
const RUNS_COMMAND = /system|popen|subprocess|child_process|passthru|shell_exec|Deno\.Command/;
const CONNECTS =
  /socket|fsockopen|TCPSocket|\.connect\(|net\.Dial\(|createConnection|\/inet\/tcp\//;
const STARTS_SHELL =
  /\/bin\/[a-z]*sh(?![A-Za-z\d])|["'`](?:(?:ba|da|z|k|mk|c|tc|a|fi|ya|rba|pw)?sh|powershell)(?![A-Za-z\d])|cmd\.exe/;
const JOINS = /dup2|pty\.spawn|reopen|proc_open|\.Stdin\s*=|[<>]&[%\w$]|\.pipe\(/;
const LOOPS = /while|loop|for\s*\(?\s*;|iter\(int|itertools/;
const FORKS = /while[\s(]+[T1t]\w*\s*\)?\s*:?\s*[\w.]*fork\(/;
/** Calls that send something, and those that add to a file. */
const POSTS = new RegExp(
  oneOf(String.raw`
    requests\.(?:p[ou]|get|request) httpx\.p[ou] session\.p[ou] urlopen HTTPS?Connection axios (?<![A-Za-z\d])fetch\s*\(
    https?\.(?:request|get) Net::HTTP LWP:: HTTP::Tiny TCPSocket socket storbinary smtplib sftp \.post\( curl_
    createConnection net\.connect http\.Post ["'\x60]curl\b.{0,300}(?:POST|-d|-F|-T|--) HTTParty RestClient Faraday
  `),
);
/** All variables of the environment, as what is sent: programs that are started get them, too. */
const ENVIRONMENT =
  /dict\(os\.environ\)|(?:axios\.)?post\([^\n]{0,80}process\.env\b(?![.[])|stringify\([^\n]{0,40}process\.env\b(?![.[])|\.env\.toObject\(\)|json=[^\n]{0,40}os\.environ\b(?![.[])|stringify\(process\.env\)|(?:post|urlencode|dumps)\w{0,9}\([^\n]{0,80}(?:os\.environ\.copy\(\)|ENV\.to_h)/;
const WRITES = /open\s*\([^]{0,400}?(?:["']>*[aw]|>>)|[wW]rite|append|O_APPEND/;
/** Calls that create a file, and their paths. */
const SAVES =
  /urlretrieve\([^()\n]{1,300},\s*(?:["']([^"'\n]+)["']|(\w+)\))|\bopen\(\s*["']([^"'\n]+)["']\s*,\s*["'][wa]b?\+?["']|(?:writeFileSync|createWriteStream|File\.write)\(\s*(?:["'`]([^"'`\n]+)|(\w+),)/g;
/** What starts a program, and what behind it only unpacks an archive. */
const STARTS = String.raw`(?:system|popen|Popen|subprocess\.\w+|exec\w*|spawn\w*)\s*\(?`;
const UNPACKS = String.raw`[\w\s[(]{0,20}["'](?:tar|unzip|gunzip)\b[^\n;&|]{0,300};?(?:\n|$)`;
/** What runs a file that is among its words. */
const RUN_BY = String.raw`(?:sudo|env|nohup|exec|chmod|source|\.|(?:ba|z|da|k)?sh|python[\d.]*|node|bun|deno|perl|ruby|php|java|powershell|pwsh|cmd|dpkg|rpm|apt|apt-get|pip3?|npm|installer|insmod)\b[^\n]{0,120}?`;
/** Code that stands in another file: `exec(open("version.py").read())`. */
const RUNS_FILE = /\bexec\(\s?(?:compile\(\s?)?open\([^()\n]{1,200}\)\.read\(\)/g;
/** What curl prints as the input of a shell. */
const FED =
  /["'](?:curl|wget)["' ][^]{0,2000}["'](?:ba|z)?sh["'][^\n]{0,80}\binput\s*=|\$`(?:ba|z)?sh -c \$\{/;
const ADDRESS = /(?:https?|ftp):\/\/[^\s"'<>|;)]+/;
const WRITES_LATER = /[wW]rite|append|puts|\bopen\b|\bcrontab\b/;
/** Files that run by themselves, and the jobs of a person. */
const RUNS_LATER =
  /\.(?:(?:bash|zsh)rc|(?:bash_)?profile)\b|\bcrontab\b|\/etc\/(?:cron|systemd|rc\.local|profile)|systemd\/user|\/autostart|LaunchAgents/;
const FETCHED =
  /(?:\b|\\n)(?:curl|wget)\b[^\n"'`|]{0,200}?\|\s?(?:sudo )?(?:ba|z)?sh\b|\$\((?:curl|wget)\b[^)\n]{0,200}\)/;
/** What such code does, as a command line. */
const FORK_BOMB = "fork() { fork | fork & }; fork";
/** A command of a shell by mistake: `node -e 'rm -rf x'`. */
const OF_A_SHELL = /^\s*(?:rm|git|dd|shred|find|chmod|chown|mkfs|sudo)\s+[-a-z/~.]/i;
/** Longest code of which the parts have to do with each other, and most of its lines that are read. */
const LONGEST = 4_000;
const MOST_LITERALS = 200;
/** The most files that code creates of which it is looked for what runs them. */
const MOST_SAVED = 20;

/** Whether a program is an interpreter of another language than that of shells. */
export function isOfCode(program: string): boolean {
  return INTERPRETER.test(program);
}

/**
 * What code in the words and the input of an interpreter runs, removes and fetches. It is a search for literals near
 * calls, whatever the language: what the code computes is not found.
 * @param input what it reads as its program
 */
export function addCalls(
  { program, argv }: { readonly program: string; readonly argv: readonly string[] },
  input: string | undefined,
  found: EffectList,
): void {
  const isWhole = argv[1] === "-";
  // In Python, a backtick is text.
  const plain = (text: string): string => {
    const code = withHomeFolder(uncommented(text), found.home, "homedir()");
    return program.startsWith("py") ? code.replaceAll("`", " ") : code;
  };
  const words = argv.slice(1).map(plain);
  for (const word of isWhole ? [] : words) {
    piece(word, found);
    // A quote that is none ends with its line.
    if (hasApostrophe(word)) for (const line of word.split("\n")) piece(line, found);
    if (program === "osascript" && /to (?:shut down|restart)/.test(word)) found.mayRun("shutdown");
  }
  for (const line of plain(input ?? "").split("\n")) piece(line, found);
  whole(words.join(" "), found, isWhole && /^(?:node|deno|bun|ts)/.test(program));
  if (input !== undefined) whole(input, found);
}

/** Files of the home or of the machine that code names and may send, and what it writes with which somebody gets in. */
function sends(text: string, found: EffectList): void {
  const home = found.home ?? "/root";
  const isHome = /HOME|home|expanduser/.test(text);
  if (POSTS.test(text)) {
    if (ENVIRONMENT.test(text)) found.sends("env:*");
    for (const [word] of text.matchAll(/[^\s"'`$(){}<>|;&=:@,\\]{3,200}/g)) {
      if (!word.includes("/") || word.startsWith("//")) continue;
      // What stands behind a question mark is the query of an address.
      const path = found.given(word.replace(/\?.*$/, ""));
      if (path.startsWith("/") && !path.startsWith("/.")) found.sends(path);
      else if (isHome && /^\/?\.[\w-]/.test(path))
        found.sends(`${home}/${path.replace(/^\//, "")}`);
    }
  }
  const name = /[\w.~/@+-]{0,200}\.ssh\/authorized_keys|\/etc\/ld\.so\.preload/.exec(text)?.[0];
  if (name !== undefined && WRITES.test(text)) {
    const path = name.startsWith("/.ssh") || name.startsWith(".ssh") ? `~/${name}` : name;
    found.file("write", found.given(path), { sure: false });
  }
}

/** Code without the calls that run its own literals: `exec("ls")`, `const line = "ls"; exec(line)`. */
function withoutOwn(text: string): string {
  const own = new Set(
    Array.from(text.matchAll(/(?<!\w)(\w+)\s{0,9}=\s{0,9}["'`]/g), ([, name]) => name),
  );
  return text.replaceAll(RUNS_OWN, (call, name?: string) =>
    name === undefined || own.has(name) ? "" : call,
  );
}

/**
 * What follows from several statements together.
 * @param isProgram whether it is a whole file of JavaScript
 */
function whole(text: string, found: EffectList, isProgram = false): void {
  if (text.length <= 7) return;
  if (text.length > 20) sends(text, found);
  const address = ADDRESS.exec(text)?.[0] ?? "";
  const code = isProgram ? withoutOwn(text) : text;
  const runs = RUNS_TEXT.test(
    code.replaceAll(RUNS_FILE, "").replaceAll(/eval\s*["'{]?\s*\{?\s*require/g, ""),
  );
  if (text.length <= LONGEST && /[("']/.test(text) && FETCHES.test(text) && runs)
    found.comesFrom(address);
  else if (FETCHES.test(text) && RUNS_COMMAND.test(text) && runsSaved(text))
    found.comesFrom(address);
  else if (FED.test(text)) found.comesFrom(address);
  else if (RUNS_LATER.test(text) && WRITES_LATER.test(text)) {
    const fetched = FETCHED.exec(text)?.[0];
    if (fetched !== undefined) found.comesFrom(ADDRESS.exec(fetched)?.[0] ?? address);
  }
  if (text.length > 30 && CONNECTS.test(text) && STARTS_SHELL.test(text) && JOINS.test(text))
    found.comesFrom("/dev/tcp/");
  if (FORKS.test(text)) found.mayRun(FORK_BOMB);
  if (DECODES.test(text) && (runs || RUNS_COMMAND.test(text))) found.mayRun('eval "$decoded"');
}

/** Whether code runs a file that it creates. */
function runsSaved(text: string): boolean {
  return [...text.matchAll(SAVES)].slice(0, MOST_SAVED).some(([saves, ...paths]) => {
    const path = paths.find((each) => each !== undefined) ?? "";
    const named = path.replaceAll(/\W/g, "\\$&");
    const near = /^\w+$/.test(path)
      ? "\\s*\\[?\\s*"
      : `[\\s[("'\`]{0,9}(?:${RUN_BY})?[\\w./~$-]{0,100}`;
    const run = `${STARTS}(?!${UNPACKS})${near}${named}(?!\\w)`;
    return !saves.includes("exec") && path.length > 2 && new RegExp(run).test(text);
  });
}

/** A line of a program, or one argument. */
function piece(written: string, found: EffectList): void {
  const text = uncommented(written);
  if (text.length <= 7 || !/[\s("'`]/.test(text)) return;
  if (/(?<![A-Za-z\d])fork(?![A-Za-z\d])/.test(text) && LOOPS.test(text)) found.mayRun(FORK_BOMB);
  const command = text.replace(/^--?[\w-]+=/, "");
  if (OF_A_SHELL.test(command)) found.mayRun(command);
  const runs = RUNS.test(text);
  const removes = REMOVES.test(text);
  const unlinks = UNLINKS.test(text);
  if (!runs && !removes && !unlinks) return;
  const all = literals(text, found.home);
  if (runs) {
    for (const line of commandsIn(text, all)) found.mayRun(line);
    if (hasApostrophe(text))
      for (const line of commandsIn("", literals(text, found.home, OTHER_STRINGS)))
        found.mayRun(line);
  }
  // `exec("import os; …")`
  if (RUNS_TEXT.test(text)) for (const literal of all.texts) piece(literal, found);
  for (const literal of all.texts) {
    if (!removes && !unlinks) break;
    if (literal === "" || /[\s%]/.test(literal) || !/[/~]|^\.+$/.test(literal))
      if (literal !== ".git" || !OF_A_PATH.test(text)) continue;
    // What a call removes is read by the reader of programs: this is what the machine needs.
    if (!removes && !OF_THE_MACHINE.test(literal)) continue;
    found.file("remove", found.given(literal), {
      unfollowed: true,
      sure: false,
      ...(removes && { recursive: true }),
    });
  }
  if (removes && HOMES.test(text) && !/[/,]\s*["']?[\w.]/.test(withoutOptions(text)))
    found.file("remove", found.given("~"), { unfollowed: true, sure: false, recursive: true });
}

/** Without what stands behind a comma and is no part of a path: `{ force: true }`, `ignore_errors=True`, imports. */
function withoutOptions(text: string): string {
  return text
    .replaceAll(/\bimport\s[^\n;]*/g, "")
    .replaceAll(/,\s*\{[^{}]*\}/g, "")
    .replaceAll(/,\s*[A-Za-z_]+\s*=\s*\w+/g, "");
}

/** Each literal as a command line, and each group of literals as the words of a command. */
function* commandsIn(text: string, { texts, groups }: Literals): Generator<string> {
  // Perl opens a command with `… |` and `| …`.
  const far = new Set(groups.filter(([first = ""]) => IS_FAR.test(first)).flat());
  for (const each of texts) if (!far.has(each)) yield each.replace(/^\s*\|(?!\|)|\|\s*$/g, "");
  for (const group of groups) if (group.length > 1) yield quoteWords(group);
  const perl =
    /(?<![A-Za-z\d])q[qwx]?\s*(?:\(([^()]*)\)|\{([^{}]*)\}|\[([^[\]]*)\]|<([^<>]*)>|([/|!])(.{0,400}?)\5)/.exec(
      text,
    );
  const ruby = /%[xwW]\s*[{([]([^})\]]*)[})\]]/.exec(text);
  for (const [, ...found] of [perl, ruby].filter((each) => each !== null))
    yield found.find((each) => each !== undefined && each.length > 1) ?? "";
}

/** Programs that run the other words on another machine, in a container, below another root. */
const IS_FAR =
  /^(?:ssh|mosh|docker|podman|nerdctl|kubectl|oc|docker-compose|vagrant|multipass|lxc|incus|adb|pdsh|ansible|fly|flyctl|gcloud|chroot)$/;

/** A single quote is not always one: `# don't`, `'(a list of Lisp)`. */
function hasApostrophe(text: string): boolean {
  return (text.match(/'/g)?.length ?? 0) % 2 === 1;
}

interface Literals {
  /** Each, those that are concatenated as one as well. */
  readonly texts: string[];
  /** Those that are the words of a command, with the home folder if it follows: `"-rf", $ENV{HOME}`. */
  readonly groups: string[][];
}

/** A text in quotes, or the first quote that nothing closes. */
const stringsIn = (quotes: string): RegExp => {
  const texts = Array.from(quotes, (quote) => `${quote}((?:[^${quote}\\\\]|\\\\[^])*)${quote}`);
  return new RegExp(`${texts.join("|")}|[${quotes}]`, "g");
};
const STRINGS = stringsIn("\"'`");
const OTHER_STRINGS = stringsIn('"`');

function literals(text: string, home: string | undefined, strings = STRINGS): Literals {
  const texts: string[] = [];
  const groups: string[][] = [];
  let ended = -1;
  let count = 0;
  for (const match of text.matchAll(strings)) {
    const [all, ...inner] = match;
    const written = inner.find((each) => each !== undefined);
    if (written === undefined || ++count >= MOST_LITERALS) break;
    const between = ended < 0 ? "=" : text.slice(ended, match.index);
    // `root + "/x"`: where it is, is not known.
    const isBehind =
      /^\/(?!(?:etc|boot|usr|var|home|root|srv|dev)\b)/.test(written) &&
      /[\w)\]]\s?[+.]\s?$/.test(text.slice(Math.max(0, match.index - 9), match.index));
    const literal = isBehind ? `\${_unknown_}${decoded(written)}` : decoded(written);
    const group = groups.at(-1);
    texts.push(/^\s*[+.]?\.?\s*$/.test(between) ? `${texts.at(-1)}${literal}` : literal);
    if (group && /^(?:\s*,\s*(?:\{\s*args:\s*)?\[?\s*|\s+)$/.test(between)) group.push(literal);
    else groups.push([literal]);
    ended = match.index + all.length;
    if (home !== undefined && isHomeNext(text.slice(ended, ended + 199))) groups.at(-1)?.push(home);
  }
  return { texts, groups };
}

function isHomeNext(text: string): boolean {
  const next = /^\s*,\s*([^\s"',;][^,;\n]*)/.exec(text)?.[1];
  return (
    next !== undefined &&
    !/[/+.]\s*["']?\/|[)\]]\s?[/+]/.test(next) &&
    /HOME|homedir\(\s*\)|expanduser\(["']~["']\)/.test(next)
  );
}

/** Escaped characters: `\"`, `\x20`, `\040`. */
function decoded(literal: string): string {
  return literal.replaceAll(
    /\\(?:(["'`])|x([\da-fA-F]{2})|([0-3]?[0-7][0-7]))/g,
    (_, quote?: string, hex?: string, octal?: string) =>
      quote ?? String.fromCharCode(parseInt(hex ?? octal ?? "0", hex === undefined ? 8 : 16)),
  );
}
