import type { BatchRequest, ChildConfig, RequestOptions } from "../../../src/core/child.ts";
import type { LuaField, LuaParameter } from "../../../src/core/orcs-api.ts";
import type { GrantKind } from "../../../src/core/permission.ts";
import type { RuntimeVerb } from "../../../src/core/runtime-verbs.ts";

type Fields<Key extends string = string> = Readonly<Record<Key, LuaField>>;

/** What a verb takes and gives, for the Lua definitions. */
export interface VerbShape {
  /** In the order of `RUNTIME_VERBS`. */
  readonly params: readonly LuaParameter[];
  /** What its last argument may hold, when that is a table. */
  readonly options?: Fields;
  /** What it answers besides `ok` and `error`. */
  readonly answers: Fields;
}

const REQUEST_OPTIONS: Fields<Exclude<keyof RequestOptions, "signal">> = {
  category: maybe("string", "The category of the request; default Request."),
  timeout_ms: maybe("integer", "Milliseconds to wait for the response."),
};

const CHILD_CONFIG: Fields<keyof ChildConfig> = {
  id: must("string", "The child's id, unique among its siblings."),
  capabilities: maybe(
    "orcs.Capability[]",
    "The requested capabilities; default those of its parent.",
  ),
  script: maybe("string", "A Lua file under the script folders."),
  code: maybe("string", "Lua code, instead of a file."),
  options: maybe("table<string, any>", "Passed to the script as orcs.options."),
  timeout_ms: maybe("integer", "Time limit of one run in milliseconds."),
  elevated: maybe(
    "boolean",
    "false removes the parent's elevation; true is an error when the parent has none.",
  ),
};

const GRANT_OPTIONS: Fields<"kind"> = {
  kind: maybe(
    (["persistent", "one_time"] satisfies GrantKind[]).map((kind) => `"${kind}"`).join("|"),
    "The kind of the grant; default persistent.",
  ),
};

/** One of the requests of `request_batch`. */
export const BATCH_REQUEST: Fields<keyof BatchRequest> = {
  target: must("string", "The component, namespace::name."),
  operation: must("string", "The requested operation."),
  payload: maybe("any", "The request's payload."),
  ...REQUEST_OPTIONS,
};

/** Names, types and answers of the verbs. */
export const VERB_SHAPES: Readonly<Record<RuntimeVerb, VerbShape>> = {
  request: {
    params: [
      param("target", "string", "The component, namespace::name."),
      param("operation", "string", "The requested operation."),
      optional("payload", "any", "The request's payload."),
      optional("options", "orcs.RequestOptions", "Options of the request."),
    ],
    options: REQUEST_OPTIONS,
    answers: { response: must("any", "The response.") },
  },
  request_batch: {
    params: [param("requests", "orcs.BatchRequest[]", "The requests.")],
    answers: { results: must("orcs.RequestAnswer[]", "The result of each, in the same order.") },
  },
  emit_event: {
    params: [
      param("category", "string", "The event category."),
      param("operation", "string", "What happened."),
      optional("payload", "any", "The event's payload."),
    ],
    answers: { delivered: must("integer", "Number of subscribers that received it.") },
  },
  spawn_child: {
    params: [param("options", "orcs.SpawnChildOptions", "The child's configuration.")],
    options: CHILD_CONFIG,
    answers: {
      child_id: must("string", "The child's path."),
      capabilities: must("orcs.Capability[]", "The child's capabilities."),
      skipped: maybe("any", "The result that a hook returned instead of the child."),
    },
  },
  send_to_child: {
    params: [
      param("child_id", "string", "The child."),
      optional("input", "any", "The child's input."),
      optional("options", "orcs.SendToChildOptions", "Options of the call."),
    ],
    options: { wait: maybe("boolean", "false: do not wait for the result.") },
    answers: { result: must("any", "The child's result, unless wait is false.") },
  },
  stop_child: {
    params: [param("child_id", "string", "The child.")],
    answers: { stopped: must("boolean", "Whether the child existed.") },
  },
  check_command: {
    params: [param("command", "string", "The command line.")],
    answers: {
      status: must('"allowed"|"denied"|"requires_approval"', "The result of the check."),
      reason: maybe("string", "The reason why it is not allowed."),
      grant_pattern: maybe("string", "The grant that would allow it."),
      command: must("string", "The command, which hooks may have rewritten."),
    },
  },
  grant_command: {
    params: [
      param("pattern", "string", "The first words of the allowed commands."),
      optional("options", "orcs.GrantCommandOptions", "Options of the grant."),
    ],
    options: GRANT_OPTIONS,
    answers: {},
  },
  request_approval: {
    params: [
      param("operation", "string", "One word for what is to be done."),
      param("description", "string", "For the person who decides."),
    ],
    answers: { reason: maybe("string", "The reason of a denial.") },
  },
  send_signal: {
    params: [
      param("target", "string", "The component, namespace::name."),
      param("kind", "orcs.SignalKind", "The signal."),
      optional("options", "orcs.SendSignalOptions", "Options of the signal."),
    ],
    options: {
      reason: maybe("string", "The reason."),
      approval_id: maybe("string", "The question that approve and reject answer."),
    },
    answers: { response: must("orcs.SignalResponse", "The response.") },
  },
};

function must(type: string, doc: string): LuaField {
  return { type, doc };
}

function maybe(type: string, doc: string): LuaField {
  return { type, doc, optional: true };
}

function param(name: string, type: string, doc: string): LuaParameter {
  return { name, type, doc };
}

function optional(name: string, type: string, doc: string): LuaParameter {
  return { name, type, doc, optional: true };
}
