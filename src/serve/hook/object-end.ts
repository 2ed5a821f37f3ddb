const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = [123, 91];
const CLOSING = [125, 93];

/** Sees where a JSON object or list ends that comes in pieces, without reading it. */
export class ObjectEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Whether it ends in the next piece. */
  isIn(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (OPENING.includes(byte)) this.#depth++;
      else if (CLOSING.includes(byte) && --this.#depth <= 0) return true;
    }
    return false;
  }
}
