import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createOrcs } from "orcs";
import { RE2JS, RE2JSException } from "re2js";
import { Samples } from "./samples.ts";

/**
 * How much of what secret scanners look for is masked, and what is masked wrongly.
 *
 *   npm run bench:masking -- --gitleaks DIR --trufflehog DIR --credsweeper DIR --files DIR --files DIR --show
 *
 * DIR is a clone of the project (a bare one too): its rules are read from there and are no part of this project. For
 * each rule, texts that it matches are written and put into a sentence that does not say what they are. Of CredSweeper,
 * the samples of its tests are masked, and compared with what it labels in them. `--files` takes folders whose texts have
 * no real secrets. Literals of credentials in tests, examples and docs are counted apart.
 */
const { values: flags } = parseArgs({
  options: {
    gitleaks: { type: "string" },
    trufflehog: { type: "string" },
    credsweeper: { type: "string" },
    files: { type: "string", multiple: true, default: [] },
    show: { type: "boolean", default: false },
  },
});

interface Rule {
  readonly id: string;
  readonly regex: string;
}

const SAMPLES = 5;
const MASK = "[redacted]";
const orcs = await createOrcs({ config: false });

/** The part of a rule of gitleaks that demands a name before the value. */
const KEY_NAME = /\[ \\t\\w\.-\]\{0,20\}/;
/** What a rule demands around the value. */
const AROUND =
  /\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)|\(\?:\^\|\[[^\]]*\]\)|\(\?:\$\|\[[^\]]*\]\)|\(\?:\[\^[^\]]*\]\|\\z\)/g;
const NOT_SECRET =
  /:\w*(?:url|uri|domain|host|email|user|account|name|id|client|instance|region|endpoint|address|server|tenant|bucket|org|project|cert|time\w*|hash|resource|path)\w*pat/i;

function gitleaksRules(folder: string): Rule[] {
  const text = git(folder, "show", "HEAD:config/gitleaks.toml");
  return text
    .split("[[rules]]\n")
    .slice(1)
    .flatMap((part) => {
      const id = /^id = "([^"]+)"/m.exec(part)?.[1] ?? "";
      const regex = /^regex = '''(.*)'''$/m.exec(part)?.[1];
      return regex === undefined ? [] : [{ id, regex }];
    });
}

