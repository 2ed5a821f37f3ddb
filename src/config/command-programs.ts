/**
 * Tables of the programs that hooks' commands start. They list what is harmless: a program, option or piece of awk that
 * is not listed may run anything.
 */

/** What an invocation runs, as far as its words tell. */
export interface Invocation {
  /** Positions of the words that name a script. */
  readonly scripts: readonly number[];
  /** Scripts inside a word: `x` of `-fx`. */
  readonly within: readonly string[];
  /** Whether its code is part of the command line. */
  readonly isInline: boolean;
}

/** A program that runs a script file. */
interface Interpreter {
  readonly names: RegExp;
  /** Options after which only the script is open. */
  readonly harmless: RegExp;
  /** Those of them that take the next word as their value. */
  readonly takes?: RegExp;
  /** Options after which the code is part of the command line. */
  readonly inline?: RegExp;
}

const INTERPRETERS: readonly Interpreter[] = [
  {
    names: /^(?:ba|da|k|z|a)?sh$/,
    harmless: /^(?:[-+][abefhkmnpuvxBCEHPT]*[oO]?|--(?:noprofile|norc|posix)?)$/,
    takes: /^[-+][a-zA-Z]*[oO]$/,
    inline: /^-[abefhkmnpuvxBCEHPT]*c$/,
  },
  { names: /^(?:\.|source)$/, harmless: /^--$/ },
  {
    names: /^python(?:\d+(?:\.\d+)?)?$/,
    harmless: /^-(?:[BEIOPRSbdqstuv]+|W[a-z]+|W|X(?:utf8|dev|faulthandler|importtime))$/,
    takes: /^-W$/,
  },
  {
    names: /^node(?:js)?$/,
    harmless:
      /^--(?:no-warnings|no-deprecation|enable-source-maps|trace-(?:warnings|uncaught|deprecation)|experimental-(?:strip|transform)-types|max-old-space-size=\d+|unhandled-rejections=[a-z-]+|disable-warning=\w+)?$/,
  },
  { names: /^perl$/, harmless: /^-(?:[wWXTtnplasu]+|-)$/ },
  { names: /^ruby$/, harmless: /^(?:-[wnpla]+|-W[012]?|--(?:disable[-=]gems|yjit)?)$/ },
  { names: /^php$/, harmless: /^-(?:[nq]|-)$/ },
  { names: /^lua(?:\d(?:\.\d)?|jit)?$/, harmless: /^-(?:[WEv]|-)$/ },
];

/** Whether a program runs a script file, and nothing else. */
export function isInterpreter(program: string): boolean {
  return INTERPRETERS.some(({ names }) => names.test(program));
}

/** What an interpreter runs; undefined when that is unknown. */
export function interpreted(
  program: string,
  argv: readonly string[],
  unknown: readonly number[],
): Invocation | undefined {
  const of = INTERPRETERS.find(({ names }) => names.test(program));
  if (!of) return undefined;
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i] ?? "";
    if (!unknown.includes(i) && of.inline?.test(word)) return INLINE;
    if (unknown.includes(i) || !/^[-+]/.test(word)) return { ...NOTHING, scripts: [i] };
    if (!of.harmless.test(word)) return undefined;
    if (word === "--") return argv.length > i + 1 ? { ...NOTHING, scripts: [i + 1] } : NOTHING;
    if (!of.takes?.test(word)) continue;
    i++;
    // `-W error::a.B` imports a, and not every shell has the `-o` of others.
    if (unknown.includes(i) || !/^\w+$/.test(argv[i] ?? "")) return undefined;
  }
  return NOTHING;
}

const NOTHING: Invocation = { scripts: [], within: [], isInline: false };
const INLINE: Invocation = { ...NOTHING, isInline: true };

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/**
 * What a program that is not an interpreter runs; undefined when that is unknown. Programs that start others are read
 * through: the others are commands of their own.
 */
export function plainInvocation(
  program: string,
  argv: readonly string[],
  unknown: readonly number[],
): Invocation | undefined {
  if (AWKS.has(program)) return awk(argv, unknown);
  if (program === "sed") return sed(argv, unknown);
  if (program === "jq") return jq(argv, unknown);
  if (!PLAIN.has(program)) return undefined;
  if (SETS_VARIABLES.has(program)) {
    const isNamed = argv.every((word, i) => !unknown.includes(i) || /^[A-Za-z_]\w*\+?=/.test(word));
    return isNamed ? NOTHING : undefined;
  }
  const risky = STARTS_BY_OPTION[program];
  if (!risky) return NOTHING;
  const end = argv.indexOf("--");
  const options = end === -1 ? argv : argv.slice(0, end);
  const isRisky = options.some((word, i) => i > 0 && (unknown.includes(i) || risky.test(word)));
  return isRisky ? undefined : NOTHING;
}

/** Whether a program is in these tables. */
export function isKnownProgram(program: string): boolean {
  return isInterpreter(program) || AWKS.has(program) || PLAIN.has(program) || SCRIPTED.has(program);
}

