import { randomFillSync } from "node:crypto";
import { type DispatchIds, type DispatchLinks, textIn, type Writable } from "../../core/index.ts";

const ID_BYTES = 8;
/** Ids for one reading of random numbers, which costs as much as hundreds of ids. */
const IDS_AT_ONCE = 256;

/** Makes the ids of dispatches. */
export class IdSource {
  #bytes: Buffer | undefined;
  #at = 0;

  /** A new id: 16 hexadecimal digits, as long as the span id of a trace. */
  next(): string {
    this.#bytes ??= Buffer.alloc(ID_BYTES * IDS_AT_ONCE);
    if (this.#at === 0) randomFillSync(this.#bytes);
    const id = this.#bytes.toString("hex", this.#at, this.#at + ID_BYTES);
    this.#at = (this.#at + ID_BYTES) % this.#bytes.length;
    return id;
  }

  /** The ids of a dispatch with this payload. */
  of(payload: Readonly<Record<string, unknown>>, links: DispatchLinks | undefined): DispatchIds {
    const ids: Writable<DispatchIds> = { dispatch_id: links?.dispatch_id ?? this.next() };
    if (links?.parent_id !== undefined) ids.parent_id = links.parent_id;
    if (links?.call_id !== undefined) ids.call_id = links.call_id;
    const session_id = textIn(payload, "session_id") ?? links?.session_id;
    if (session_id !== undefined) ids.session_id = session_id;
    const tool_use_id = textIn(payload, "tool_use_id") ?? links?.tool_use_id;
    if (tool_use_id !== undefined) ids.tool_use_id = tool_use_id;
    return ids;
  }
}
