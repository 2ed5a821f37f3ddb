import type { Readable } from "node:stream";
import { LineSplitter } from "./line-splitter.ts";
import type { Lines } from "./line-splitter.ts";
import type { Sink } from "./sink.ts";

/**
 * Read a stream line by line, and no faster than what its lines go to can take.
 * @param maxBytes of a line
 * @returns resolves at its end
 */
export function pump(source: Readable, sink: Sink, maxBytes: number, lines: Lines): Promise<void> {
  const splitter = new LineSplitter(maxBytes, lines);
  return new Promise((resolve) => {
    source.on("data", (chunk: Buffer) => {
      splitter.push(chunk);
      if (!sink.isFull) return;
      source.pause();
      void sink.drained().then(() => source.resume());
    });
    const end = (): void => {
      splitter.end();
      resolve();
    };
    source.on("end", end);
    // A pipe that breaks ends what is read; `close` comes in any case.
    source.on("error", () => undefined);
    source.on("close", end);
  });
}
