import { Readable } from "node:stream";
import { isProxy } from "node:util/types";
import { bytesOf, isBytes, isUnreadable, OrcsError, shown, Snapshots } from "../../core/index.ts";

/** Limits for buffering a stream until its post hooks have run. */
export interface StreamLimits {
  /** Size of text in UTF-16 code units, or of binary data in bytes. */
  readonly bytes: number;
  readonly chunks: number;
}

/** A result that is not, or not completely, available yet. */
export interface Streamed {
  /** Its chunks, in order. Ending the iteration early ends the source. */
  readonly chunks: AsyncIterable<unknown> | Iterable<unknown>;
  /** Whether the caller iterates synchronously, so that all chunks must be available first. */
  readonly atOnce: boolean;
  /** Whether each chunk stands for the whole result, and the last one is it. */
  readonly isSnapshots?: boolean;
  /** A replacement of the same kind with other chunks. */
  of(chunks: readonly unknown[] | AsyncGenerator): unknown;
  /** The stream itself, if it can be iterated again. */
  again?(): unknown;
}

/** What hooks get if some chunks are not text: joined runs of text, and the other chunks unchanged. */
export type Content = string | readonly unknown[];

/**
 * A result that is a stream: a web `ReadableStream`, a Node `Readable`, an async iterable, a generator, or another
 * iterable. Lists, Maps, Sets and similar collections are not streams, since their content is available.
 */
export function streamOf(result: unknown): Streamed | undefined {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return undefined;
  if (isProxy(result)) return undefined;
  if (Symbol.asyncIterator in result) return asyncStream(result as AsyncIterable<unknown>);
  if (!(Symbol.iterator in result) || !isUnreadable(shown(result))) return undefined;
  return iterableStream(result as Iterable<unknown>);
}

function asyncStream(chunks: AsyncIterable<unknown>): Streamed {
  const isSnapshots = chunks instanceof Snapshots;
  const of = (given: readonly unknown[] | AsyncGenerator): unknown => {
    if (chunks instanceof ReadableStream) return ReadableStream.from(given);
    if (chunks instanceof Readable) {
      return Readable.from(given, { objectMode: chunks.readableObjectMode });
    }
    const iterable = Array.isArray(given) ? each(given) : (given as AsyncGenerator);
    return isSnapshots ? new Snapshots(iterable) : iterable;
  };
  return { chunks, atOnce: false, isSnapshots, of };
}

async function* each(chunks: readonly unknown[]): AsyncGenerator {
  yield* chunks;
}

function iterableStream(iterable: Iterable<unknown>): Streamed {
  const first = iterable[Symbol.iterator]();
  const chunks = { [Symbol.iterator]: () => first };
  return {
    chunks,
    atOnce: true,
    of: (given) => (given as readonly unknown[])[Symbol.iterator](),
    // An iterable that returns the same iterator each time is used up.
    again: () => (iterable[Symbol.iterator]() === first ? undefined : iterable),
  };
}

/**
 * All chunks of a stream.
 * @throws OrcsError ORCS2008 beyond the limits, after ending the stream; what the stream throws
 */
export async function collect(stream: Streamed, limits: StreamLimits): Promise<unknown[]> {
  const chunks: unknown[] = [];
  let left = limits.bytes;
  const add = (chunk: unknown): void => {
    chunks.push(chunk);
    left -= sizeOf(chunk);
    if (left < 0 || chunks.length > limits.chunks) throw tooLarge(limits);
  };
  // A synchronous iterator may return promises, which are left to the caller.
  if (stream.atOnce) for (const chunk of stream.chunks as Iterable<unknown>) add(chunk);
  else for await (const chunk of stream.chunks) add(chunk);
  return chunks;
}

/** The last value of a stream of snapshots, in a list; an empty one if there is none. */
export async function lastOf({ chunks }: Streamed): Promise<unknown[]> {
  let last: unknown[] = [];
  for await (const value of chunks) last = [value];
  return last;
}

export function tooLarge({ bytes, chunks }: StreamLimits): OrcsError {
  return new OrcsError(
    "ORCS2008",
    `the stream is larger than ${bytes / 2 ** 20} MB or ${chunks} chunks, the limit for its post hooks; ` +
      "it is withheld. Raise engine.max_payload_mb, or set stream = true on the hooks",
    { bytes, chunks },
  );
}

