import { createHmac, timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, OrcsError, readJsonObject, type JsonObject } from "../../core/index.ts";
import { fileText } from "../../machine/index.ts";
import { answerIn, type Answer, type PendingQuestion } from "./pending-questions.ts";

/** How often the answer is asked for, in milliseconds; a server may wait itself before it says that there is none. */
const POLL_MS = 1000;
const REQUEST_MS = 30_000;
/** Longest answer, in bytes. */
const MOST_ANSWER = 10_000;
/** A key that can be guessed protects nothing. */
const LEAST_KEY = 32;

/**
 * Post a question to the user's server, and ask it for the answer until there is one. Nothing listens here. Each
 * request has `X-Orcs-Signature`: HMAC-SHA256 of its time, method, URL and body. An answer is signed as well, for this
 * question: whoever only sees the address, or an earlier answer, approves nothing.
 * @param told gets what is wrong with an answer; it is asked for again
 * @returns undefined when `signal` ends it
 * @throws OrcsError ORCS7028 when the question cannot be sent
 */
export async function askServer(
  url: string,
  keyFile: string,
  question: PendingQuestion,
  signal: AbortSignal,
  told: (problem: Error) => void,
): Promise<Answer | undefined> {
  const key = keyIn(keyFile);
  const send = async (method: string, to: string, body: string): Promise<Response> => {
    const time = Math.floor(Date.now() / 1000);
    const mac = signature(key, [String(time), method, to, body]);
    const headers = {
      "x-orcs-signature": `t=${time},v1=${mac}`,
      ...(body !== "" && { "content-type": "application/json" }),
    };
    const within = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
    // Redirects are not followed: they could lead to another server.
    return fetch(to, { method, headers, redirect: "error", signal: within, ...(body && { body }) });
  };
  try {
    const sent = await send("POST", url, JSON.stringify(question));
    await sent.body?.cancel();
    if (!sent.ok) throw new Error(`it answered with status ${sent.status}`);
  } catch (thrown) {
    if (signal.aborted) return undefined;
    throw new OrcsError("ORCS7028", `the question cannot be sent: ${messageOf(thrown)}`);
  }
  const at = `${url.replace(/\/$/, "")}/${question.id}`;
  let last = "";
  while (!signal.aborted) {
    const problem = await received(send, at, key, question);
    if (typeof problem === "object") return problem;
    if (problem !== undefined && problem !== last && !signal.aborted) {
      last = problem;
      told(new OrcsError("ORCS7028", problem));
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** The answer, or what is wrong with it, or undefined while there is none. */
async function received(
  send: (method: string, to: string, body: string) => Promise<Response>,
  at: string,
  key: string,
  question: PendingQuestion,
): Promise<Answer | string | undefined> {
  try {
    const response = await send("GET", at, "");
    const text = response.status === 200 ? await boundedText(response) : "";
    if (response.status === 204 || response.status === 404) return undefined;
    if (response.status !== 200) return `an answer with status ${response.status} is none`;
    const read = readJsonObject(text);
    if (!read.ok) return "an answer that is not a JSON object is none";
    return verified(read.value, key, question) ?? "an answer without the right signature is none";
  } catch (thrown) {
    return `no answer can be had: ${messageOf(thrown)}`;
  }
}

/** The body, or its beginning when it is longer than an answer can be. */
async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Whoever leaves the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MOST_ANSWER) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function verified(
  read: JsonObject,
  key: string,
  { id, nonce, digest }: PendingQuestion,
): Answer | undefined {
  const { answer, scope = "call", by = "", signature: given } = read;
  if (typeof by !== "string" || typeof given !== "string") return undefined;
  const right = Buffer.from(signature(key, [id, nonce, digest, answer, scope, by]));
  const is = Buffer.from(given);
  const isRight = is.length === right.length && timingSafeEqual(is, right);
  return isRight ? answerIn(read, "webhook") : undefined;
}

/** HMAC-SHA256 in hexadecimal digits of the parts as a JSON list, so that none can run into the next. */
export function signature(key: string, parts: readonly unknown[]): string {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("hex");
}

/** @throws OrcsError ORCS7028 */
function keyIn(file: string): string {
  let key: string;
  try {
    key = fileText(file).trim();
  } catch (thrown) {
    throw new OrcsError("ORCS7028", `hil.answer_key_file cannot be read: ${messageOf(thrown)}`);
  }
  if (key.length >= LEAST_KEY) return key;
  const why = `the key in hil.answer_key_file has ${key.length} characters; ${LEAST_KEY} are the least: openssl rand -hex 32`;
  throw new OrcsError("ORCS7028", why);
}
