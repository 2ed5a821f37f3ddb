/**
 * The result of a tool that shows its progress: each value stands for the whole result, and the last one is it. Hooks
 * with
 * `stream` see each value, other hooks the last one, and then nobody sees those before. The chunks of any other stream
 * are parts of one result.
 */
export class Snapshots implements AsyncIterable<unknown> {
  readonly #values: AsyncIterable<unknown>;

  constructor(values: AsyncIterable<unknown>) {
    this.#values = values;
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return this.#values[Symbol.asyncIterator]();
  }
}
