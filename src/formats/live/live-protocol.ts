import type { HookReport, Json, JsonObject, PointSpec, TraceContext } from "../../core/index.ts";
import type { HandlerCall } from "../handler-protocol.ts";

/** A JSON-RPC request without its id. */
export interface RpcCall {
  readonly method: string;
  readonly params: JsonObject;
  /** Nothing is returned: the handler is only told. */
  readonly isNotification?: boolean;
}

/** What a call is about, besides its context. */
export interface CallNotes {
  /** The id of the hook. */
  readonly hook: string;
  readonly timeoutMs: number;
  /** Whether the hook runs in shadow: its result does not count. */
  readonly isShadow: boolean;
  readonly trace: TraceContext | undefined;
}

/** What a handler says of itself in the handshake, or why it cannot be used. */
export type Welcome =
  | { readonly name: string; readonly version: string; readonly capabilities: readonly string[] }
  | { readonly unfit: string };

/**
 * How to communicate with a handler that lives on between calls. Pure: no files, processes or sockets. Whatever a
 * protocol does not define is a failure, and the hook's `on_error` decides.
 */
export interface LiveProtocol {
  /** Whether it has a request for a point. */
  knows(point: PointSpec): boolean;
  /** The handshake: the first request to a handler. @param version of orcs */
  hello(version: string): RpcCall;
  readWelcome(result: Json): Welcome;
  /**
   * The request for a call, or why there is none.
   * @param capabilities of the handler, as it stated them
   * @throws NotJson for a payload that is not JSON
   */
  ask(
    call: HandlerCall,
    notes: CallNotes,
    capabilities: readonly string[],
  ): RpcCall | { readonly unfit: string };
  /** The meaning of the result of such a request. */
  read(result: Json, call: HandlerCall): HookReport;
}
