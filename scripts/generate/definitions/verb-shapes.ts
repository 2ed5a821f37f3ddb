import type { ChildConfig, RequestOptions } from "../../../src/core/child.ts";
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
  category: maybe("string", "What kind of request it is; default Request."),
  timeout_ms: maybe("integer", "Milliseconds to wait for the answer."),
};

const CHILD_CONFIG: Fields<keyof ChildConfig> = {
  id: must("string", "Its name among its siblings."),
  capabilities: maybe("orcs.Capability[]", "What it asks for; default all that its parent may."),
  script: maybe("string", "A Lua file under the script folders."),
  code: maybe("string", "Lua in place of a file."),
  options: maybe("table<string, any>", "For the script, as orcs.options."),
  timeout_ms: maybe("integer", "Milliseconds that one run may take."),
  elevated: maybe("boolean", "false takes its parent's elevation from it."),
};

const GRANT_OPTIONS: Fields<"kind"> = {
  kind: maybe(
    (["persistent", "one_time"] satisfies GrantKind[]).map((kind) => `"${kind}"`).join("|"),
    "How long it lasts; default persistent.",
  ),
};

/** Names, types and answers of the verbs. */
export const VERB_SHAPES: Readonly<Record<RuntimeVerb, VerbShape>> = {
  request: {
    params: [
      param("target", "string", "The component, namespace::name."),
      param("operation", "string", "What it is to do."),
      optional("payload", "any", "What it is asked with."),
      optional("options", "orcs.RequestOptions", "How to ask."),
    ],
    options: REQUEST_OPTIONS,
    answers: { response: must("any", "What it answered.") },
  },
  emit_event: {
    params: [
      param("category", "string", "What subscriptions name."),
      param("operation", "string", "What happened."),
      optional("payload", "any", "What there is to know of it."),
    ],
    answers: { delivered: must("integer", "How many were told.") },
  },
  spawn_child: {
    params: [param("options", "orcs.SpawnChildOptions", "What the child is made of.")],
    options: CHILD_CONFIG,
    answers: {
      child_id: must("string", "The child's path."),
      capabilities: must("orcs.Capability[]", "What it may do."),
      skipped: maybe("any", "What a hook answered in place of the child."),
    },
  },
  send_to_child: {
    params: [
      param("child_id", "string", "The child."),
      optional("input", "any", "What it is given."),
      optional("options", "orcs.SendToChildOptions", "Whether to wait."),
    ],
    options: { wait: maybe("boolean", "false: do not wait for its answer.") },
    answers: { result: must("any", "What it answered, when it was waited for.") },
  },
  stop_child: {
    params: [param("child_id", "string", "The child.")],
    answers: { stopped: must("boolean", "Whether there was one.") },
  },
  check_command: {
    params: [param("command", "string", "The command line.")],
    answers: {
      status: must('"allowed"|"denied"|"requires_approval"', "What the check came to."),
      reason: maybe("string", "Why it is not allowed."),
      grant_pattern: maybe("string", "What to grant so that it is."),
      command: must("string", "The command, which hooks may have rewritten."),
    },
  },
  grant_command: {
    params: [
      param("pattern", "string", "The first words of the commands."),
      optional("options", "orcs.GrantCommandOptions", "How long it lasts."),
    ],
    options: GRANT_OPTIONS,
    answers: {},
  },
  send_signal: {
    params: [
      param("target", "string", "The component, namespace::name."),
      param("kind", "orcs.SignalKind", "The signal."),
      optional("options", "orcs.SendSignalOptions", "What goes with it."),
    ],
    options: {
      reason: maybe("string", "Why."),
      approval_id: maybe("string", "Which question approve and reject answer."),
    },
    answers: { response: must("orcs.SignalResponse", "What it answered.") },
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
