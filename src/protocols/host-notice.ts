import type { JsonObject } from "../core/json.ts";
import { escapeControl } from "../core/text.ts";
import type {
  DecodedEvent,
  HostAnswer,
  HostOptions,
  HostProtocol,
  NoticeWay,
} from "./host-protocol.ts";

/**
 * An `encode` that puts `options.notice` where the user of the host reads it.
 * @param encode makes the answer, and knows of no notice
 */
export function noticing(
  encode: HostProtocol["encode"],
  noticeAt: HostProtocol["noticeAt"],
): HostProtocol["encode"] {
  return (decoded: DecodedEvent, outcome, options: HostOptions) => {
    const answer = encode(decoded, outcome, options);
    const { notice } = options;
    return notice === undefined ? answer : withNotice(answer, noticeAt(decoded.event), notice);
  };
}

/** An answer that tells the user of its host something besides. */
export function withNotice(answer: HostAnswer, way: NoticeWay, notice: string): HostAnswer {
  if (way === "none") return answer;
  const line = noticeLine(notice);
  const { output, message, code } = answer;
  const told = way === "stderr" ? answer : { ...answer, output: joined(output, way, line) };
  // Of an answer by exit code the host reads stderr alone.
  if (code !== 0) return { ...told, message: below(message, line) };
  // What only a refusal shows may be shown to nobody.
  return way === "systemMessage" ? told : { ...told, notice: line };
}

/** The keys that say the same to the user; all but the first are there for older versions. */
const KEYS = {
  systemMessage: ["systemMessage"],
  user_message: ["user_message", "userMessage"],
} as const;

function joined(output: JsonObject = {}, way: keyof typeof KEYS, line: string): JsonObject {
  const words = KEYS[way]
    .filter((key, i) => i === 0 || Object.hasOwn(output, key))
    .map((key) => [key, below(output[key], line)] as const);
  return { ...output, ...Object.fromEntries(words) };
}

function below(said: unknown, line: string): string {
  return typeof said === "string" && said !== "" ? `${said}\n${line}` : line;
}

/** Half of a character: a host may reject the whole answer for it, a refusal with it. */
const HALF = /\p{Surrogate}/gu;

/** A notice as people and models read it: one line that says whose it is. A path in it may hold anything. */
export function noticeLine(text: string): string {
  return `orcs: ${escapeControl(text).replace(HALF, "\ufffd")}`;
}
