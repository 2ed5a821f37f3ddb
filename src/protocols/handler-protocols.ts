import type { ProtocolName } from "../core/handler.ts";
import { claudeCodeProtocol } from "./claude-code.ts";
import { cocodeProtocol } from "./cocode.ts";
import { massgenProtocol } from "./massgen.ts";
import { orcsProtocol } from "./orcs.ts";
import type { HandlerProtocol } from "./protocol.ts";

/** How the handlers of each hook system are spoken with. */
export const HANDLER_PROTOCOLS: Readonly<Record<ProtocolName, HandlerProtocol>> = {
  orcs: orcsProtocol,
  "claude-code": claudeCodeProtocol,
  cocode: cocodeProtocol,
  massgen: massgenProtocol,
};
