import { isUtf8 } from "node:buffer";
import { fstatSync, readFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { codeOf, isJsonObject, type Json, parseJson, textAt } from "../../core/index.ts";

/** Maximum size of an event; no agent sends more. */
const MAX_BYTES = 64 * 2 ** 20;

/** The content of stdin, or why it cannot be used. */
type StdinResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

/**
 * Read one event from stdin. Some agents leave it open: a complete JSON object is enough.
 * @param withinMs time limit
 */
export function readStdin(withinMs: number): Promise<StdinResult> {
  // A pending read in another thread, as for files, would keep the process from ending.
  const stdin = openStdin();
  if (!stdin) return Promise.resolve(readStdinFile());
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = new JsonEndDetector();
    let bytes = 0;
    const settle = (read: StdinResult): void => {
      clearTimeout(timer);
      stdin.destroy();
      resolve(read);
    };
    const timer = setTimeout(() => {
      const why = `stdin did not end within ${Math.round(withinMs)} ms, after ${bytes} bytes`;
      settle({ ok: false, why });
    }, withinMs);
    stdin.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) settle(TOO_MUCH);
      else if (end.isIn(chunk)) settle(textOf(chunks));
    });
    // A broken pipe ends like a closed one: half an event is not JSON.
    for (const over of ["end", "error"]) stdin.on(over, () => settle(textOf(chunks)));
  });
}

const TOO_MUCH: StdinResult = { ok: false, why: `the event has more than ${MAX_BYTES} bytes` };

/** Undefined for a file, which never blocks. */
function openStdin(): Socket | undefined {
  const stat = fstatSync(0);
  if (stat.isFIFO() || stat.isSocket())
    return new Socket({ fd: 0, readable: true, writable: false });
  return stat.isFile() ? undefined : process.stdin;
}

function readStdinFile(): StdinResult {
  return fstatSync(0).size > MAX_BYTES ? TOO_MUCH : textOf([readFileSync(0)]);
}

function textOf(chunks: readonly Buffer[]): StdinResult {
  const bytes = Buffer.concat(chunks);
  // Otherwise a guard would see something else than the agent.
  if (!isUtf8(bytes)) return { ok: false, why: "the event is not UTF-8" };
  return { ok: true, text: withoutMark(bytes.toString("utf8")) };
}

/** A text without a byte order mark, which some parsers skip. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = [123, 91];
const CLOSING = [125, 93];

/** Detects the end of a JSON object or list that arrives in pieces, without parsing it. */
export class JsonEndDetector {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Whether it ends in the next piece. */
  isIn(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (OPENING.includes(byte)) this.#depth++;
      else if (CLOSING.includes(byte) && --this.#depth <= 0) return true;
    }
    return false;
  }
}

/**
 * Write a text completely to stdout or stderr before continuing. The streams of `process` take a tenth of a hook
 * process's time, and lose their buffer when it exits.
 * @returns why not all of it could be written
 */
export function printSync(file: 1 | 2, text: string): string | undefined {
  let bytes = Buffer.from(text, "utf8");
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(file, bytes));
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code !== "EAGAIN") return String(code ?? thrown);
      // The reader is slow, and there is nothing else to do.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return undefined;
}

// Loaded by the process of every hook: it must stay light.

/** The fields that the events of all agents have. */
export interface EventFields {
  /** The agent's name for the event. */
  readonly name: string | undefined;
  readonly session: string | undefined;
}

/** The fields in the text of an event; empty when it cannot be read. */
export function eventFields(event: string | undefined): EventFields {
  let read: Json | undefined;
  try {
    read = parseJson(event ?? "");
  } catch {
    // The code that answers it reports the error.
  }
  const fields = isJsonObject(read) ? read : {};
  return {
    name: textAt(fields, "hook_event_name"),
    session: textAt(fields, "session_id") ?? textAt(fields, "conversation_id"),
  };
}
