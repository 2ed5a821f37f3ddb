import type { ChildContext } from "./child.ts";
import type { Json } from "./json.ts";
import type { Awaitable } from "./ports.ts";

/** An event for all subscribers of its category. */
export interface Event {
  /** The category that subscriptions use, such as `UserInput`. */
  readonly category: string;
  readonly operation: string;
  /** The sender: `namespace::name[/child]`, or the embedding program's own name. */
  readonly source: string;
  readonly payload: Json;
}

/** A request from one component to another. An event is delivered as a request without a response. */
export interface Request extends Event {
  readonly id: string;
  /** `namespace::name[#instance]`. */
  readonly target: string;
  /** From sending to the response, including the time in the mailbox. */
  readonly timeout_ms: number;
}

/** All signals, with the runtime's reaction unless a hook intercepts the signal. */
export const SIGNALS = {
  veto: "stop",
  cancel: "cancel",
  pause: "pause",
  resume: "resume",
  approve: "approve",
  reject: "reject",
} as const;

export type SignalKind = keyof typeof SIGNALS;

/** What the runtime does with a channel after its component received a signal. */
export type ChannelAction = (typeof SIGNALS)[SignalKind] | "continue";

/** A message that is delivered before the requests in the mailbox. */
export interface Signal {
  readonly kind: SignalKind;
  /** The approval request that `approve` and `reject` decide. */
  readonly approval_id?: string | undefined;
  readonly reason?: string | undefined;
  /** The sender. */
  readonly source?: string | undefined;
}

/** `abort` ends the channel. */
export const SIGNAL_RESPONSES = ["handled", "ignored", "abort"] as const;
export type SignalResponse = (typeof SIGNAL_RESPONSES)[number];

/**
 * A part of an agent that runs in its own channel. It processes one request or event at a time. Signals are delivered
 * in between, also while a request waits, but not before init has ended. Its results must be JSON; undefined counts as
 * null. Exceptions and timeouts are errors for the caller and do not affect others.
 */
export interface Component {
  /** `namespace::name`; the namespace states the origin: `builtin`, `plugin`, `lua`. */
  readonly id: string;
  /** Event categories to receive; `*` for all. */
  readonly subscriptions?: readonly string[] | undefined;
  /**
   * Names of tools that it offers to everybody while it runs. A call passes the hooks of tools, and arrives in
   * `onRequest` with the category `Tool`, the tool's name as `operation`, and the arguments as `payload`.
   */
  readonly tools?: readonly string[] | undefined;
  /** Called once, after `restore`. */
  init?(context: ChildContext): unknown;
  onRequest(request: Request, context: ChildContext): unknown;
  onSignal?(signal: Signal, context: ChildContext): Awaitable<SignalResponse | undefined>;
  /** @param status last state of the channel: `running`, `paused`, `failed` */
  shutdown?(context: ChildContext, status: string): unknown;
  /** The snapshot for its next start; taken after `shutdown`. */
  snapshot?(): unknown;
  /** Called before `init`, with the result of `snapshot`. */
  restore?(snapshot: Json): unknown;
  /**
   * Whether its state is lost, for example because its script was killed. It is then recreated and initialised again
   * before its next request.
   */
  isLost?(): boolean;
  /** Recreate the component. */
  reload?(): Awaitable<void>;
  /** Free its resources; nothing is called afterwards. */
  dispose?(): Awaitable<void>;
}
