import { NO_FIELDS, withFields } from "../host-fields.ts";
import type { HostProtocol } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { decodeDialectEvent } from "./decode.ts";
import type { ClaudeDialect } from "./dialect.ts";
import { encodeDialectAnswer, refuseDialectEvent } from "./encode.ts";
import { QWEN } from "./qwen.ts";

/** The protocol of an agent that speaks Claude Code's protocol. */
function dialectHost(dialect: ClaudeDialect): HostProtocol {
  const noticeAt = (event: string) => dialect.noticeAt(event);
  return {
    name: dialect.name,
    events: dialect.events,
    decode: (event) => decodeDialectEvent(dialect, event),
    fields: NO_FIELDS,
    encode: withFields(
      noticing(
        (decoded, outcome, options) => encodeDialectAnswer(dialect, decoded, outcome, options),
        noticeAt,
      ),
      NO_FIELDS,
      dialect.name,
    ),
    noticeAt,
    refuse: (event, reason) => refuseDialectEvent(dialect, event, reason),
  };
}

/** Qwen Code, which runs our command for each of its events. */
export const qwenHost: HostProtocol = dialectHost(QWEN);
