/** Type of an argument of a runtime function. */
export type VerbArgument = "string" | "json" | "object" | "list";

export interface RuntimeVerbSpec {
  /** In order; the first `required` arguments must be given. */
  readonly args: readonly VerbArgument[];
  readonly required: number;
  /** One line for the docs. */
  readonly doc: string;
}

/**
 * The runtime functions of `orcs`. Each returns `{ ok = true, … }` or `{ ok = false, error = "…" }`. The Lua
 * functions, the docs and the tests derive from this table.
 */
export const RUNTIME_VERBS = {
  request: {
    args: ["string", "string", "json", "object"],
    required: 2,
    doc: "`request(target, operation, payload?, { category, timeout_ms })`: sends a request to a component; `response`",
  },
  request_batch: {
    args: ["list"],
    required: 1,
    doc: "`request_batch{ { target, operation, payload?, category?, timeout_ms? }, … }`: sends several requests at once and waits for all; `results`, one as of `request` for each; `ok` is true if all are",
  },
  emit_event: {
    args: ["string", "string", "json"],
    required: 2,
    doc: "`emit_event(category, operation, payload?)`: sends an event to all subscribers; `delivered`",
  },
  spawn_child: {
    args: ["object"],
    required: 1,
    doc: "`spawn_child{ id, script or code, capabilities?, options?, timeout_ms?, elevated? }`: starts a child, elevated if its parent is; `child_id`, `capabilities`, or `skipped`",
  },
  send_to_child: {
    args: ["string", "json", "object"],
    required: 1,
    doc: "`send_to_child(child_id, input?, { wait = true })`: runs a child; `result` if it waits",
  },
  stop_child: {
    args: ["string"],
    required: 1,
    doc: "`stop_child(child_id)`: ends a child and its children; `stopped`",
  },
  check_command: {
    args: ["string"],
    required: 1,
    doc: "`check_command(command)`: checks whether a command may run; `status` (`allowed`, `denied`, `requires_approval`), `reason`, `grant_pattern`; `ok` is true if it is allowed",
  },
  grant_command: {
    args: ["string", "object"],
    required: 1,
    doc: '`grant_command(pattern, { kind = "persistent" })`: allows commands that start with these words; needs approval unless the session is elevated',
  },
  request_approval: {
    args: ["string", "string"],
    required: 2,
    doc: "`request_approval(operation, description)`: asks whoever approves calls, and waits for the answer; `reason` of a denial; `ok` is true if it is approved",
  },
  send_signal: {
    args: ["string", "string", "object"],
    required: 2,
    doc: "`send_signal(target, kind, { reason, approval_id })`: sends a signal; the kind is `veto`, `cancel`, `pause`, `resume`, `approve` or `reject`; `response`",
  },
} as const satisfies Record<string, RuntimeVerbSpec>;

export type RuntimeVerb = keyof typeof RUNTIME_VERBS;
