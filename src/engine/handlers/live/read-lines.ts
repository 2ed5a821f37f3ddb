import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { LineSplitter } from "../../../machine/index.ts";
import type { LinkEvents } from "./link.ts";

/**
 * Pass on the lines of a stream as messages.
 * @param maxBytes of a line; reading stops as soon as one is longer, whether or not it ends
 * @param overflow called then
 */
export function readLines(
  stream: Readable,
  maxBytes: number,
  events: Pick<LinkEvents, "message" | "stray">,
  overflow: (why: string) => void,
): void {
  const splitter = new LineSplitter(maxBytes, {
    line(bytes) {
      if (stream.destroyed) return;
      if (!isUtf8(bytes)) return events.stray("is not valid UTF-8");
      const text = bytes.toString("utf8");
      if (text.trim() !== "") events.message(text);
    },
    tooLong: () => undefined,
    overflows() {
      stream.destroy();
      overflow(`it sent a line of more than ${maxBytes} bytes`);
    },
  });
  // An incomplete last line is no message.
  stream.on("data", (chunk: Buffer) => {
    if (!stream.destroyed) splitter.push(chunk);
  });
  stream.on("error", () => undefined);
}
