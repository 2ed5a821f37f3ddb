import type { HostProtocol } from "../host.ts";
import { decodeCodex } from "./decode.ts";
import { encodeCodex } from "./encode.ts";
import { CODEX_EVENTS } from "./events.ts";
import { refuseCodex } from "./refusal.ts";

/**
 * Codex CLI. It rejects an answer with anything that it does not know or take at the event, and then goes on
 * as if there had been none: what is not exactly right is a hole. Source: protocols.md §2.
 */
export const codexHost: HostProtocol = {
  name: "codex",
  events: CODEX_EVENTS,
  decode: decodeCodex,
  encode: encodeCodex,
  refuse: refuseCodex,
};