/** Text counts with its length; other chunks with a fixed amount, since their size is unknown. */
function sizeOf(chunk: unknown): number {
  if (typeof chunk === "string") return chunk.length;
  return isText(chunk) ? bytesOf(chunk as object).byteLength : 16;
}

/** Whether a chunk is text, as a string or as bytes. */
export function isText(chunk: unknown): chunk is string | object {
  return (
    typeof chunk === "string" || (typeof chunk === "object" && chunk !== null && isBytes(chunk))
  );
}

/** Decodes chunks to text, including characters split between two chunks. */
export class ChunkText {
  readonly #decoder = new TextDecoder();

  of(chunk: string | object): string {
    if (typeof chunk === "string") return this.#decoder.decode() + chunk;
    return this.#decoder.decode(new Uint8Array(bytesOf(chunk)), { stream: true });
  }

  end(): string {
    return this.#decoder.decode();
  }
}

/** What hooks get for chunks: a single text if all of them are text. */
export function contentOf(chunks: readonly unknown[]): Content {
  const content: unknown[] = [];
  const texts = new ChunkText();
  let text: string | undefined;
  const endText = (): void => {
    if (text !== undefined) content.push(text + texts.end());
    text = undefined;
  };
  for (const chunk of chunks) {
    if (isText(chunk)) text = (text ?? "") + texts.of(chunk);
    else {
      endText();
      content.push(chunk);
    }
  }
  endText();
  if (content.length === 0) return "";
  const [only] = content;
  return content.length === 1 && typeof only === "string" ? only : content;
}

/** Converts content back to chunks after the hooks: text becomes bytes if the chunks were bytes. */
export function chunksOf(content: unknown, like: unknown): unknown[] {
  if (content === null || content === undefined || content === "") return [];
  const list: readonly unknown[] = Array.isArray(content) ? content : [content];
  const inBytes = typeof like === "object" && like !== null && isBytes(like);
  return list.map((item) => (inBytes && typeof item === "string" ? Buffer.from(item) : item));
}

/**
 * Number of characters repeated at the start of the next piece, so that a secret up to this length is seen whole
 * wherever chunks end.
 */
export const OVERLAP = 4096;
/** Minimum amount of new text in a piece. */
const FRESH = 1024;

/**
 * The chunks of a stream after the hooks, piece by piece. Text is emitted once nothing that follows can change it: the
 * last `OVERLAP` characters are held back, and also a whole piece whose end the hooks have changed. A chunk that is not
 * text is a separate piece.
 *
 * @param pass passes a piece to the hooks and returns it after their changes
 * @throws OrcsError ORCS2008 when more has to be held back than the limits allow; what the stream and `pass` throw
 */
export async function* passPieces(
  stream: Streamed,
  limits: StreamLimits,
  pass: (piece: unknown) => Promise<unknown>,
): AsyncGenerator {
  const texts = new ChunkText();
  let held = "";
  let enough = OVERLAP + FRESH;
  let like: unknown;
  for await (const chunk of stream.chunks) {
    if (!isText(chunk)) {
      held += texts.end();
      if (held !== "") yield* chunksOf(await pass(held), like);
      held = "";
      yield* chunksOf(await pass(chunk), undefined);
      continue;
    }
    like = chunk;
    held += texts.of(chunk);
    if (held.length < enough) continue;
    const passed = await pass(held);
    const tail = held.slice(tailStart(held));
    if (typeof passed === "string" && passed.endsWith(tail)) {
      yield* chunksOf(passed.slice(0, passed.length - tail.length), like);
      held = tail;
      enough = OVERLAP + FRESH;
    } else {
      // The hooks changed the end of the piece, and the following text may belong to it. Doubled, so that the hooks do
      // not run for every chunk.
      enough = held.length * 2;
      if (held.length > limits.bytes) throw tooLarge(limits);
    }
  }
  held += texts.end();
  if (held !== "") yield* chunksOf(await pass(held), like);
}

/** The values of a stream of snapshots after the hooks, each on its own. */
export async function* passSnapshots(
  { chunks }: Streamed,
  pass: (value: unknown) => Promise<unknown>,
): AsyncGenerator {
  for await (const value of chunks) yield await pass(value);
}

/** Start index of the overlap, without splitting a surrogate pair. */
function tailStart(text: string): number {
  const start = Math.max(0, text.length - OVERLAP);
  const unit = text.charCodeAt(start);
  return start > 0 && unit >= 0xdc00 && unit <= 0xdfff ? start - 1 : start;
}
