import { integersOf, type Logger } from "../../core/index.ts";
import type { Readable, Writable } from "node:stream";
import type { CreateOrcsOptions } from "../../engine/index.ts";
import { LineSplitter, LineWriter } from "../../machine/index.ts";
import { errorAnswer, lineOf, RPC_ERRORS } from "../mcp/json-rpc.ts";
import { stdioLease } from "../stdio-lease.ts";
import { AhpHarness } from "./ahp-harness.ts";

/** The streams of the agent, and the configuration of its hooks. */
export interface AhpOptions {
  readonly config: string | undefined;
  readonly record?: CreateOrcsOptions["record"];
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Logger;
  /** Resolves when the program must end. */
  readonly stopped: Promise<void>;
}

/** The longest message, in bytes. */
const MAX_LINE = 64 * 2 ** 20;
/** Events that are decided at the same time; more are not read. */
const MAX_PENDING = 1_000;
/** How long the agent has to read the rest, in milliseconds. */
const FLUSH_MS = 2_000;

/** Serve an agent as its harness over stdio, until it closes the connection. */
export async function runAhp(options: AhpOptions): Promise<void> {
  const { input, output, log, version, stopped } = options;
  const lease = stdioLease(options.config, options.record, log);
  const harness = new AhpHarness(lease, log, version);
  const writer = new LineWriter(output);
  const pending = new Set<Promise<void>>();
  const answer = async (text: string): Promise<void> => {
    const message = await harness.answer(text);
    if (message) writer.write(lineOf(message, integersOf(text)));
  };
  const splitter = new LineSplitter(MAX_LINE, {
    line(bytes) {
      const text = bytes.toString("utf8");
      if (text.trim() === "") return;
      const answering = answer(text).finally(() => {
        pending.delete(answering);
        if (pending.size < MAX_PENDING) input.resume();
      });
      pending.add(answering);
      if (pending.size >= MAX_PENDING) input.pause();
    },
    tooLong() {
      const why = `a message of more than ${MAX_LINE / 2 ** 20} MB was dropped`;
      log.error(why);
      writer.write(lineOf(errorAnswer(null, RPC_ERRORS.invalidRequest, why)));
    },
  });
  input.on("data", (chunk: Buffer) => splitter.push(chunk));
  const ended = new Promise<void>((resolve) => {
    input.on("end", () => {
      splitter.end();
      resolve();
    });
    input.on("error", () => resolve());
  });
  await Promise.race([ended, stopped, writer.closed]);
  input.pause();
  await Promise.all(pending);
  await writer.flushed(FLUSH_MS);
  await lease.close();
}
