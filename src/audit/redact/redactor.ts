import type { Json } from "../../core/json.ts";
import type { Redactor } from "../../core/ports.ts";
import { AssignmentFinder } from "./assignments.ts";
import { isReference } from "./false-positives.ts";
import { KeyNames } from "./key-names.ts";
import { findPem, findUrlPasswords } from "./pem-and-urls.ts";
import { findJwts, Spans, TokenFinder } from "./tokens.ts";
import { valueRedactor } from "./value.ts";

/** What is masked besides what is known anyway. */
interface RedactorOptions {
  /** Names of keys, whatever their case, whose values are masked. */
  readonly keys: readonly string[];
  /** Each masks what it knows in a text; in linear time. */
  readonly masks: readonly ((text: string) => string)[];
}

/** Masks secrets by the names of keys and by what they look like. */
export function createRedactor({ keys, masks }: RedactorOptions): Redactor {
  const names = new KeyNames(keys);
  const text = textRedactor(names, masks);
  const redacted = valueRedactor(names, text);
  return {
    text,
    value: <T extends Json | undefined>(value: T): T =>
      value === undefined ? value : (redacted(value) as T),
  };
}

/** What one masking leaves may read otherwise than before; more often than this nobody has seen it. */
const MAX_ROUNDS = 8;

/** Masks secrets in texts by what they look like, and by the names they stand under. */
function textRedactor(
  names: KeyNames,
  masks: readonly ((text: string) => string)[],
): (text: string) => string {
  // Made when there is a text: most processes that answer a host have none to mask.
  let finders: ReturnType<typeof makeFinders> | undefined;
  const once = (text: string): string => {
    finders ??= makeFinders(names);
    const { assignments, commands, tokens } = finders;
    const spans = new Spans();
    findPem(text, spans);
    findJwts(text, spans);
    tokens.find(text, spans);
    findUrlPasswords(text, spans);
    commands.find(text, spans);
    assignments.find(text, spans);
    return spans.maskedIn(text);
  };
  return (text) => {
    let left = masks.reduce((masked, mask) => mask(masked), text);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = once(left);
      if (next === left) break;
      left = next;
    }
    return left;
  };
}

function makeFinders(names: KeyNames) {
  return {
    assignments: new AssignmentFinder(names),
    commands: new CommandFinder(),
    tokens: new TokenFinder(),
  };
}

/** Programs that take a password in a way of their own, and where in the words behind them it stands. */
const COMMANDS: readonly { readonly program: string; readonly secret: RegExp }[] = [
  {
    program: "mysql(?:dump|admin|import)?|mariadb(?:-dump)?",
    secret: /\s-p(?<q>['"]?)(?<s>[^\s'"]+)/d,
  },
  { program: "sshpass", secret: /\s-p\s*(?<q>['"]?)(?<s>[^\s'"]+)/d },
  {
    program: "(?:docker|podman|helm|oras|crane)[ \\w]{0,24} login",
    secret: /\s-p[\s=]*(?<q>['"]?)(?<s>[^\s'"]+)/d,
  },
  {
    program: "curl|wget|https?|xh",
    secret: /\s(?:-u|--user|--proxy-user|-U|-a|--auth)[\s=]*(?<q>['"]?)[^\s:'"]*:(?<s>[^\s'"]+)/d,
  },
  { program: "redis-cli", secret: /\s(?:-a|--pass)[\s=]*(?<q>['"]?)(?<s>[^\s'"]+)/d },
];

/** How far behind its program a password is looked for, in characters. */
const MAX_WORDS = 300;

/** Finds passwords among the words of commands, such as `mysql -pSECRET` and `curl -u user:password`. */
class CommandFinder {
  readonly #programs: RegExp;

  constructor() {
    const programs = COMMANDS.map(({ program }) => `(${program})`).join("|");
    this.#programs = new RegExp(`\\b(?:${programs})(?=\\s)`, "g");
  }

  find(text: string, spans: Spans): void {
    const programs = this.#programs;
    programs.lastIndex = 0;
    for (let hit = programs.exec(text); hit; hit = programs.exec(text)) {
      const command = COMMANDS[hit.slice(1).findIndex((group) => group !== undefined)];
      const from = hit.index + hit[0].length;
      const words = /^[^\n|;]*/.exec(text.slice(from, from + MAX_WORDS))?.[0] ?? "";
      const found = command?.secret.exec(words);
      const [begin, end] = found?.indices?.groups?.["s"] ?? [0, 0];
      if (end > begin && !isReference(words.slice(begin, end))) {
        spans.add(from + begin, from + end);
      }
    }
  }
}
