import { byName } from "../../matching/index.ts";
import { isReference } from "./false-positives.ts";
import { isTellingName } from "./key-names.ts";
import type { Spans } from "./tokens.ts";

/** A place of a secret that neither a name nor the form of the secret tells. */
interface Statement {
  /** Texts of which one is in each statement: most texts have none, and are not searched further. */
  readonly words: readonly string[];
  /** What leads to the secret, which is the group `s`. All repetitions are bounded or cannot overlap. */
  readonly form: RegExp;
  /** Whether the name in the group `name` must be telltale. */
  readonly named?: true;
  /** Whether the secret must be a user name and a password in Base64. */
  readonly pair?: true;
}

/** Programs that take a password in their own way, and what leads to it behind their names. */
const COMMANDS = byName({
  "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlslap mysqlbinlog":
    /\s-p(?<q>['"]?)(?<s>[^\s'"]+)/d,
  "mariadb mariadb-dump mariadb-admin mariadb-import mariadb-check":
    /\s-p(?<q>['"]?)(?<s>[^\s'"]+)/d,
  sshpass: /\s-p\s*(?<q>['"]?)(?<s>[^\s'"]+)/d,
  "docker podman nerdctl buildah skopeo helm oras crane":
    /[ \w]{0,24} login(?=\s)[^\n|;]{0,200}?\s-p[\s=]*(?<q>['"]?)(?<s>[^\s'"]+)/d,
  "curl http https xh":
    /\s(?:-u|--user|--proxy-user|-U|-a|--auth)[\s=]*(?<q>['"]?)[^\s:'"]*:(?<s>[^\s'"]+)/d,
  "redis-cli valkey-cli keydb-cli": /\s(?:-a|--pass)[\s=]*(?<q>['"]?)(?<s>[^\s'"]+)/d,
  "sqlcmd bcp osql": /\s-P\s*(?<q>['"]?)(?<s>[^\s'"]+)/d,
  "ldapsearch ldapadd ldapmodify ldapdelete ldapmodrdn ldapcompare ldapwhoami ldappasswd":
    /\s-w\s*(?<q>['"]?)(?<s>[^\s'"]+)/d,
  // With `-n`, there is no file; `-C` has a number.
  htpasswd:
    /\s-(?=[a-zA-Z]{0,8}b)(?:(?=[a-zA-Z]{0,8}n)[a-zA-Z]{2,9}(?:(?<=C)\s+\d+)?|(?![a-zA-Z]{0,8}n)[a-zA-Z]{1,9}(?:(?<=C)\s+\d+)?\s+\S+)\s+\S+\s+(?<s>[^\s;|&]+)/d,
  "mongosh mongo mongodump mongorestore mongoexport mongoimport":
    /\s-p\s+(?<q>['"]?)(?<s>[^\s'"-][^\s'"]*)/d,
  cqlsh: /\s-p[\s=]*(?<q>['"]?)(?<s>[^\s'"-][^\s'"]*)/d,
  "mosquitto_pub mosquitto_sub zip unzip": /\s-P\s*(?<q>['"]?)(?<s>[^\s'"-][^\s'"]*)/d,
  "7z 7za 7zz": /\s-p(?<q>['"]?)(?<s>[^\s'"]+)/d,
});

const STATEMENTS: readonly Statement[] = [
  // A constant of PHP.
  {
    words: ["define("],
    form: /\bdefine\(\s{0,4}(?<a>['"])(?<name>\w{1,64})\k<a>\s{0,4},\s{0,4}(?<q>['"])(?<s>[^'"\n]{1,400})\k<q>/dg,
    named: true,
  },
  // A user of a database in SQL.
  {
    words: ["IDENTIFIED", "identified"],
    form: /(?:\bIDENTIFIED|\b[Uu][Ss][Ee][Rr]\s{1,8}\S{1,128}\s{1,8}identified)\s{1,8}(?:[Ww][Ii][Tt][Hh]\s{1,8}\S{1,64}\s{1,8})?(?:[Bb][Yy]|[Aa][Ss])\s{1,8}(?:[Pp][Aa][Ss][Ss][Ww][Oo][Rr][Dd]\s{1,8})?(?<q>['"])(?<s>[^'"\n]{1,400})\k<q>/dg,
  },
  {
    words: ["IDENTIFIED", "identified"],
    form: /(?:\bIDENTIFIED|\b[Uu][Ss][Ee][Rr]\s{1,8}\S{1,128}\s{1,8}identified)\s{1,8}[Bb][Yy]\s{1,8}(?!(?:PASSWORD|VALUES|RANDOM)\b)(?<s>[A-Za-z][\w$#!@%^*+-]{2,127})(?=\s{0,8}(?:[;"'`\\)]|$|\n|[A-Z]{4,}\b))/dg,
  },
  {
    words: ["PASSWORD "],
    form: /\b(?:CREATE|ALTER)\s{1,8}(?:USER|ROLE|LOGIN)\s[^;'"\n]{1,200}?\sPASSWORD\s{1,8}(?!(?:EXPIRE|HISTORY|REUSE|REQUIRE|NULL|FOR|DISABLE|DEFAULT)\b)(?<s>[A-Za-z][\w$#!@%^*+-]{2,127})(?=\s{0,8}(?:[;"'`\\)]|$|\n))/dgi,
  },
  {
    words: ["PASSWORD(", "PASSWORD ("],
    form: /\bPASSWORD ?\(\s{0,4}(?<q>['"])(?<s>[^'"\s]{1,400})\k<q>\s{0,4}\)/dg,
  },
  // A secret of PowerShell.
  {
    words: ["-SecureString", "-securestring", "-Securestring"],
    form: /\bConvertTo-SecureString(?:\s{1,8}-(?:String|s|AsPlainText|Force))*\s{1,8}(?<q>\\{0,7}["']?)(?<s>(?=[^\s"']{0,200}[^\sA-Za-z"'.,])[^\s"'|;()\\-][^\s"';]{0,200}|(?<=["'])[^"'\n]{1,200})(?<!\\)(?=\k<q>)/dgi,
  },
  {
    words: ["-SecureString", "-securestring", "-Securestring"],
    form: /(?<q>["'])(?<s>[^"'\n]{1,200})\k<q>\s{0,8}\|\s{0,8}ConvertTo-SecureString\b/dgi,
  },
  // An option of libcurl: `curl_easy_setopt(curl, CURLOPT_USERPWD, "user:password")`.
  {
    words: ["CURLOPT_", "USERPWD"],
    form: /\b(?:CURLOPT_\w{0,24}|(?:pycurl|c|curl)\.(?:PROXY)?)(?:USERPWD|PASSWORD|KEYPASSWD|BEARER)\s{0,4},\s{0,8}(?<q>["'])(?<s>(?:(?!\k<q>)[^\n]){1,400})\k<q>/dg,
  },
  // The private members of a JSON Web Key.
  {
    words: ["kty"],
    form: /(?<![\w$-])\\{0,7}["']?(?:d|k|p|q|dp|dq|qi)\\{0,7}["']?\s{0,8}[:=]\s{0,8}(?:\\{0,7}["'])?(?<s>[A-Za-z0-9+/_-]{10,2000}={0,2})(?=\\{0,7}["']|[\s,]|$)/dg,
  },
  // A session of Salesforce: the id of the organization, and the secret.
  {
    words: ["!A", "%21A"],
    form: /(?<![A-Za-z0-9])(?<s>00D[A-Za-z0-9]{9,15}(?:\\?!|%21)A[A-Za-z0-9._%-]{20,400})/dg,
  },
  // Hashes of Windows: `user:500:LM:NT:::`, `LM:NT` with an empty LM hash, the response to a challenge, and with a
  // name.
  {
    words: [":::"],
    form: /:(?<s>[0-9a-fA-F]{32}:[0-9a-fA-F]{32}):::/dg,
  },
  {
    words: ["aad3b435b51404ee", "AAD3B435B51404EE"],
    form: /(?<s>aad3b435b51404ee[0-9a-f]{16}:[0-9a-f]{32})(?![\w])/dgi,
  },
  {
    words: [":01010000"],
    form: /::[\w.-]{0,64}:(?<s>[0-9a-fA-F]{16}:[0-9a-fA-F]{32}:[0-9a-fA-F]{16,2000})(?![\w])/dg,
  },
  {
    words: ["NTLM", "NTHash"],
    form: /\bNT(?:LM(?:v[12])?)?(?:[ _-]?hash)?\\{0,7}["']?\s{0,8}[:=]\s{0,8}\\{0,7}["']?(?<s>[0-9a-f]{32})(?![\w])/dgi,
  },
  {
    words: ["aws configure set"],
    form: /\baws configure set\s{1,8}(?<name>[\w.-]{1,128})\s{1,8}(?<q>['"]?)(?<s>[^\s'"]+)/dg,
    named: true,
  },
  // `.pgpass`: host, port, database, user, password.
  {
    words: [":*:", ":5432:", ":5433:", ":6432:"],
    form: /^(?:[\w.-]{1,253}|\*):(?:\*|5432|5433|6432):(?:[\w-]{1,63}|\*):(?:[\w.-]{1,63}|\*):(?<s>[^\s:](?:[^\s:]|\\:){2,200})$/dgm,
  },
  // Hashes of crypt, as in `/etc/shadow`.
  {
    words: "$1$ $5$ $6$ $7$ $y$ $gy$ $md5$ $2 $argon2 $pbkdf2 $scrypt$".split(" "),
    form: /(?<![\w$])(?<s>\$(?:1|5|6|7|y|gy|md5|2[abxy]|argon2(?:id|i|d)|pbkdf2-sha(?:256|512)|scrypt)\$[\w./$=,+-]{22,400})/dg,
  },
  // The configuration of Docker, and of npm.
  {
    words: ['"auth"', '\\"auth'],
    form: /"auth\\{0,4}"\s{0,8}:\s{0,8}\\{0,4}"(?<s>[A-Za-z0-9+/]{6,1000}={0,2})\\{0,4}"/dg,
    pair: true,
  },
  {
    words: ["_auth"],
    form: /(?<![\w])_auth\s{0,4}[=:]\s{0,4}["']?(?<s>[A-Za-z0-9+/]{6,1000}={0,2})/dg,
    pair: true,
  },
  // The configuration of NuGet, and of .NET.
  {
    words: ["<add "],
    form: /<add\s{1,8}(?:key|name)="(?<name>[^"\n]{1,128})"\s{1,8}value="(?<s>[^"\n]{1,1000})"/dg,
    named: true,
  },
];

/** Maximum distance of a password from its program, in characters. */
const MAX_WORDS = 300;
/** Each of these programs takes the password after an option. Options are rarer than names of programs. */
const OPTION = /\s-[A-Za-z-]/g;

/** Finds secrets in statements of known languages and files, and in the arguments of commands: `mysql -pSECRET`. */
export class StatementFinder {
  /** One search for all: it is faster than one for each. */
  readonly #words: RegExp;
  readonly #programs: RegExp;
  readonly #longest: number;

  constructor() {
    const programs = [...COMMANDS.keys()];
    this.#programs = new RegExp(programs.map((program) => `\\b${program}(?=\\s)`).join("|"), "g");
    this.#longest = Math.max(...programs.map(({ length }) => length));
    const words = [...new Set(STATEMENTS.flatMap((statement) => statement.words))];
    const escaped = words.map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
    this.#words = new RegExp(escaped.join("|"), "g");
  }

  find(text: string, spans: Spans): void {
    const found = new Set<string>();
    for (const [word] of text.matchAll(this.#words)) found.add(word);
    for (const statement of found.size > 0 ? STATEMENTS : []) {
      if (statement.words.some((word) => found.has(word))) findStatement(text, statement, spans);
    }
    this.#findArguments(text, spans);
  }

  /** Programs are searched before options only, and at each place once. */
  #findArguments(text: string, spans: Spans): void {
    const option = new RegExp(OPTION);
    let done = 0;
    for (let hit = option.exec(text); hit; hit = option.exec(text)) {
      const from = Math.max(done, hit.index - MAX_WORDS - this.#longest);
      // With the characters on both sides, which decide whether a word is the whole name.
      const begin = Math.max(0, from - 1);
      const before = text.slice(begin, hit.index + 1);
      for (const { 0: program, index } of before.matchAll(this.#programs)) {
        const end = begin + index + program.length;
        const secret = COMMANDS.get(program);
        if (secret && begin + index >= from) findArguments(text, end, secret, spans);
      }
      done = hit.index;
    }
  }
}

function findArguments(text: string, from: number, secret: RegExp, spans: Spans): void {
  const words = /^[^\n|;]*/.exec(text.slice(from, from + MAX_WORDS))?.[0] ?? "";
  const [at, end] = secret.exec(words)?.indices?.groups?.["s"] ?? [0, 0];
  if (end === at) return;
  // The last word may go on where the search ended.
  const rest = end < MAX_WORDS ? "" : (/^[^\s'"|;]*/.exec(text.slice(from + end))?.[0] ?? "");
  if (!isReference(words.slice(at, end) + rest)) spans.add(from + at, from + end + rest.length);
}

function findStatement(text: string, { form, named, pair }: Statement, spans: Spans): void {
  form.lastIndex = 0;
  for (let hit = form.exec(text); hit; hit = form.exec(text)) {
    const [from, to] = hit.indices?.groups?.["s"] ?? [0, 0];
    const secret = text.slice(from, to);
    if (secret === "" || isReference(secret)) continue;
    if (named === true && !isTellingName(hit.groups?.["name"] ?? "")) continue;
    if (pair === true && !isPairInBase64(secret)) continue;
    spans.add(from, to);
  }
}

/** Whether a text is a user name and a password in Base64, as for HTTP's Basic authentication. */
export function isPairInBase64(text: string): boolean {
  if (text.length > 2_000 || !/^[A-Za-z0-9+/]{6,}={0,2}$/.test(text)) return false;
  const bare = text.replace(/=+$/, "");
  // Base64 without padding has no remainder of one character.
  const whole = bare.length % 4 === 1 ? bare.slice(0, -1) : bare;
  return /^[\x20-\x39\x3b-\x7e]{1,256}:[\x20-\x7e]+$/.test(atob(whole));
}
