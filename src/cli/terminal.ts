import pc from "picocolors";

/** An output: stdout, stderr, or a stand-in. */
interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/**
 * The colours of every command: red for denied and failed, yellow for changed and warned, green for good, dim for less
 * important.
 */
export type Palette = Pick<
  ReturnType<typeof pc.createColors>,
  "bold" | "dim" | "green" | "red" | "yellow"
>;

/** No colours. */
export const PLAIN: Palette = pc.createColors(false);

/** The colours for an output: none without a terminal, with `NO_COLOR`, or on a terminal that has none. */
export function paletteFor({ isTTY }: Pick<Output, "isTTY">): Palette {
  const { NO_COLOR: noColor = "", TERM: term } = process.env;
  return pc.createColors(isTTY === true && noColor === "" && term !== "dumb");
}

/** Moves to the beginning of the line and clears it. */
export const CLEAR_LINE = "\r\u001B[K";
/** Work that takes less than this shows no progress, in milliseconds. */
const QUIET_MS = 1000;
const FRAME_MS = 100;

/** How far a long piece of work is: one line on a terminal that is written over, shown after a second. */
export class Progress {
  readonly #output: Output;
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #text: string;
  #isShown = false;
  #drawn = 0;

  /** @param text what is being done, until `show` says more */
  constructor(output: Output, text: string) {
    this.#output = output;
    this.#text = text;
    // The work yields only now and then; its reports draw the line as well.
    if (output.isTTY === true) this.#timer = setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  show(text: string): void {
    this.#text = text;
    this.#draw();
  }

  /** Leave the line to other output; the next `show` draws it again. */
  clear(): void {
    if (this.#isShown) this.#output.write(CLEAR_LINE);
    this.#isShown = false;
  }

  close(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #draw(): void {
    const now = performance.now();
    const ms = now - this.#began;
    if (this.#output.isTTY !== true || ms < QUIET_MS || now - this.#drawn < FRAME_MS / 2) return;
    this.#drawn = now;
    this.#output.write(`${CLEAR_LINE}${this.#text} (${Math.floor(ms / 1000)} s)`);
    this.#isShown = true;
  }
}
