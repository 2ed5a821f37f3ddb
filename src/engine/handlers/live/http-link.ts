import { setMaxListeners } from "node:events";
import type { Agent } from "node:http";
import { isSuccess } from "../../../formats/index.ts";
import type { AddressGuard } from "../address-guard.ts";
import { exchangeFollowing, type Outgoing } from "../webhook-exchange.ts";
import type { Link, LinkEvents } from "./link.ts";

/** A URL that is a handler. */
export interface LiveUrl extends Pick<Outgoing, "url" | "headers" | "maxAnswerBytes"> {
  readonly guard: AddressGuard;
  /** Keeps its connections. */
  readonly agent: Agent;
}

/** Each message is a POST on a kept connection; the body of its response is the answer. */
export function openUrl(of: LiveUrl, events: LinkEvents): Link {
  const under = new Map<string, AbortController>();
  const all = new AbortController();
  setMaxListeners(0, all.signal);
  let isOver = false;
  let unread = 0;
  const post = async (body: string, id: string | undefined): Promise<void> => {
    const own = new AbortController();
    if (id !== undefined) under.set(id, own);
    unread += body.length;
    try {
      const signal = AbortSignal.any([all.signal, own.signal]);
      const { headers, url, maxAnswerBytes, agent, guard } = of;
      const outgoing = { url, method: "POST", headers, body, maxAnswerBytes, signal, agent };
      const incoming = await exchangeFollowing(outgoing, (to) => guard.lookupFor(to));
      if (id === undefined) return;
      if (typeof incoming.body !== "string") {
        events.failed(id, `its response ${incoming.body.unfit}`, false);
      } else if (isSuccess(incoming.status)) {
        events.message(incoming.body);
        // If it was the answer to another request, this one has none.
        events.failed(id, "its response does not answer the request", false);
      } else {
        events.failed(id, `its response has status ${incoming.status}`, false);
      }
    } catch (thrown) {
      if (isOver || own.signal.aborted) return;
      // A notification tells whether the next request should start anew.
      events.failed(id ?? "", `it cannot be reached: ${whyOf(thrown)}`, true);
    } finally {
      unread -= body.length;
      if (id !== undefined) under.delete(id);
    }
  };
  return {
    send: (line, id) => void post(line, id),
    abandon: (id) => under.get(id)?.abort(),
    get backlog() {
      return unread;
    },
    // A request keeps the process running while it waits.
    keepAlive: () => undefined,
    close() {
      if (isOver) return Promise.resolve();
      isOver = true;
      all.abort();
      of.agent.destroy();
      events.ended("the connection was closed");
      return Promise.resolve();
    },
  };
}

/** The system's code of a network error, or the reason why the address or a redirect was not followed. */
function whyOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "an unknown error";
  const { code } = thrown as NodeJS.ErrnoException;
  if (typeof code === "string") return code;
  return ["RefusedAddress", "RefusedRedirect"].includes(thrown.name) ? thrown.message : thrown.name;
}
