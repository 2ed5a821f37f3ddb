import { writeSync } from "node:fs";

/**
 * Write all of a text to stdout or stderr before going on. The streams of `process` take a tenth of the time
 * that a hook's process has, and what they hold is lost when it exits.
 */
export function print(file: 1 | 2, text: string): void {
  let bytes = Buffer.from(text, "utf8");
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(file, bytes));
    } catch (thrown) {
      const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
      // The host went away: there is nobody to tell.
      if (code !== "EAGAIN") return;
      // It reads slowly. There is nothing else to do meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
