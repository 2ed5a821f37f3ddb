import type { Environment } from "./environment.ts";
import type { Writable } from "./writable.ts";

/** Joins the events of one dispatch, and dispatches with each other. */
export interface DispatchIds {
  /** 16 hexadecimal digits. */
  readonly dispatch_id: string;
  /** The dispatch whose hook made the call that this one belongs to; of a permission check, the call it is for. */
  readonly parent_id?: string;
  /** Shared by the dispatches of one operation: the `dispatch_id` of its first one. */
  readonly call_id?: string;
  readonly session_id?: string;
  /** The agent's id of the tool call. */
  readonly tool_use_id?: string;
}

/** Give an object the ids of a dispatch. */
export function addIds(to: Partial<Writable<DispatchIds>>, ids: DispatchIds): void {
  to.dispatch_id = ids.dispatch_id;
  if (ids.parent_id !== undefined) to.parent_id = ids.parent_id;
  if (ids.call_id !== undefined) to.call_id = ids.call_id;
  if (ids.session_id !== undefined) to.session_id = ids.session_id;
  if (ids.tool_use_id !== undefined) to.tool_use_id = ids.tool_use_id;
}

/** How a dispatch belongs to others; set by the engine, and only while somebody listens. */
export type DispatchLinks = {
  /** `session_id` and `tool_use_id` are those of the call it belongs to, for payloads without them. */
  readonly [K in keyof DispatchIds]?: string | undefined;
};

/** Where a call comes from: the trace and the environment of its caller, and the dispatch whose hook makes it. */
export interface Lineage {
  /** As in `TraceContext`. An invalid one is ignored. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly links?: DispatchLinks | undefined;
  /** Default: the engine's own. */
  readonly environment?: Environment | undefined;
}

/** The lineage of calls that are made on behalf of a dispatch. */
export function lineageOf({
  ids,
  traceparent,
  tracestate,
  environment,
}: Omit<Lineage, "links"> & { readonly ids?: DispatchIds | undefined }): Lineage | undefined {
  if (!ids && traceparent === undefined && environment === undefined) return undefined;
  const links = ids && { parent_id: ids.dispatch_id, session_id: ids.session_id };
  return { traceparent, tracestate, environment, ...(links && { links }) };
}
