import type { Signal } from "../core/component.ts";
import type { Json } from "../core/json.ts";
import type { Actor } from "./actor.ts";

/** What a channel is given from outside. */
export interface ChannelOptions {
  readonly instance: string | undefined;
  /** Its id. */
  readonly channel: string;
  readonly authority: Actor["authority"];
  readonly mailbox: number;
  readonly requestMs: number;
  /** For the component's init. */
  readonly initMs: number;
  /** What the component begins with. */
  readonly saved: Json | undefined;
  /** Told of `approve` and `reject`. */
  approval(signal: Signal): void;
}
