import type { LiveProtocolName } from "../../core/index.ts";
import { ahpProtocol } from "../ahp/ahp-client.ts";
import { jsonrpcProtocol } from "./jsonrpc.ts";
import type { LiveProtocol } from "./live-protocol.ts";

/** The protocols of handlers that live on. */
export const LIVE_PROTOCOLS: Readonly<Record<LiveProtocolName, LiveProtocol>> = {
  jsonrpc: jsonrpcProtocol,
  ahp: ahpProtocol,
};
