import { bareMessage, capabilityNames, messageOf, OrcsError } from "../../core/index.ts";
import type {
  BatchRequest,
  ChildConfig,
  ChildContext,
  GrantKind,
  Json,
  JsonObject,
  RequestOptions,
  RuntimeVerb,
  SignalKind,
} from "../../core/index.ts";
import { checkedOptions } from "./check-input.ts";

type Arguments = readonly (Json | undefined)[];
export type VerbCall = [name: RuntimeVerb, args: Arguments, signal?: AbortSignal];
type Verb = (
  context: ChildContext,
  args: Arguments,
  signal: AbortSignal | undefined,
) => Promise<JsonObject>;

/** What each runtime function of scripts does, and its result besides `ok`. */
const VERBS: Readonly<Record<RuntimeVerb, Verb>> = {
  async request(context, [target, operation, payload, options], signal) {
    const more = { ...(checkedOptions("request", options) as RequestOptions), signal };
    const [to, what] = [target as string, operation as string];
    return { ok: true, response: await context.request(to, what, payload, more) };
  },
  async request_batch(context, [requests], signal) {
    const settled = await context.requestBatch(requests as unknown as BatchRequest[], { signal });
    const results = settled.map((each): JsonObject =>
      each.status === "fulfilled"
        ? { ok: true, response: each.value }
        : failure(each.reason as unknown),
    );
    return { ok: results.every(({ ok }) => ok === true), results };
  },
  async emit_event(context, [category, operation, payload]) {
    const delivered = await context.emit(category as string, operation as string, payload);
    return { ok: true, delivered };
  },
  async spawn_child(context, [config]) {
    const spawned = await context.spawnChild(config as unknown as ChildConfig);
    if ("skipped" in spawned) return { ok: true, skipped: spawned.skipped };
    const { child_id, capabilities } = spawned;
    return { ok: true, child_id, capabilities: capabilityNames(capabilities) };
  },
  async send_to_child(context, [id, input, options], signal) {
    const { wait = true } = checkedOptions("send_to_child", options) as { wait?: boolean };
    if (wait) return { ok: true, result: await context.runChild(id as string, input, { signal }) };
    context.sendToChild(id as string, input);
    return { ok: true };
  },
  async stop_child(context, [id]) {
    return { ok: true, stopped: await context.stopChild(id as string) };
  },
  async check_command(context, [command]) {
    const permission = await context.checkCommand(command as string);
    return { ok: permission.status === "allowed", ...permission };
  },
  async grant_command(context, [pattern, options]) {
    const { kind } = checkedOptions("grant_command", options) as { kind?: GrantKind };
    await context.grantCommand(pattern as string, kind);
    return { ok: true };
  },
  async request_approval(context, [operation, description]) {
    const answer = await context.requestApproval(operation as string, description as string);
    return answer.approved ? { ok: true } : { ok: false, reason: answer.reason };
  },
  async send_signal(context, [target, kind, options]) {
    const more = checkedOptions("send_signal", options);
    const response = await context.sendSignal(target as string, kind as SignalKind, more);
    return { ok: true, response };
  },
};

/** Call a runtime function for a script: denials and failures are returned, never thrown. */
export async function callRuntimeFunction(
  context: ChildContext,
  ...[name, args, signal]: VerbCall
): Promise<Json> {
  try {
    return await VERBS[name](context, args, signal);
  } catch (thrown) {
    return failure(thrown);
  }
}

function failure(thrown: unknown): JsonObject {
  if (!(thrown instanceof OrcsError)) return { ok: false, error: messageOf(thrown) };
  return { ok: false, error: bareMessage(thrown), code: thrown.code };
}
