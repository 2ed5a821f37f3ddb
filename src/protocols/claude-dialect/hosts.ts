import type { HostProtocol } from "../host-protocol.ts";
import { dialectHost } from "./host.ts";
import { QWEN } from "./qwen.ts";

/** Qwen Code, which runs our command for each of its events. */
export const qwenHost: HostProtocol = dialectHost(QWEN);
