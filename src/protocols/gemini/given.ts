import type { JsonObject } from "../../core/json.ts";
import type { DecodedEvent } from "../host.ts";
import type { HostVerdict } from "../host-verdict.ts";

/** What an event is answered with, or why it is to be refused after all. */
export interface Said {
  readonly output?: JsonObject | undefined;
  readonly refusal?: string | undefined;
  readonly downgrades: readonly string[];
}

/** What an answer is made of, where nothing refuses. */
export interface Given {
  readonly event: string;
  readonly decoded: DecodedEvent;
  readonly verdict: HostVerdict;
  /** As the hooks have left it. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** As Gemini CLI sent it. */
  readonly sent: JsonObject;
}
