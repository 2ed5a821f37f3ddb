import { isPlainObject, jsonOr } from "../../core/index.ts";
import type { OperationName } from "../wire/operations.ts";

/** An answer, or an error that the service sent. */
export type Received =
  | { readonly ok: true; readonly answer: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** One way to a service. */
export interface Connection {
  /**
   * Send a request and await its answer.
   * @param withinMs time limit
   * @throws ConnectionLost, NoAnswer
   */
  request(op: OperationName, fields: object, withinMs: number): Promise<Received>;
  /** What hooks do, until the connection ends. @throws ConnectionLost */
  follow(fields: object): AsyncGenerator<Received>;
  close(): void;
}

/** The connection ended before an answer came, and no hook has run. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** No answer came, or not in time. Hooks may have run, so the request must not be sent again. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/**
 * The error when a connection ended before the answer.
 * @param isSent whether the service may have had the whole request: it does nothing before
 */
export function lostAnswer(op: OperationName, why: string, isSent: boolean): Error {
  if (!isSent || !RUNS_HOOKS.includes(op)) return new ConnectionLost(why);
  return new NoAnswer(`${why}; hooks may have run, so the request is not sent again`);
}

const RUNS_HOOKS: readonly OperationName[] = ["dispatch", "invoke", "result", "explain"];

/** Read a line or body. @throws ConnectionLost when it is not a JSON object */
export function received(text: string): Received & { readonly id?: unknown } {
  const read = jsonOr(text);
  if (!isPlainObject(read)) throw new ConnectionLost("the service sent something that is not JSON");
  const { id, error, ...answer } = read;
  if (error === undefined) return { ok: true, id, answer };
  const { code, message } = isPlainObject(error) ? error : {};
  return { ok: false, id, code: String(code), message: String(message) };
}
