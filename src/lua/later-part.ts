import type { Container, Unreadable } from "../core/shown.ts";

/** What is read of a part of a context: it is never nothing. */
export type ReadPart = Container | string | Unreadable;

/**
 * Stands for a part of a context that has not crossed to the worker thread: it is asked for when somebody looks into
 * it. Once there it stays what its place holds, so that parts are told apart by it.
 */
export class LaterPart {
  readonly #ask: () => void;
  #part: ReadPart | undefined;

  /** @param ask has it arrive, or throws */
  constructor(ask: () => void) {
    this.#ask = ask;
  }

  arrive(part: ReadPart): void {
    this.#part = part;
  }

  /** What has arrived, if it has. */
  get arrived(): ReadPart | undefined {
    return this.#part;
  }

  /** @throws Error when it cannot cross */
  shown(): ReadPart {
    if (this.#part === undefined) this.#ask();
    if (this.#part === undefined) throw new Error("the context of this call is gone");
    return this.#part;
  }
}

/** Whether an object that is no Proxy is one. Not with instanceof, which would ask a Proxy among the prototypes. */
export function isLaterPart(value: object): value is LaterPart {
  return Object.getPrototypeOf(value) === LaterPart.prototype;
}
