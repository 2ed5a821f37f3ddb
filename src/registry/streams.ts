import { Readable } from "node:stream";
import { isProxy } from "node:util/types";
import { OrcsError } from "../core/errors.ts";
import { bytesOf, isBytes, isUnreadable, shown } from "../core/visible-value.ts";

/** Most that is kept of a stream before its post hooks have passed it. */
export interface StreamLimits {
  /** Of its text, as UTF-16 units or bytes. */
  readonly bytes: number;
  readonly chunks: number;
}

/** A result that is not there yet, or not all of it. */
export interface Streamed {
  /** Its chunks, in order. To end early ends what gives them. */
  readonly chunks: AsyncIterable<unknown> | Iterable<unknown>;
  /** Whether the caller takes the chunks without waiting: then all have to be there before. */
  readonly atOnce: boolean;
  /** What the caller gets in its place: of the same kind, with other chunks. */
  of(chunks: readonly unknown[] | AsyncGenerator): unknown;
  /** Itself, where it can be gone through once more. */
  again?(): unknown;
}

/** What hooks see where not all chunks are text: runs of text, joined, and the others as they are. */
export type Content = string | readonly unknown[];

/**
 * A result that is a stream: a web `ReadableStream`, a Node `Readable`, an async iterable, a generator, or another
 * iterable. Lists, Maps, Sets and such are none: what they hold is there.
 */
export function streamOf(result: unknown): Streamed | undefined {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return undefined;
  if (isProxy(result)) return undefined;
  if (Symbol.asyncIterator in result) return asyncStream(result as AsyncIterable<unknown>);
  if (!(Symbol.iterator in result) || !isUnreadable(shown(result))) return undefined;
  return iterableStream(result as Iterable<unknown>);
}

function asyncStream(chunks: AsyncIterable<unknown>): Streamed {
  const of = (given: readonly unknown[] | AsyncGenerator): unknown => {
    if (chunks instanceof ReadableStream) return ReadableStream.from(given);
    if (chunks instanceof Readable) {
      return Readable.from(given, { objectMode: chunks.readableObjectMode });
    }
    return Array.isArray(given) ? each(given) : given;
  };
  return { chunks, atOnce: false, of };
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
    // One that gives the same iterator each time has been used up.
    again: () => (iterable[Symbol.iterator]() === first ? undefined : iterable),
  };
}

/**
 * All that a stream gives.
 * @throws OrcsError ORCS2008 beyond the limits: the stream is ended; what the stream throws
 */
export async function collect(stream: Streamed, limits: StreamLimits): Promise<unknown[]> {
  const chunks: unknown[] = [];
  let left = limits.bytes;
  const add = (chunk: unknown): void => {
    chunks.push(chunk);
    left -= sizeOf(chunk);
    if (left < 0 || chunks.length > limits.chunks) throw tooLarge(limits);
  };
  // What an iterator gives may be promises, which are the caller's to wait for.
  if (stream.atOnce) for (const chunk of stream.chunks as Iterable<unknown>) add(chunk);
  else for await (const chunk of stream.chunks) add(chunk);
  return chunks;
}

export function tooLarge({ bytes, chunks }: StreamLimits): OrcsError {
  return new OrcsError(
    "ORCS2008",
    `the stream is larger than ${bytes / 2 ** 20} MB or ${chunks} chunks, the limit for its post hooks; ` +
      "it is withheld. Raise engine.max_payload_mb, or set stream = true on the hooks",
    { bytes, chunks },
  );
}

/** Text counts as what it is; of others only their number is known. */
function sizeOf(chunk: unknown): number {
  if (typeof chunk === "string") return chunk.length;
  return isText(chunk) ? bytesOf(chunk as object).byteLength : 16;
}

/** Whether a chunk is text, or bytes of one. */
export function isText(chunk: unknown): chunk is string | object {
  return (
    typeof chunk === "string" || (typeof chunk === "object" && chunk !== null && isBytes(chunk))
  );
}

/** Reads chunks as text; a character may be cut by the border of two. */
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

/** What hooks see of chunks: their text, where all of them are. */
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

/** What hooks have made of the content, as chunks again: text is bytes where the chunks were. */
export function chunksOf(content: unknown, like: unknown): unknown[] {
  if (content === null || content === undefined || content === "") return [];
  const list: readonly unknown[] = Array.isArray(content) ? content : [content];
  const inBytes = typeof like === "object" && like !== null && isBytes(like);
  return list.map((item) => (inBytes && typeof item === "string" ? Buffer.from(item) : item));
}

/**
 * So many characters of the text are shown again with the next piece: a secret of up to this length is seen whole,
 * wherever chunks end.
 */
export const OVERLAP = 4096;
/** Of new text, a piece has this much at least. */
const FRESH = 1024;

/**
 * The chunks of a stream as hooks have passed them, piece by piece. Text goes on when nothing that follows can
 * change it any more: the last `OVERLAP` characters are held back, and all of a piece whose end the hooks have
 * changed. A chunk that is no text is a piece of its own.
 *
 * @param pass shows a piece to the hooks, and gives what they have made of it
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
      // Its end was changed, and what comes next may belong to it. Not at each chunk anew.
      enough = held.length * 2;
      if (held.length > limits.bytes) throw tooLarge(limits);
    }
  }
  held += texts.end();
  if (held !== "") yield* chunksOf(await pass(held), like);
}

/** Where the last characters begin, and no pair of surrogates is cut. */
function tailStart(text: string): number {
  const start = Math.max(0, text.length - OVERLAP);
  const unit = text.charCodeAt(start);
  return start > 0 && unit >= 0xdc00 && unit <= 0xdfff ? start - 1 : start;
}
