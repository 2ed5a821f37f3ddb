import type { ShellReader, ShellReading } from "../core/shell.ts";
import { MAX_HERE_DOCUMENTS, MAX_LINE } from "./limits.ts";
import { machineScope, readLine } from "./line-reading.ts";

/** Lines of which what they run is kept, and how long such a line may be. */
const KEPT_LINES = 32;
const KEPT_LENGTH = 4_096;

/** What a reader takes for known of the machine. */
export interface ReaderOptions {
  /** What `~` and `$HOME` stand for; not known when left out. */
  readonly home?: string | undefined;
}

/**
 * Make what lists the commands of a line. Several hooks look at one call: the last lines are remembered, so what
 * it answers is shared and must not be written to.
 */
export function createShellReader(options: ReaderOptions = {}): ShellReader {
  const machine = machineScope(options);
  const kept = new Map<string, ShellReading>();
  return {
    read(line, cwd) {
      if (line.length > KEPT_LENGTH || line.includes("\0")) return readLine(line, cwd, machine);
      const key = cwd === undefined ? line : `${cwd}\0${line}`;
      const known = kept.get(key);
      if (known) return known;
      const reading = readLine(line, cwd, machine);
      if (kept.size >= KEPT_LINES) {
        const [oldest] = kept.keys();
        if (oldest !== undefined) kept.delete(oldest);
      }
      kept.set(key, reading);
      return reading;
    },
  };
}

/** What of a line is looked at, and why it is not all of it. */
export function readablePart(line: string): { readonly text: string; readonly unread?: string } {
  // What shells make of NUL differs: some end there, some leave it out.
  const nul = line.indexOf("\0");
  let text = nul < 0 ? line : line.slice(0, nul);
  let unread = nul < 0 ? undefined : "a NUL byte";
  if (text.length > MAX_LINE) {
    unread = `longer than ${MAX_LINE} characters`;
    text = beginning(text, MAX_LINE);
  }
  if (text.includes("\r\n")) text = withoutReturns(text);
  const end = endOfHereDocuments(text);
  if (end !== undefined) {
    unread ??= `more than ${MAX_HERE_DOCUMENTS} here-documents`;
    text = beginning(text, end);
  }
  return { text, ...(unread !== undefined && { unread }) };
}

/** At most so many characters of a text, so that no word is cut in two. */
export function beginning(text: string, length: number): string {
  let end = length;
  while (end > 0 && !/[\s;|&()]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A line whose lines end as those of Windows do, which stay within quotes. */
function withoutReturns(line: string): string {
  return line.replaceAll(/'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^\r]|\r\n/g, (found) =>
    found === "\r\n" ? "\n" : found,
  );
}

/** Where the first here-document begins that is too many; undefined when none is. */
function endOfHereDocuments(text: string): number | undefined {
  let count = 0;
  for (let at = text.indexOf("<<"); at >= 0; at = text.indexOf("<<", at + 2)) {
    if (++count > MAX_HERE_DOCUMENTS) return at;
  }
  return undefined;
}
