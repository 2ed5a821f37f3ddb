import type {
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import {
  isJsonObject,
  messageOf,
  OrcsError,
  toJson,
  type Json,
  withTimeLimit,
} from "../../core/index.ts";
import type { OrcsSession } from "../../engine/index.ts";
import { CLAUDE_HOST_EVENTS, claudeCodeHost, claudeHostEvent } from "../../formats/index.ts";
import type { ClaudeHostEventName } from "../../formats/index.ts";

/** Options of `orcsHooks`. */
export interface OrcsHooksOptions {
  /**
   * The events that hooks see. Default: all of the SDK but `WorktreeCreate`, for which a callback has to create the
   * worktree, `FileChanged`, which needs a `matcher` with the files, and `MessageDisplay`, which is sent for every
   * piece of text.
   */
  readonly events?: readonly HookEvent[] | undefined;
  /** Time limit of one event in seconds. Default: that of Claude Code for the event. */
  readonly timeout?: number | undefined;
}

/** Share of the time limit for the hooks: after all of it, the SDK would continue without an answer. */
const HOOKS_SHARE = 0.9;

/** Longest timer of Node, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The hooks of a Claude agent: `query({ prompt, options: { hooks: orcsHooks(orcs) } })`. Events and answers are those
 * of
 * `orcs hook --host claude-code`: hooks see `Bash` as `exec`, `Write` as `write` with `path`, and so on. `ask` reaches
 * `canUseTool`. An event that can be denied is denied if its hooks fail or do not answer in time.
 * @param orcs the engine, or the session that the events belong to
 * @throws OrcsError ORCS1005 for an event that the SDK does not have
 */
export function orcsHooks(
  orcs: OrcsSession,
  { events = INSTALLED, timeout }: OrcsHooksOptions = {},
): Partial<Record<HookEvent, HookCallbackMatcher[]>> {
  const matchers = events.map((event): [HookEvent, HookCallbackMatcher[]] => {
    if (!Object.hasOwn(CLAUDE_HOST_EVENTS, event)) {
      throw new OrcsError("ORCS1005", `"${String(event)}" is no event of the Claude Agent SDK`, {});
    }
    const seconds = timeout ?? claudeHostEvent(event).timeoutMs / 1000;
    return [event, [{ hooks: [answering(orcs, seconds * 1000)], timeout: seconds }]];
  });
  return Object.fromEntries(matchers);
}

/** Events that get a callback unless `events` says otherwise. */
const INSTALLED = Object.entries(CLAUDE_HOST_EVENTS)
  .filter(([, { installed }]) => installed !== false)
  .map(([name]) => name as ClaudeHostEventName);

function answering(orcs: OrcsSession, limitMs: number): HookCallback {
  return async (input, _toolUseId, { signal }) => {
    try {
      const answer = answerOf(orcs, toJson(input, undefined, ["event"]), signal);
      const ms = limitMs * HOOKS_SHARE;
      const inTime = await withTimeLimit(Math.min(ms, MAX_TIMER_MS), answer);
      if (inTime) return inTime;
      const why = `its hooks took longer than the ${Math.round(ms)} ms that were left`;
      throw new OrcsError("ORCS7002", why);
    } catch (thrown) {
      const why =
        thrown instanceof OrcsError ? thrown.message : `orcs failed: ${messageOf(thrown)}`;
      return outputOf(claudeCodeHost.refuse(input.hook_event_name, orcs.redact(why)).output);
    }
  };
}

async function answerOf(
  orcs: OrcsSession,
  input: Json,
  signal: AbortSignal,
): Promise<HookJSONOutput> {
  if (!isJsonObject(input)) throw new OrcsError("ORCS7001", "the event is not an object", {});
  const decoded = claudeCodeHost.decode(input);
  const { point, payload, component, child } = decoded;
  const outcome = await orcs.dispatch(point, payload, { component, child, signal });
  const { output } = claudeCodeHost.encode(decoded, outcome, orcs.settings.hosts);
  return outputOf(output);
}

/** Its type is checked against that of the SDK by a test: here it is only known as JSON. */
function outputOf(output: object | undefined): HookJSONOutput {
  return { ...output };
}
