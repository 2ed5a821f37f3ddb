import { INSTALL_COMMAND, POINT_TABLE } from "../../core/index.ts";
import { shownPath } from "../../machine/index.ts";
import { HOSTS, withNotice, type HostEvent, type HostProtocol } from "../../formats/index.ts";
import type { Scope } from "./settings-places.ts";

/** The response of an entry itself when orcs is missing or crashes. */
export interface Fallback {
  /** Whether it denies the event. */
  readonly denies: boolean;
  /** The stream of its text. */
  readonly stream: "stdout" | "stderr";
  /** One line. */
  readonly text: string;
  readonly code: 0 | 2;
}

/**
 * Whether an event is denied when no hook could be run: every event before an operation that the agent lets hooks deny.
 * Prompts, an agent that wants to stop, and events after an operation are not denied.
 */
export function isDeniedWithoutOrcs({ point, refusable, passes }: HostEvent): boolean {
  const isPre = POINT_TABLE[point].phase === "pre";
  return refusable && isPre && passes !== true && !NEVER_DENIED.has(point);
}

const NEVER_DENIED: ReadonlySet<string> = new Set(["prompt.pre_submit", "agent.pre_stop"]);

/** Whether an event asks whether a tool may be called. */
export function gatesToolCall({ point }: Pick<HostEvent, "point">): boolean {
  return point.startsWith("tool.pre_") || point === "auth.pre_check";
}

/**
 * The fallback of an entry, in the agent's protocol.
 * @param event the agent's name for it
 * @param hint what to do when orcs is missing
 */
export function fallbackOf(
  protocol: HostProtocol,
  event: string,
  row: HostEvent,
  hint = `to install it: ${installHint(protocol.name)}`,
): Fallback {
  const text = `orcs failed: ${CAUSES}; ${hint}`;
  if (!isDeniedWithoutOrcs(row)) {
    const silent = { output: undefined, code: 0, downgrades: [] };
    const way = protocol.noticeAt(event);
    const told = withNotice(silent, way, `${text}; no hook was run`);
    const { output, message, notice } = told;
    const code = told.code === 2 ? 2 : 0;
    return output === undefined
      ? { denies: false, stream: "stderr", text: message ?? notice ?? text, code }
      : { denies: false, stream: "stdout", text: JSON.stringify(output), code };
  }
  const denial = `${text}; until then this is denied`;
  const { output, code } = protocol.refuse(event, denial);
  // Exit code 2 denies tool calls in every agent, but not every kind of their questions. Source: protocols.md §1, §5.
  const isDeniedByExit =
    gatesToolCall(row) && !HOSTS[protocol.name].notDeniedByExit.includes(event);
  const byExit = code === 2 || output === undefined || isDeniedByExit;
  return byExit
    ? { denies: true, stream: "stderr", text: denial, code: 2 }
    : { denies: true, stream: "stdout", text: JSON.stringify(output), code: 0 };
}

const CAUSES = "it is not installed where this agent looks for it, or it crashed";

/** The command to run when orcs is missing. */
export function installHint(host: string): string {
  return `${INSTALL_COMMAND} && orcs install --host ${host}`;
}

/** What a user can do when it is missing for an entry in a file; in the settings of the machine: nothing alone. */
export function hintFor(scope: Scope, host: string, path: string): string | undefined {
  if (scope === "user")
    return `to install it: ${installHint(host)}; to do without it, its user deletes the entries that call orcs hook from ${shownPath(path)}`;
  return scope === "machine"
    ? `the settings of this machine require it, so its administrator has to install it again: sudo orcs install --machine --host ${host}`
    : undefined;
}
