import type { ChannelAction, Signal, SignalResponse } from "../core/component.ts";
import { SIGNALS } from "../core/component.ts";
import { OrcsError } from "../core/errors.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { keyOf, optionsFor, servedBy } from "./caller-identity.ts";
import { checkedResponse, checkedSignal } from "./check-input.ts";
import type { RuntimeHost } from "./runtime-host.ts";
import { withPoints } from "./with-points.ts";

/** What the signals of a channel need of it. */
export interface SignalLaneHost {
  readonly host: RuntimeHost;
  readonly actor: CallerIdentity;
  /** Signals that may wait. */
  readonly most: number;
  /** Aborts when the channel ends: nobody is told any more. */
  readonly ending: AbortSignal;
  /** Tell the component. */
  tell(signal: Signal, call: CallState): Promise<SignalResponse>;
  /** Do with the channel what the signal means. */
  act(action: ChannelAction, signal: Signal): void;
}

/** Signals on their way to a component, one after the other, past all events and requests. */
export class SignalLane {
  readonly #lane: SignalLaneHost;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(lane: SignalLaneHost) {
    this.#lane = lane;
  }

  /**
   * Tell the component when the signals before have been told, and act on the channel.
   * @returns what the component answered
   * @throws OrcsError ORCS2001, ORCS6003–6006, ORCS6010, ORCS6011
   */
  async take(signal: Signal, call: CallState): Promise<SignalResponse> {
    const target = keyOf(this.#lane.actor);
    // One that is sent while the one before is told, by whoever is told, would wait for its own end.
    const served = servedBy(`signals of ${target}`, call);
    if (this.#waiting >= this.#lane.most) {
      throw new OrcsError("ORCS6004", `too many signals are waiting for ${target}`, { target });
    }
    this.#waiting++;
    const told = this.#last.then(() => this.#dispatch(signal, served));
    this.#last = told.then(
      () => this.#waiting--,
      () => this.#waiting--,
    );
    return told;
  }

  async #dispatch(sent: Signal, call: CallState): Promise<SignalResponse> {
    const { host, actor, ending } = this.#lane;
    if (ending.aborted) throw ending.reason;
    let action: ChannelAction = "continue";
    const { result } = await withPoints(
      host,
      "signal.dispatch",
      { signal: sent, component_id: actor.component, channel_id: actor.channel },
      async (after, metadata) => {
        const signal = asSentBy(sent, checkedSignal(after["signal"]));
        const inner = { ...call, metadata };
        action = SIGNALS[signal.kind];
        try {
          const response = await this.#lane.tell(signal, inner);
          if (response === "abort") action = "stop";
          return response;
        } finally {
          // What the component makes of it, or that it fails, does not keep the channel from obeying.
          this.#lane.act(action, signal);
        }
      },
      optionsFor(actor, call),
      {
        giveUp: () => ending,
        after: (payload, response) => ({
          ...payload,
          signal_response: response,
          channel_action: action,
        }),
      },
    );
    return checkedResponse(result, keyOf(actor));
  }
}

/**
 * A signal as the hooks left it. Who sent it is not for them to say, nor that it approves what it did not: a
 * hook may be of the very component that wants the approval.
 * @throws OrcsError ORCS6010
 */
function asSentBy(sent: Signal, after: Signal): Signal {
  const { source: _, ...left } = after;
  if (
    left.kind === "approve" &&
    !(sent.kind === "approve" && sent.approval_id === left.approval_id)
  ) {
    throw new OrcsError("ORCS6010", `a hook turned the signal ${sent.kind} into an approval`, {});
  }
  return sent.source === undefined ? left : { ...left, source: sent.source };
}
