import { isUtf8 } from "node:buffer";
import type { HookReport } from "../core/hook.ts";
import { messageOf } from "../core/errors.ts";
import type { HandlerCall, HandlerProtocol } from "../protocols/protocol.ts";
import { failed, modeAt } from "../protocols/report.ts";
import type { ProcessResult } from "../spawn/process-result.ts";

/** How a command's end is to be read, and the bound it ran in. */
export interface Reading {
  readonly protocol: HandlerProtocol;
  readonly parseResult: boolean;
  readonly maxOutputBytes: number;
}

/** A shell adds the number of the signal that ended what it ran: killed is killed, whoever was hit. */
const BY_SIGNAL = 128;

/** What the end of a command means: its protocol reads the ends of its own accord, the others are failures. */
export function readResult(
  result: ProcessResult,
  call: HandlerCall,
  { protocol, parseResult, maxOutputBytes }: Reading,
  timeoutMs: number,
): HookReport {
  switch (result.kind) {
    case "exited":
      return readExit(result, call, protocol, parseResult);
    case "signalled":
      return failed("killed", `its command was ended by ${result.signal}`);
    case "timeout": {
      const message = `its command was killed after ${timeoutMs} ms`;
      return failed("timeout", message, modeAt(call.point, protocol.onTimeout));
    }
    case "aborted":
      return failed("killed", "its command was killed: the engine is closing");
    case "output_limit":
      return failed(
        "error",
        `its command was killed: its ${result.stream} is over the limit of ${maxOutputBytes} bytes`,
      );
    case "not_started": {
      const message = `its command could not be started: ${result.error}`;
      return failed("error", message, modeAt(call.point, protocol.onUnreachable));
    }
  }
}

function readExit(
  { code, stdout, stderr }: Extract<ProcessResult, { kind: "exited" }>,
  call: HandlerCall,
  protocol: HandlerProtocol,
  parse: boolean,
): HookReport {
  if (code > BY_SIGNAL) {
    return failed("killed", `its command was ended by signal ${code - BY_SIGNAL}`);
  }
  const decoder = new TextDecoder();
  const ended = { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  // With another code than 0 it is the code that speaks: a refusal stands, whatever was printed.
  if (parse && code === 0 && !isUtf8(stdout)) {
    return failed("answer", "its answer is not UTF-8");
  }
  try {
    return protocol.readExit(ended, call, parse);
  } catch (thrown) {
    return failed("error", `its answer could not be read: ${messageOf(thrown)}`);
  }
}
