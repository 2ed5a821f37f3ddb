import { DEFAULT_COMPONENT, OrcsError, suggestion } from "../../core/index.ts";
import type { Event, Json, Request, Signal, SignalResponse } from "../../core/index.ts";
import { APPROVAL, questionChanged } from "./approvals.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { expectNoDeadlock, optionsFor } from "./caller-identity.ts";
import { expectSameTool } from "./component-tools.ts";
import { checkedEvent, checkedPayload, checkedSignal, checkedTimeout } from "./check-input.ts";
import { Delivery } from "./delivery.ts";
import { LogThrottle } from "./log-throttle.ts";
import type { RuntimeHost } from "./runtime-host.ts";
import { withPoints } from "./with-points.ts";

/** A channel as the bus sees it. */
export interface BusMember {
  /** `namespace::name[#instance]`. */
  readonly key: string;
  readonly subscriptions: readonly string[];
  readonly actor: CallerIdentity;
  /** Time limit of a request without one of its own, in milliseconds. */
  readonly requestMs: number;
  /** Accept a delivery, unless the mailbox is full. */
  accept(delivery: Delivery): boolean;
  signal(signal: Signal, call: CallState): Promise<SignalResponse>;
}

/** A request as sent. The bus adds its id; the target's channel adds a time limit if it has none. */
type SentRequest = Omit<Request, "id" | "timeout_ms"> & {
  readonly timeout_ms?: number | undefined;
};

/** All components, in place of a name. */
const ALL = "*";

/** The registered components, and the ways to reach them: events by subscription, requests and signals by name. */
export class EventBus {
  readonly #host: RuntimeHost;
  readonly #members = new Map<string, BusMember>();
  readonly #subscriptions = new Subscriptions();
  /** Events dropped by full mailboxes. */
  readonly #lost = new LogThrottle();
  #requests = 0;
  readonly #waits = new WaitGraph();

  constructor(host: RuntimeHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#members.size;
  }

  /**
   * Register a component.
   * @throws OrcsError ORCS6002 when its name is taken
   */
  async register(member: BusMember, call: CallState): Promise<void> {
    const { key, subscriptions, actor } = member;
    if (this.#members.has(key)) {
      throw new OrcsError("ORCS6002", `${key} is already registered`, { component: key });
    }
    this.#members.set(key, member);
    this.#subscriptions.add(member);
    const payload = { component_id: actor.component, subscriptions: [...subscriptions] };
    await this.#host.registry.dispatch("bus.on_register", payload, optionsFor(actor, call));
  }

