import type { Action } from "../core/actions.ts";
import type { Edit, Hook, Unread } from "../core/hook.ts";
import { jsonPointer } from "../core/json.ts";
import type { PointSpec } from "../core/points.ts";
import type { Logger } from "../core/ports.ts";
import { CONTINUE } from "./verdict.ts";

/** What a trace says of a hook that held on a command line that could not be read whole. */
export interface UnreadReport {
  /** Undefined where the hook held for what could be read. */
  readonly why: string | undefined;
  /** What it returned and does not count. */
  readonly dropped: readonly string[];
}

/** What of a hook's report counts. */
export interface Counted extends UnreadReport {
  readonly action: Action;
  readonly edits: readonly Edit[];
}

const NONE: readonly Edit[] = [];

/**
 * What counts of a hook that held on a command line that could not be read whole. Nobody knows whether the line is one
 * that the hook is about, so it may stop the operation or ask, and do nothing else. A hook that held for what could be
 * read counts as always, but for its `allow`: that would be one for the rest of the line, too. After the operation
 * nothing is dropped: what a hook changes there, it keeps from whoever called.
 */
export function countedOf(
  { id, point }: Hook,
  unread: Unread,
  action: Action,
  edits: readonly Edit[],
  logger: Logger,
): Counted {
  const counted = countedAt(point, unread, action, edits);
  if (counted.dropped.length > 0) {
    logger.warn(
      `hook ${id} at ${point.name}: ${counted.dropped.join(", ")} does not count, for orcs could not read the command line (${unread.why})`,
    );
  }
  return counted;
}

function countedAt(
  { phase }: PointSpec,
  { why, isMatch }: Unread,
  action: Action,
  edits: readonly Edit[],
): Counted {
  const allows = action.action === "continue" && action.decision === "allow";
  if (phase === "post") return { action, edits, why: isMatch ? undefined : why, dropped: [] };
  if (isMatch) {
    if (!allows) return { action, edits, why: undefined, dropped: [] };
    const { decision, reason: _, ...rest } = action;
    return { action: rest, edits, why: undefined, dropped: [decision ?? "allow"] };
  }
  const dropped = edits.map(({ path }) => jsonPointer(path));
  const said = `orcs could not read this command line (${why})`;
  const prefixed = (reason: string | undefined): string =>
    reason === undefined ? said : `${said}: ${reason}`;
  if (action.action === "abort") {
    return { action: { ...action, reason: prefixed(action.reason) }, edits: NONE, why, dropped };
  }
  if (action.action !== "continue") {
    return { action: CONTINUE, edits: NONE, why, dropped: [action.action, ...dropped] };
  }
  const { decision, reason, inject = [], stop } = action;
  if (inject.length > 0) dropped.unshift("inject");
  if (stop === true) dropped.unshift("stop");
  if (decision === undefined) return { action: CONTINUE, edits: NONE, why, dropped };
  if (allows) return { action: CONTINUE, edits: NONE, why, dropped: [decision, ...dropped] };
  const asked = { ...CONTINUE, decision, reason: prefixed(reason) };
  return { action: asked, edits: NONE, why, dropped };
}