const SCRIPTED = set("sed jq");

/** Programs that run nothing a project could provide; those that start others are read through. */
const PLAIN = set(
  ": [ [[ alias base64 basename break cat cd chmod command comm continue cp curl cut date dd diff dirname echo " +
    "egrep env eval exec exit expand export expr false fgrep file find fold getopts grep hash head hostname id join " +
    "kill let ln local logger ls md5sum mkdir mktemp mv nice nl nohup notify-send od paste pgrep popd printenv printf " +
    "pushd pwd read readlink readonly realpath return rev rg rm rmdir seq set setsid sha1sum sha256sum shift shopt " +
    "sleep sort split stat stdbuf tac tail tee test time timeout times touch tr trap true tty type ulimit umask unalias " +
    "uname uniq unset wait wc wget whoami xargs yes",
);
const AWKS = set("awk gawk mawk nawk");
/** Programs whose words can be names of variables. */
const SETS_VARIABLES = set("export readonly local");
/** Options (including short forms) with which these programs start or load code. */
const STARTS_BY_OPTION: Readonly<Record<string, RegExp>> = {
  curl: /^--eng/,
  hash: /^-\w*p/,
  rg: /^--(?:pre|hostname-bin)/,
  sort: /^--co/,
  split: /^--f/,
  wget: /^(?:--(?:use-a|exe|conf)|-\w*e)/,
};

/** The words whose text is fully known; undefined in the place of others. */
function knownWords(argv: readonly string[], unknown: readonly number[]): (string | undefined)[] {
  return argv.map((word, i) => (unknown.includes(i) ? undefined : word));
}

function awk(argv: readonly string[], unknown: readonly number[]): Invocation | undefined {
  const words = knownWords(argv, unknown);
  const scripts: number[] = [];
  const within: string[] = [];
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) {
      // In `-v x="$Y"` the unknown part cannot become an option.
      if (/^-(?:F|v[A-Za-z_]\w*=)./.test(argv[at] ?? "")) continue;
      return undefined;
    }
    if (word === "--") {
      at++;
      break;
    }
    if (!/^-./.test(word)) break;
    if (word === "-F" || word === "-v") at++;
    else if (word === "-f" || word === "--file") scripts.push(++at);
    else if (/^-f./.test(word)) within.push(word.slice(2));
    else if (word.startsWith("--file=")) within.push(word.slice("--file=".length));
    else if (!/^-[Fv]./.test(word)) return undefined;
  }
  const isInFile = scripts.length + within.length > 0;
  return isInFile || isHarmlessAwk(words[at]) ? { scripts, within, isInline: false } : undefined;
}

/** Whether an awk program starts nothing, and reads nothing but its input. */
function isHarmlessAwk(text: string | undefined): boolean {
  return text !== undefined && !/\bsystem\b|\bgetline\b|[|@]/.test(text.replaceAll("||", " "));
}

function sed(argv: readonly string[], unknown: readonly number[]): Invocation | undefined {
  const words = knownWords(argv, unknown);
  const scripts: number[] = [];
  const within: string[] = [];
  const texts: string[] = [];
  const operands: number[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    // Options can also follow operands.
    if (word === undefined) {
      if (argv.indexOf("--") === -1 || argv.indexOf("--") > at) return undefined;
      operands.push(at);
    } else if (word === "--") {
      for (let rest = at + 1; rest < words.length; rest++) operands.push(rest);
      break;
    } else if (!/^-./.test(word)) operands.push(at);
    else if (/^-[nErsuz]*e$/.test(word) || word === "--expression") {
      texts.push(words[++at] ?? UNREAD);
    } else if (/^-[nErsuz]*e./.test(word)) texts.push(word.slice(word.indexOf("e") + 1));
    else if (word.startsWith("--expression=")) texts.push(word.slice("--expression=".length));
    else if (/^-[nErsuz]*f$/.test(word) || word === "--file") scripts.push(++at);
    else if (/^-[nErsuz]*f./.test(word)) within.push(word.slice(word.indexOf("f") + 1));
    else if (word.startsWith("--file=")) within.push(word.slice("--file=".length));
    else if (!HARMLESS_SED.test(word)) return undefined;
  }
  if (texts.length + scripts.length + within.length === 0) {
    texts.push(words[operands[0] ?? -1] ?? UNREAD);
  }
  // Pieces of a program are joined: `-e 'a\' -e 'x'`.
  return isHarmlessSed(texts.join("\n")) ? { scripts, within, isInline: false } : undefined;
}

const HARMLESS_SED =
  /^(?:-[nErsuz]+|-i|--(?:quiet|silent|regexp-extended|null-data|separate|unbuffered|posix|sandbox|debug|in-place))$/;
/** Stands for an unknown program. */
const UNREAD = "?";

