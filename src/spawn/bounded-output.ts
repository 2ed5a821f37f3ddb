import type { Readable } from "node:stream";

/** What a stream has given, up to a limit. */
export class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  readonly #limit: number;
  #length = 0;

  /**
   * @param limit bytes that are kept
   * @param onOver called when more than that arrives
   */
  constructor(stream: Readable, limit: number, onOver: () => void) {
    this.#limit = limit;
    stream.on("data", (chunk: Buffer) => {
      if (this.#take(chunk)) onOver();
    });
    // A pipe that breaks while it is read ends it; what came before counts.
    stream.on("error", () => {});
  }

  /** Bytes that are kept. */
  get length(): number {
    return this.#length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks, this.#length);
  }

  #take(chunk: Buffer): boolean {
    const room = this.#limit - this.#length;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#chunks.push(kept);
    this.#length += kept.length;
    return chunk.length > room;
  }
}
