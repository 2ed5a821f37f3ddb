import type { Writable } from "node:stream";

/** Where lines are written, whole ones only. What can be written no more is dropped. */
export class Sink {
  readonly #stream: Writable;
  #closed = false;
  /** Settles when nothing can be written any more. */
  readonly closed: Promise<void>;

  constructor(stream: Writable) {
    this.#stream = stream;
    this.closed = new Promise((resolve) => {
      const close = (): void => {
        this.#closed = true;
        resolve();
      };
      stream.on("error", close);
      stream.on("close", close);
    });
  }

  write(line: Buffer): void {
    if (!this.#closed && !this.#stream.writableEnded) this.#stream.write(line);
  }

  /** Whether the reader does not keep up. */
  get isFull(): boolean {
    return !this.#closed && this.#stream.writableNeedDrain;
  }

  /** Resolves when there is room again, or never will be. */
  async drained(): Promise<void> {
    if (!this.isFull) return;
    const drain = new Promise<void>((resolve) => this.#stream.once("drain", () => resolve()));
    await Promise.race([drain, this.closed]);
  }

  /**
   * Resolves when everything is with the reader, or cannot be.
   * @param withinMs milliseconds that it has
   */
  async flushed(withinMs: number): Promise<void> {
    if (this.#closed) return;
    const written = new Promise<void>((resolve) => this.#stream.write("", () => resolve()));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
    await Promise.race([written, this.closed, late]);
    clearTimeout(timer);
  }

  end(): void {
    if (!this.#stream.writableEnded) this.#stream.end();
  }
}
