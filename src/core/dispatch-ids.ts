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

/** How a dispatch belongs to others; set by the engine, and only while somebody listens. */
export type DispatchLinks = {
  /** `session_id` and `tool_use_id` are those of the call it belongs to, for payloads without them. */
  readonly [K in keyof DispatchIds]?: string | undefined;
};

/** Where a call comes from: the trace of its caller, and the dispatch whose hook makes it. */
export interface Lineage {
  /** As in `TraceContext`. An invalid one is ignored. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly links?: DispatchLinks | undefined;
}

/** The lineage of calls that are made on behalf of a dispatch. */
export function lineageOf({
  ids,
  traceparent,
  tracestate,
}: Omit<Lineage, "links"> & { readonly ids?: DispatchIds | undefined }): Lineage | undefined {
  if (!ids && traceparent === undefined) return undefined;
  const links = ids && { parent_id: ids.dispatch_id, session_id: ids.session_id };
  return { traceparent, tracestate, ...(links && { links }) };
}
