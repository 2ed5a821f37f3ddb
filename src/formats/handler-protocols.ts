import type { ProtocolName } from "../core/index.ts";
import { AGENT_PROTOCOLS } from "./agent-handlers.ts";
import { cocodeProtocol } from "./cocode.ts";
import { massgenProtocol } from "./massgen.ts";
import { orcsProtocol } from "./orcs.ts";
import type { HandlerProtocol } from "./handler-protocol.ts";

/** The handler protocol of each hook system. */
export const HANDLER_PROTOCOLS: Readonly<Record<ProtocolName, HandlerProtocol>> = {
  orcs: orcsProtocol,
  ...AGENT_PROTOCOLS,
  cocode: cocodeProtocol,
  massgen: massgenProtocol,
};
