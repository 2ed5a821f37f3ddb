import { MASK } from "../../core/mask.ts";

/** Parts of a text that are secrets, in the order of their finding. */
export class Spans {
  readonly #found: { from: number; to: number }[] = [];

  add(from: number, to: number): void {
    if (to > from) this.#found.push({ from, to });
  }

  /** The text with these parts masked; those that touch are one. The same text where there is nothing to do. */
  maskedIn(text: string): string {
    if (this.#found.length === 0) return text;
    const sorted = this.#found.sort((a, b) => a.from - b.from);
    let masked = "";
    let done = 0;
    let from = 0;
    let to = -1;
    const flush = (): void => {
      if (to < 0) return;
      masked += text.slice(done, from) + MASK;
      done = to;
    };
    for (const span of sorted) {
      if (span.from > to) {
        flush();
        ({ from, to } = span);
      } else to = Math.max(to, span.to);
    }
    flush();
    return masked + text.slice(done);
  }
}
