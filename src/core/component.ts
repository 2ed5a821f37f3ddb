import type { ChildContext } from "./child.ts";
import type { Json } from "./json.ts";

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
  /** From sending to the answer, the wait in the mailbox included. */
  readonly timeout_ms: number;
}

/** What the runtime does with a channel after its component received a signal. */
export type ChannelAction =
  | "stop"
  | "cancel"
  | "pause"
  | "resume"
  | "approve"
  | "reject"
  | "continue";

/** Every signal, with what the runtime does about it unless a hook keeps it from the component. */
export const SIGNALS = {
  veto: "stop",
  cancel: "cancel",
  pause: "pause",
  resume: "resume",
  approve: "approve",
  reject: "reject",
} as const satisfies Record<string, ChannelAction>;

export type SignalKind = keyof typeof SIGNALS;

/** A message that is delivered before the requests in the mailbox. */
export interface Signal {
  readonly kind: SignalKind;
  /** The question that `approve` and `reject` answer. */
  readonly approval_id?: string | undefined;
  readonly reason?: string | undefined;
  /** Who sent it. */
  readonly source?: string | undefined;
}

/** `abort` ends the channel. */
export const SIGNAL_RESPONSES = ["handled", "ignored", "abort"] as const;
export type SignalResponse = (typeof SIGNAL_RESPONSES)[number];

type MaybePromise<T> = T | Promise<T>;

/**
 * A part of an agent that lives in a channel of its own. One request or event at a time; signals come in
 ** between, also while a request waits, though not before init has ended. Its result must be JSON; undefined counts as null. What it
 * throws, and an answer that takes too long, is an error for whoever asked and harms nobody else.
 */
export interface Component {
  /** `namespace::name`; the namespace says where it comes from: `builtin`, `plugin`, `lua`. */
  readonly id: string;
  /** Categories of events it wants; `*` is all of them. */
  readonly subscriptions?: readonly string[] | undefined;
  /** Called once, after `restore`. */
  init?(context: ChildContext): unknown;
  onRequest(request: Request, context: ChildContext): unknown;
  onSignal?(signal: Signal, context: ChildContext): MaybePromise<SignalResponse | undefined>;
  /** @param status what the channel was doing: `running`, `paused`, `failed` */
  shutdown?(context: ChildContext, status: string): unknown;
  /** The snapshot for its next start; taken after `shutdown`. */
  snapshot?(): unknown;
  /** Called before `init`, with what `snapshot` gave. */
  restore?(snapshot: Json): unknown;
  /** Whether its state is lost, for example because its script was killed: it is created and initialised again before its next request. */
  isLost?(): boolean;
  /** Create it again. */
  reload?(): MaybePromise<void>;
  /** Free what it holds; nothing is called afterwards. */
  dispose?(): MaybePromise<void>;
}
