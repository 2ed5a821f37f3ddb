import { isReference } from "./innocent.ts";
import type { Spans } from "./spans.ts";

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
export class CommandFinder {
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
