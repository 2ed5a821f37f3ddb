import { OrcsError, SIGNALS } from "../../core/index.ts";
import type { ChannelAction, Signal, SignalResponse } from "../../core/index.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { keyOf, optionsFor, servedBy } from "./caller-identity.ts";
import { checkedResponse, checkedSignal } from "./check-input.ts";
import type { RuntimeHost } from "./runtime-host.ts";
import { withPoints } from "./with-points.ts";

/** What signals need from their channel. */
export interface SignalLaneHost {
  readonly host: RuntimeHost;
  readonly actor: CallerIdentity;
  /** Maximum number of waiting signals. */
  readonly most: number;
  /** Aborts when the channel ends: no signal is passed on after that. */
  readonly ending: AbortSignal;
  /** Pass a signal to the component. */
  tell(signal: Signal, call: CallState): Promise<SignalResponse>;
  /** Apply the signal to the channel. */
  act(action: ChannelAction, signal: Signal): void;
}

/** Signals for a component, one after the other, ahead of all events and requests. */
export class SignalLane {
  readonly #lane: SignalLaneHost;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(lane: SignalLaneHost) {
    this.#lane = lane;
  }

  /**
   * Pass a signal to the component after earlier ones, and apply it to the channel.
   * @returns the component's response
   * @throws OrcsError ORCS2001, ORCS6003–6006, ORCS6010, ORCS6011
   */
  async take(signal: Signal, call: CallState): Promise<SignalResponse> {
    const target = keyOf(this.#lane.actor);
    // A component that sends itself a signal while it handles one would wait for itself.
    const served = servedBy(`signals of ${target}`, call);
    if (this.#waiting >= this.#lane.most) {
      throw new OrcsError("ORCS6004", `too many signals are waiting for ${target}`, { target });
    }
    this.#waiting++;
    const delivery = this.#last.then(() => this.#dispatch(signal, served));
    this.#last = delivery.then(
      () => this.#waiting--,
      () => this.#waiting--,
    );
    return delivery;
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
          // The channel obeys even if the component ignores the signal or fails.
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
 * A signal as the hooks left it. Hooks cannot change its sender, nor turn it into an approval: a hook may belong to the
 * component that wants it.
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
