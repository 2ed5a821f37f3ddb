import { lastUpTo } from "../../core/index.ts";

/** Escape sequences of terminals (ECMA-48), which are no part of the words that they stand in. */

/** How programs write the characters ESC, BEL and ST in source code and in JSON, and how `cat -v` shows ESC. */
const SPELLED = String.raw`(?:\\{1,8}(?:u001[bB]|u\{0{0,4}1[bB]\}|x1[bB]|0?33|e)(?=[[\]()#PX^_\\])|\^\[(?=\[[\d;]{0,40}m|\]))`;
const ESC = String.raw`(?:\x1b|${SPELLED})`;
const BEL = String.raw`\\{1,8}(?:u0007|x07|0?07|a)`;

/** In this order: CSI, a string such as OSC with its text, two or more characters, and a control character alone. */
const SEQUENCE = new RegExp(
  [
    String.raw`(?:${ESC}\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`(\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])([^\x07\x1b\x80-\x9f]*)(?:\x07|\x9c|\x1b\\)`,
    String.raw`(${SPELLED}[\]PX^_])([^\x07\x1b\x80-\x9f\\\n]*)(?:${SPELLED}\\{1,8}|${BEL}|\x07)`,
    String.raw`${ESC}([ -/]*[0-~])`,
    String.raw`[\x1b\x80-\x9f]`,
  ].join("|"),
  "g",
);

const CONTROL = new RegExp(String.raw`[\x1b\x80-\x9f]`);
const SPELLINGS = ["\\u", "\\x1", "\\033", "\\33", "\\e", "^[["] as const;

/** What moves the cursor on its line stands for spaces, and everything else for a character that is in no word. */
const MOVE = /[[\x9b][\d;]*[CGHIaf`]$/;
const BORDER = "\x01";

/** A text that was made from another one, and where its characters were there. */
export interface View {
  readonly text: string;
  /** The offset in the other text. */
  readonly at: (index: number) => number;
}

/** A text without escape sequences. */
export function withoutSequences(text: string): string {
  return text.replaceAll(SEQUENCE, "");
}

/**
 * The texts in which secrets are searched: one without the sequences, as a color may begin within a word; one in which
 * they separate words; and the addresses and titles in them. Linear time.
 */
export function viewsOf(text: string): readonly View[] {
  if (!mayHave(text)) return [{ text, at: (index) => index }];
  const sequence = new RegExp(SEQUENCE);
  let hit = sequence.exec(text);
  if (!hit) return [{ text, at: (index) => index }];
  const joined = new Pieces();
  const apart = new Pieces();
  const inner: View[] = [];
  let done = 0;
  for (; hit; hit = sequence.exec(text)) {
    const [all, begin, content, spelled, shown, rest] = hit;
    for (const pieces of [joined, apart]) pieces.add(text.slice(done, hit.index), done);
    apart.add(MOVE.test(all) ? " " : BORDER, hit.index);
    done = hit.index + all.length;
    // ESC and a letter are a sequence, or ESC stands before a word.
    if (rest !== undefined) apart.add(rest, done - rest.length);
    const from = hit.index + (begin ?? spelled ?? "").length;
    const title = content ?? shown ?? "";
    if (title !== "") inner.push({ text: title, at: (at) => from + at });
  }
  for (const pieces of [joined, apart]) pieces.add(text.slice(done), done);
  return [joined, apart, ...inner];
}

/** Most texts have none, which one look at each character tells. */
function mayHave(text: string): boolean {
  return CONTROL.test(text) || SPELLINGS.some((spelling) => text.includes(spelling));
}

/** A text that is put together from pieces of another one. */
class Pieces implements View {
  text = "";
  readonly #begins: number[] = [];
  readonly #froms: number[] = [];

  add(piece: string, from: number): void {
    if (piece === "") return;
    this.#begins.push(this.text.length);
    this.#froms.push(from);
    this.text += piece;
  }

  readonly at = (index: number): number => {
    const piece = lastUpTo(this.#begins, index);
    return (this.#froms[piece] ?? 0) + index - (this.#begins[piece] ?? 0);
  };
}
