import type { ChildContext } from "./child.ts";
import type { Json } from "./json.ts";

/** Something that happened, for all who subscribe to its category. */
export interface Event {
  /** What subscriptions name, such as `UserInput`. */
  readonly category: string;
  readonly operation: string;
  /** Who says so: `namespace::name[/child]`, or whatever the host calls itself. */
  readonly source: string;
  readonly payload: Json;
}

/** One component asks another. An event reaches a component as a request that nobody waits for. */
export interface Request extends Event {
  readonly id: string;
  /** `namespace::name[#instance]`. */
  readonly target: string;
  /** From sending to the answer, the wait in the mailbox included. */
  readonly timeout_ms: number;
}

/** What the runtime does with a channel when its component was told a signal. */
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

/** Word from outside that overtakes what waits in a mailbox. */
export interface Signal {
  readonly kind: SignalKind;
  /** Which question `approve` and `reject` answer. */
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
 * between, also while a request waits, though not before init has ended. What it answers must be JSON; undefined counts as null. What it
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
  /** What to begin with next time; taken after `shutdown`. */
  snapshot?(): unknown;
  /** Called before `init`, with what `snapshot` gave. */
  restore?(snapshot: Json): unknown;
  /** Whether it lost all it knew, a killed script say: it is made and initialised anew before its next work. */
  isLost?(): boolean;
  /** Make it anew. */
  reload?(): MaybePromise<void>;
  /** Free what it holds; nothing is called afterwards. */
  dispose?(): MaybePromise<void>;
}