/** Whether a sed program consists of commands that start nothing. */
function isHarmlessSed(text: string): boolean {
  for (let rest = text; ;) {
    rest = rest.replace(/^[\s;{}]+/, "");
    if (rest === "") return true;
    const found = SED_COMMANDS.map((command) => command.exec(rest)).find(Boolean);
    if (!found) return false;
    rest = rest.slice(found[0].length);
  }
}

const SED_ADDRESS = String.raw`(?:(?:\d+|\$|\/(?:[^\/\\\n]|\\.)*\/I?)(?:,[~+]?(?:\d+|\$|\/(?:[^\/\\\n]|\\.)*\/I?))?\s*!?\s*)?`;
const SED_END = String.raw`[ \t]*(?=[;}\n]|$)`;
const SED_COMMANDS = [
  String.raw`[{]`,
  String.raw`[=dDgGhHnNpPxz]${SED_END}`,
  String.raw`[qQl]\d*${SED_END}`,
  String.raw`[btT:][ \t]*\w*${SED_END}`,
  String.raw`s\/(?:[^\/\\\n]|\\.)*\/(?:[^\/\\]|\\[^])*\/[gpiI\d]*${SED_END}`,
  String.raw`s\|(?:[^|\\\n]|\\.)*\|(?:[^|\\]|\\[^])*\|[gpiI\d]*${SED_END}`,
  String.raw`s#(?:[^#\\\n]|\\.)*#(?:[^#\\]|\\[^])*#[gpiI\d]*${SED_END}`,
  String.raw`s,(?:[^,\\\n]|\\.)*,(?:[^,\\]|\\[^])*,[gpiI\d]*${SED_END}`,
  String.raw`y\/(?:[^\/\\\n]|\\.)*\/(?:[^\/\\\n]|\\.)*\/${SED_END}`,
].map((command) => new RegExp(`^${SED_ADDRESS}${command}`));

function jq(argv: readonly string[], unknown: readonly number[]): Invocation | undefined {
  const words = knownWords(argv, unknown);
  const operands: number[] = [];
  let fileOption: number | undefined;
  for (let at = 1; at < words.length; at++) {
    // jq starts nothing; only a file or a library is another program.
    const word = words[at] ?? "";
    if (/^(?:-[a-zA-Z]*L|--library)/.test(word)) return undefined;
    if (/^(?:-[a-zA-Z]*f[a-zA-Z]*|--from-file)$/.test(word)) fileOption ??= at;
    else if (/^--(?:arg|argjson|slurpfile|rawfile|argfile)$/.test(word)) at += 2;
    else if (/^--(?:indent|seq-?\w*)$/.test(word)) at++;
    else if (!/^-./.test(word)) operands.push(at);
  }
  const [first] = operands;
  if (fileOption === undefined) {
    const text = words[first ?? -1] ?? "";
    return /\b(?:import|include)\b\s*"/.test(text) ? undefined : NOTHING;
  }
  // Some versions take the word after the option as the file, others the first operand.
  return first === fileOption + 1 ? { ...NOTHING, scripts: [first] } : undefined;
}

/** Variables that tell programs which code to load, or where to search it. */
const CODE_VARIABLE =
  "PATH|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|BASH_FUNC_\\w*|PS4|PROMPT_COMMAND|ZDOTDIR|FPATH|HOME|XDG_CONFIG_HOME|LD_\\w+|" +
  "DYLD_\\w+|GCONV_PATH|GLIBC_TUNABLES|PYTHON\\w+|NODE_\\w+|PERL5\\w+|PERLLIB|RUBY\\w+|GEM_\\w+|BUNDLE_\\w+|LUA_\\w+|" +
  "PHPRC|PHP_INI_SCAN_DIR|AWKPATH|AWKLIBPATH|RIPGREP_CONFIG_PATH|WGETRC|CURL_HOME|OPENSSL_\\w+|GIT_\\w+|" +
  "JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|npm_config_\\w+|ORCS_DIR|ORCS_CONFIG_DIR";

/** Whether a variable tells programs which code to load. */
export function isCodeVariable(name: string): boolean {
  return new RegExp(`^(?:${CODE_VARIABLE})$`).test(name);
}

/** The words of a command line that set such a variable, or name one where it could be set. */
export function codeVariables(line: string): string[] {
  // Independent of quoting.
  const text = line.replaceAll(/["'\\]/g, "");
  const found = [...text.matchAll(ASSIGNED), ...text.matchAll(NAMED)];
  return [...new Set(found.map(([whole]) => whole.trim()))];
}

const ASSIGNED = new RegExp(
  `(?<![\\w$./-]|\\$\\{)(?:${CODE_VARIABLE})(?:\\[[^\\]]*\\])?\\+?=[^\\s;&|)]*|\\$\\{(?:${CODE_VARIABLE}):?=[^}]*`,
  "g",
);
const NAMED = new RegExp(
  "\\b(?:export|declare|typeset|readonly|local|read|mapfile|readarray|getopts|select|for|printf\\s+-v)\\b" +
    `[^;&|\\n]*?\\s(?:${CODE_VARIABLE})(?![\\w/.-])`,
  "g",
);