  /** Unregister a component. Returns whether it was registered. */
  async unregister(member: BusMember, call: CallState): Promise<boolean> {
    if (this.#members.get(member.key) !== member) return false;
    this.#members.delete(member.key);
    this.#lost.forget(member.key);
    this.#subscriptions.remove(member);
    const { actor } = member;
    const payload = { component_id: actor.component };
    await this.#host.registry.dispatch("bus.on_unregister", payload, optionsFor(actor, call));
    return true;
  }

  /**
   * Whether a component subscribes to a category by name. A subscription to all events does not count.
   * @param except a component that does not count
   */
  isWanted(category: string, except?: string): boolean {
    return this.#subscriptions.naming(category).some(({ actor }) => actor.component !== except);
  }

  /**
   * Send an event to all subscribers of its category, except its sender.
   * @param sender undefined for the host
   * @returns the number of receivers, without those whose mailbox is full
   * @throws OrcsError ORCS2001 when a hook denied it, ORCS6010 for an invalid event
   */
  async broadcast(sent: Event, call: CallState, sender?: CallerIdentity): Promise<number> {
    const event = checkedEvent(sent);
    const payload = { event, target_count: this.#targets(event, sender).length };
    const { result } = await withPoints(
      this.#host,
      "bus.broadcast",
      payload,
      (after, metadata) => {
        // Usually hooks leave the event unchanged.
        const left = after["event"] === event ? event : rewritten(event, after["event"]);
        // The caller does not wait for the subscribers.
        return this.#deliver(left, { ...call, metadata, via: [] }, sender);
      },
      sender ? optionsFor(sender, call) : { ...call, component: DEFAULT_COMPONENT },
    );
    return Number.isSafeInteger(result) ? (result as number) : 0;
  }

  /**
   * Send a request to a component and wait for its response.
   * @param call `via` names the channels that wait for it
   * @param cancel gives up waiting
   * @throws OrcsError ORCS2001, ORCS6001, ORCS6003–6006, ORCS6010, ORCS6011, ORCS6014
   */
  request(sent: SentRequest, call: CallState, cancel?: AbortSignal): Promise<Json> {
    return new Promise((resolve, reject) => {
      const member = this.#member(sent.target);
      expectNoDeadlock(member.key, call);
      const waiter = call.via.at(-1);
      if (waiter !== undefined) this.#waits.expectNoRing(waiter, member.key);
      const { category, operation, source, payload } = sent;
      const request: Request = {
        id: `req-${++this.#requests}`,
        category,
        operation,
        source,
        target: member.key,
        payload: checkedPayload(payload, `the request ${operation}`),
        timeout_ms: checkedTimeout(sent.timeout_ms ?? member.requestMs),
      };
      const giveUp = (): void => delivery.fail(cancelled(request));
      let ends: (() => void) | undefined;
      const over = (): void => {
        cancel?.removeEventListener("abort", giveUp);
        ends?.();
      };
      const delivery = new Delivery(request, call, this.#host.clock, {
        resolve: (answer) => (over(), resolve(answer)),
        reject: (error) => (over(), reject(error)),
      });
      if (cancel?.aborted) throw cancelled(request);
      if (!member.accept(delivery)) {
        const { key: target } = member;
        throw new OrcsError("ORCS6004", `the mailbox of ${target} is full`, { target });
      }
      // A channel that is ending has settled it already, and the listener would never be removed.
      if (delivery.isSettled) return;
      cancel?.addEventListener("abort", giveUp);
      if (waiter !== undefined) ends = this.#waits.add(waiter, member.key);
    });
  }

  /**
   * Send a signal to a component, or with `*` to all; each gets it, even if others fail.
   * @returns the component's response; with several, the first that is not `ignored`
   * @throws OrcsError ORCS2001, ORCS6001, ORCS6003–6006, ORCS6010, ORCS6011
   */
  async signal(target: string, sent: Signal, call: CallState): Promise<SignalResponse> {
    const signal = checkedSignal(sent);
    if (target !== ALL) return this.#member(target).signal(signal, call);
    const deliveries = [...this.#members.values()].map((member) => member.signal(signal, call));
    const responses: SignalResponse[] = [];
    for (const each of await Promise.allSettled(deliveries)) {
      if (each.status === "fulfilled") responses.push(each.value);
      else if (!hasEnded(each.reason)) throw each.reason;
    }
    return responses.find((response) => response !== "ignored") ?? "ignored";
  }

  #targets(event: Event, sender: CallerIdentity | undefined): readonly BusMember[] {
    const wanting = this.#subscriptions.of(event.category);
    if (!sender || !wanting.some(({ actor }) => actor.channel === sender.channel)) return wanting;
    return wanting.filter(({ actor }) => actor.channel !== sender.channel);
  }

  #deliver(event: Event, call: CallState, sender: CallerIdentity | undefined): number {
    let delivered = 0;
    const targets = this.#targets(event, sender);
    for (const member of targets) {
      const id = `evt-${++this.#requests}`;
      const { category, operation, source } = event;
      // Each gets a copy, which it can change.
      const payload = targets.length > 1 ? checkedPayload(event.payload, operation) : event.payload;
      const { key: target, requestMs: timeout_ms } = member;
      // The same object shape as a request, so the serving code stays monomorphic.
      const request = { id, category, operation, source, target, payload, timeout_ms };
      const delivery = new Delivery(request, call, this.#host.clock);
      if (!member.accept(delivery)) {
        const lost = this.#lost.another(member.key);
        if (lost !== undefined) {
          const events = lost === 1 ? "an event is" : `${lost} events are`;
          this.#host.logger.warn(`the mailbox of ${member.key} is full: ${events} lost`);
        }
      } else if (!delivery.isSettled) {
        // A channel that is about to end takes nothing any more.
        delivered++;
      }
    }
    return delivered;
  }

  /** @throws OrcsError ORCS6001 */
  #member(target: string): BusMember {
    const exact = this.#members.get(target);
    if (exact) return exact;
    // Without an instance, the name must be unambiguous.
    const alike = target.includes("#")
      ? []
      : [...this.#members.values()].filter(({ actor }) => actor.component === target);
    if (alike.length === 1 && alike[0]) return alike[0];
    const hint =
      alike.length > 1
        ? `: it has the instances ${alike.map(({ key }) => key).join(", ")}`
        : suggestion(target, this.#members.keys());
    const why = `there is no component ${JSON.stringify(target)}${hint}`;
    throw new OrcsError("ORCS6001", why, { target });
  }
}

/**
 * Which components wait for the response of which. Each serves one request at a time, so components that wait for each
 * other would do so until their requests time out.
 */
class WaitGraph {
  readonly #asked = new Map<string, string[]>();

  /** @returns ends the wait */
  add(waiter: string, target: string): () => void {
    const asked = this.#asked.get(waiter) ?? [];
    this.#asked.set(waiter, asked);
    asked.push(target);
    return () => {
      asked.splice(asked.indexOf(target), 1);
      if (asked.length === 0) this.#asked.delete(waiter);
    };
  }

  /** @throws OrcsError ORCS6011 when what is asked already waits for the one that asks, or for one that does */
  expectNoRing(waiter: string, target: string): void {
    const cameFrom = new Map<string, string | undefined>([[target, undefined]]);
    for (const at of cameFrom.keys()) {
      if (at === waiter) {
        const ring: string[] = [];
        for (let step: string | undefined = at; step !== undefined; step = cameFrom.get(step)) {
          ring.unshift(step);
        }
        const why = `deadlock: busy components would wait for each other: ${[waiter, ...ring].join(" → ")}`;
        throw new OrcsError("ORCS6011", why, { target });
      }
      for (const next of this.#asked.get(at) ?? []) {
        if (!cameFrom.has(next)) cameFrom.set(next, at);
      }
    }
  }
}

/** Whether the error says that a channel ended before it got the signal. */
function hasEnded(thrown: unknown): boolean {
  return thrown instanceof OrcsError && thrown.code === "ORCS6006";
}

function cancelled({ target, operation }: Request): OrcsError {
  const why = `${operation} of ${target} was cancelled by the caller`;
  return new OrcsError("ORCS6014", why, { target });
}

/** An event as the hooks left it. @throws OrcsError ORCS6010 */
function rewritten(event: Event, after: unknown): Event {
  const left = checkedEvent(after);
  if (event.category === APPROVAL || left.category === APPROVAL) throw questionChanged();
  expectSameTool(event, left);
  return left;
}

/** The subscription to every category. */
const EVERYTHING = "*";
const NOBODY: readonly BusMember[] = [];

/** Members by the categories they subscribe to. Lists are replaced, never modified, so an iteration is stable. */
export class Subscriptions {
  readonly #byCategory = new Map<string, readonly BusMember[]>();
  #toAll: readonly BusMember[] = [];

  add(member: BusMember): void {
    const { subscriptions } = member;
    if (subscriptions.includes(EVERYTHING)) {
      this.#toAll = [...this.#toAll, member];
      return;
    }
    for (const category of new Set(subscriptions)) {
      this.#byCategory.set(category, [...(this.#byCategory.get(category) ?? NOBODY), member]);
    }
  }

  remove(member: BusMember): void {
    this.#toAll = this.#toAll.filter((other) => other !== member);
    for (const category of new Set(member.subscriptions)) {
      const left = (this.#byCategory.get(category) ?? NOBODY).filter((other) => other !== member);
      if (left.length === 0) this.#byCategory.delete(category);
      else this.#byCategory.set(category, left);
    }
  }

  /** The members that subscribe to a category by name, even if they also subscribe to `*`. */
  naming(category: string): readonly BusMember[] {
    const besides = this.#toAll.filter(({ subscriptions }) => subscriptions.includes(category));
    return [...(this.#byCategory.get(category) ?? NOBODY), ...besides];
  }

  /** The members that receive events of a category. */
  of(category: string): readonly BusMember[] {
    const wanting = this.#byCategory.get(category) ?? NOBODY;
    if (this.#toAll.length === 0) return wanting;
    return wanting.length === 0 ? this.#toAll : [...wanting, ...this.#toAll];
  }
}
