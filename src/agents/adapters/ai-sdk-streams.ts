import { Readable } from "node:stream";
import { Snapshots } from "../../core/index.ts";

/** Whether the SDK passes on what this function yields, while it runs. */
export function isAsyncGenerator(run: unknown): boolean {
  return Object.prototype.toString.call(run) === "[object AsyncGeneratorFunction]";
}

/**
 * What the `execute` function of a tool has returned, as the SDK takes it: what can be iterated shows the progress of
 * one result. The chunks of a stream are parts of one, and hooks must see them together.
 */
export function asSnapshots(result: unknown): unknown {
  if (!isAsyncIterable(result)) return result;
  const isStream = result instanceof ReadableStream || result instanceof Readable;
  return new Snapshots(isStream ? whole(result) : result);
}

/** What a generator tool yields, as the hooks left it. */
export async function* streamed(running: Promise<unknown>): AsyncGenerator {
  const result = await running;
  if (result instanceof Snapshots) yield* result;
  else yield result;
}

/** The result of a function; of one that turns out to be a generator, compiled to older JavaScript, the last value. */
export async function lastOf(result: unknown): Promise<unknown> {
  if (!(result instanceof Snapshots)) return result;
  let last: unknown;
  for await (const value of result) last = value;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** All that a stream contains, as one value: its text, or the list of its chunks if they are something else. */
async function* whole(stream: AsyncIterable<unknown>): AsyncGenerator {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const decoder = new TextDecoder();
  let text = "";
  for (const chunk of chunks) {
    if (typeof chunk === "string") text += chunk;
    else if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true });
    else {
      yield chunks;
      return;
    }
  }
  yield text + decoder.decode();
}