/** Patterns on one line, without what they demand before the value. */
function trufflehogRules(folder: string): Rule[] {
  const lines = git(
    folder,
    "grep",
    "-E",
    "= *regexp\\.MustCompile\\(",
    "HEAD",
    "--",
    "pkg/detectors/*.go",
    ":!*_test.go",
  );
  return lines.split("\n").flatMap((line) => {
    const [, path = "", name = "", code = ""] =
      /pkg\/detectors\/(\S+)\/[^/:]+:\s*(?:var )?(\w+)\s*:?=\s*regexp\.MustCompile\((.*)$/.exec(
        line,
      ) ?? [];
    const quoted = [...code.matchAll(/`([^`]*)`/g)].map((match) => match[1] ?? "");
    const built = /BuildRegex\((?:common\.\w+Pattern|"([^"]*)"), "([^"]*)", (\d+)\)/.exec(code);
    if (built) quoted.push(`\\b([${built[1] ?? "0-9a-zA-Z"}${built[2]}]{${built[3]}})\\b`);
    const regex = quoted.join("");
    return regex === "" ? [] : [{ id: `${path}:${name}`, regex }];
  });
}

function report(what: string, rules: readonly Rule[]): void {
  let caught = 0;
  let all = 0;
  const missed: string[] = [];
  const unjudged: string[] = [];
  for (const { id, regex } of rules) {
    const samples = new Samples(all + 7);
    const tokens = Array.from({ length: SAMPLES }, () => sampleOf(samples, regex)).filter(
      (token) => token !== undefined && token.secret.length >= PART,
    ) as Sample[];
    if (tokens.length === 0) {
      unjudged.push(`  ? ${id}`);
      continue;
    }
    all++;
    const left = tokens.filter((token) => !isMasked(token));
    caught += 1 - left.length / tokens.length;
    if (left[0] !== undefined)
      missed.push(`  ${left.length}/${tokens.length} ${id}  ${left[0].secret.slice(0, 100)}`);
  }
  console.log(
    `${what}: ${((100 * caught) / all).toFixed(1)} % of ${all} rules masked (${unjudged.length} rules not judged)`,
  );
  if (flags.show) console.log([...missed, ...unjudged].join("\n"));
}

/** A secret, and the text that shows it. */
interface Sample {
  readonly secret: string;
  readonly text: string;
}

const TRIES = 100;

/** A text that a rule matches, checked with the engine that the scanners use. */
function sampleOf(samples: Samples, regex: string): Sample | undefined {
  try {
    const rule = RE2JS.compile(regex);
    for (let n = 0; n < TRIES; n++) {
      const token = samples.of(regex.replaceAll(AROUND, "")).trim();
      const text = `The first thing that we saw there was ${token} and then nothing else.`;
      const found = rule.matcher(text);
      if (!found.find()) continue;
      const groups = Array.from({ length: found.groupCount() }, (_, i) => found.group(i + 1));
      const group = groups.find((each) => each !== null && each.length >= PART);
      return { secret: group ?? token, text };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RE2JSException)) throw error;
  }
  return undefined;
}

/** Whether no long part of the second half of a token is left. */
function isMasked({ secret, text }: Sample): boolean {
  const masked = orcs.redact(text);
  if (!masked.includes(MASK)) return false;
  const half = secret.slice(Math.floor(secret.length / 2)).replace(/-----END[\s\S]*$/, "");
  for (let at = 0; at + PART <= half.length; at += 1) {
    if (masked.includes(half.slice(at, at + PART))) return false;
  }
  return true;
}

const PART = 8;

/** What CredSweeper found in a file. */
interface Label {
  readonly path: string;
  readonly line: string;
  /** Number of the line, from 1. */
  readonly line_num: number;
  readonly value: string;
  readonly value_start: number;
}

/** What is labelled and is no secret of a text. */
const STRUCK: readonly (readonly [string, (label: Label, rule: string) => boolean])[] = [
  ["prose of password documents", ({ path }) => path.includes("/doc_")],
  ["header lines of PEM", ({ value }) => /-----(?:BEGIN|END)/.test(value)],
  [
    "ids and names",
    (_, rule) =>
      /^(?:UUID|AWS Client ID|AWS S3 Bucket|Firebase Domain|Tencent WeChat API App ID)$/.test(rule),
  ],
  [
    "other ids, and public keys",
    ({ value }) =>
      /^(?:\d+-\w+\.apps\.googleusercontent\.com|00D[A-Za-z0-9]{12,16}|3MVG\S+|AC[0-9a-f]{32}|phc_\w+|pk_(?:live|test)_\w+|"kty".*)$/.test(
        value,
      ),
  ],
];

function reportCredSweeper(folder: string): void {
  const found = JSON.parse(git(folder, "show", "HEAD:tests/data/output.json")) as {
    readonly rule: string;
    readonly line_data_list: readonly Label[];
  }[];
  const struck = new Map<string, number>();
  const missed: string[] = [];
  const files = new Map<string, MaskedFile>();
  const seen = new Set<string>();
  for (const { rule, line_data_list: labels } of found) {
    for (const label of labels) {
      const why = STRUCK.find(([, isStruck]) => isStruck(label, rule))?.[0];
      if (why !== undefined) {
        struck.set(why, (struck.get(why) ?? 0) + 1);
        continue;
      }
      const { path, line_num, value_start, value } = label;
      const key = `${path}:${line_num}:${value_start}:${value}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const file = files.get(path) ?? maskedFile(git(folder, "show", `HEAD:${path.slice(2)}`));
      files.set(path, file);
      if (!isLabelMasked(file, label)) missed.push(`  ${rule}  ${path}:${line_num}  ${value}`);
    }
  }
  const share = (100 * (seen.size - missed.length)) / seen.size;
  const without = [...struck].map(([why, n]) => `${n} ${why}`).join(", ");
  console.log(
    `credsweeper: ${share.toFixed(1)} % of ${seen.size} labelled values masked (without ${without})`,
  );
  if (flags.show) console.log(missed.join("\n"));
}

interface MaskedFile {
  readonly text: string;
  readonly masked: readonly Masked[];
}

/** Offsets of what is masked. */
interface Masked {
  readonly from: number;
  readonly to: number;
}

function maskedFile(text: string): MaskedFile {
  return { text, masked: maskedParts(text, orcs.redact(text)) };
}

/** Whether all of a value is masked but the marks at its ends, in its file; in its line, if the file is not a text. */
function isLabelMasked(file: MaskedFile, { line, line_num, value, value_start }: Label): boolean {
  const before = file.text.split("\n", line_num - 1).join("\n").length + (line_num > 1 ? 1 : 0);
  const near = file.text.indexOf(value, before + Math.max(0, value_start));
  const isThere = near >= 0 && !file.text.slice(before, near).includes("\n");
  const { text, masked } = isThere ? file : maskedFile(line);
  const at = isThere ? near : Math.max(0, text.indexOf(value, Math.max(0, value_start)));
  const bare = value.replace(/^[^A-Za-z0-9]+/, "");
  let done = at + value.length - bare.length;
  const end = at + value.replace(/[^A-Za-z0-9]+$/, "").length;
  for (const { from, to } of masked) if (from <= done && to > done) done = to;
  return done >= end;
}

/** What was masked in a text, from what it became. */
function maskedParts(text: string, shown: string): Masked[] {
  const [first = "", ...kept] = shown.split(MASK);
  let at = first.length;
  return kept.map((piece, i) => {
    const from = at;
    const to = i === kept.length - 1 && piece === "" ? text.length : text.indexOf(piece, at + 1);
    at = Math.max(to, from) + piece.length;
    return { from, to };
  });
}

interface Text {
  readonly path: string;
  readonly text: string;
}

const TEXT =
  /\.(?:[cm]?[jt]sx?|rs|go|py|lua|sh|ps1|ya?ml|toml|json|md|mdx|rst|txt|lock|html|vue|css|sql|xml|conf|ini|cfg|env|properties|mod|sum|proto|snap|tpl|rb|erb|java|kts?|php|cs|swift|tf|c|h|cc|cpp|hpp|po)$|(?:^|\/)[A-Z][A-Za-z]*file$/;
const LARGEST = 1_000_000;

/** Files of tests, and what they read and write. */
const FIXTURES =
  /(?:^|[/._-])(?:tests?|specs?|__tests__|__snapshots__|testdata|fixtures?|playground|e2e)(?:[/._-]|$)|\.snap$/i;
/** Files of tests, of examples and of documentation. */
const TESTS =
  /(?:^|[/._-])(?:tests?|specs?|__tests__|testdata|fixtures?|mocks?|e2e|examples?|samples?|demos?|docs?|compose)(?:[/._-]|$)|\.(?:mdx?|rst|snap)$/i;
/**
 * A value as it is written in such files: one word without the marks of source code, or the content between two equal
 * quotation marks. Who reads the file cannot tell it from a secret by its form.
 */
const LITERAL = /^[^\s(){};<>]+$/;

interface FileCounts {
  files: number;
  /** Lines of the files that are no test, and number of masks in them. */
  lines: number;
  masks: number;
  /** Files in which something is masked, and those of them that are tests with nothing masked but literals. */
  masked: number;
  literals: number;
}

function reportFiles(folders: readonly string[]): void {
  const all: FileCounts = { files: 0, lines: 0, masks: 0, masked: 0, literals: 0 };
  let ms = 0;
  const texts: string[] = [];
  for (const folder of folders) {
    for (const { path, text } of textsIn(folder)) {
      if (text.length > LARGEST || text.includes("\0")) continue;
      all.files++;
      texts.push(text);
      const isFixture = FIXTURES.test(path.slice(folder.length));
      if (!isFixture) all.lines += text.split("\n").length;
      let shown = text;
      ms += cpuMs(() => (shown = orcs.redact(text)));
      if (shown === text) continue;
      all.masked++;
      if (!isFixture) all.masks += maskedParts(text, shown).length;
      const isLiteral = TESTS.test(path.slice(folder.length)) && hasLiteralsOnly(text, shown);
      if (isLiteral) all.literals++;
      if (flags.show)
        console.log(`  ${isLiteral ? "literal" : "other  "} ${path}\n${changes(text, shown)}`);
    }
  }
  const { files, masked, literals, lines, masks } = all;
  console.log(
    `files: ${masked} of ${files} masked; ${literals} of them are tests, examples and docs with literals of credentials only, ${masked - literals} others`,
  );
  console.log(
    `lines: ${masks} masks in ${lines} lines that are no test fixtures, ${((1000 * masks) / lines).toFixed(3)} of 1,000`,
  );
  const mb = texts.reduce((sum, { length }) => sum + length, 0) / 1e6;
  const again = (run: (text: string) => unknown): number =>
    Math.min(...Array.from({ length: PASSES }, () => cpuMs(() => texts.forEach(run)))) / mb;
  const later = again((text) => orcs.redact(text));
  const json = again((text) => JSON.parse(JSON.stringify(text)));
  console.log(
    `time: ${mb.toFixed(1)} MB, ${(ms / mb).toFixed(1)} ms of CPU time per MB in a new process, ${later.toFixed(1)} later; writing and reading the same texts as JSON takes ${json.toFixed(1)} later`,
  );
}

/** The best of these counts: the machine may be busy, and code is compiled while it runs. */
const PASSES = 5;

/** Milliseconds of CPU time that something takes. */
function cpuMs(run: () => void): number {
  const started = process.cpuUsage();
  run();
  const used = process.cpuUsage(started);
  return (used.user + used.system) / 1000;
}

/** Whether all that is masked are literals of credentials. */
function hasLiteralsOnly(text: string, shown: string): boolean {
  return maskedParts(text, shown).every(({ from, to }) => {
    const quote = text[from - 1] ?? " ";
    const isQuoted = "\"'`".includes(quote) && text[to] === quote;
    return to >= from && (isQuoted || LITERAL.test(text.slice(from, to)));
  });
}

function changes(text: string, shown: string): string {
  const after = shown.split("\n");
  return text
    .split("\n")
    .filter((line, i) => after[i] !== line)
    .slice(0, 3)
    .map((line) => `      ${line.trim().slice(0, 200)}`)
    .join("\n");
}

function* textsIn(folder: string): Generator<Text> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && TEXT.test(path)) yield { path, text: readFileSync(path, "utf8") };
  }
}

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
}

if (flags.gitleaks !== undefined) {
  const rules = gitleaksRules(flags.gitleaks);
  report(
    "gitleaks, prefix rules",
    rules.filter(({ regex }) => !KEY_NAME.test(regex)),
  );
  report(
    "gitleaks, rules with the name of a service before the value",
    rules.filter(({ regex }) => KEY_NAME.test(regex)),
  );
}
if (flags.trufflehog !== undefined) {
  const rules = trufflehogRules(flags.trufflehog);
  const secrets = rules.filter(({ id }) => !NOT_SECRET.test(id));
  report("trufflehog, all patterns", rules);
  report("trufflehog, patterns of secrets (not of hosts, names, ids)", secrets);
}
if (flags.credsweeper !== undefined) reportCredSweeper(flags.credsweeper);
if (flags.files.length > 0) reportFiles(flags.files);
await orcs.close();
