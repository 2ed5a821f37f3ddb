import { decodeEvent } from "../decode-event.ts";
import { NO_FIELDS, withFields } from "../host-fields.ts";
import type { HostProtocol } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { encodeDialectAnswer, refuseDialectEvent } from "./encode.ts";
import { QWEN, qwenNotice } from "./qwen.ts";

/** Qwen Code, which runs our command for each of its events. */
export const qwenHost: HostProtocol = {
  name: QWEN.name,
  events: QWEN.events,
  decode: (event) => decodeEvent(QWEN, event),
  fields: NO_FIELDS,
  encode: withFields(
    noticing(
      (decoded, outcome, options) => encodeDialectAnswer(QWEN, decoded, outcome, options),
      qwenNotice,
    ),
    NO_FIELDS,
    QWEN.name,
  ),
  noticeAt: qwenNotice,
  refuse: (event, reason) => refuseDialectEvent(QWEN, event, reason),
};
