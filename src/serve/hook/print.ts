import { writeSync } from "node:fs";

/**
 * Write all of a text to stdout or stderr before going on. The streams of `process` take a tenth of the time
 * that a hook's process has, and what they hold is lost when it exits.
 * @returns why not all of it could be written
 */
export function print(file: 1 | 2, text: string): string | undefined {
  let bytes = Buffer.from(text, "utf8");
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(file, bytes));
    } catch (thrown) {
      const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
      if (code !== "EAGAIN") return String(code ?? thrown);
      // It reads slowly. There is nothing else to do meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return undefined;
}
