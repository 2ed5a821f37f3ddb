import { ANSWERED, effectTexts, getOwn, subjectOf } from "../../core/index.ts";
import type { HostName, JsonObject, Logger, Outcome } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import { askPerson } from "./ask-person.ts";
import { PendingQuestions } from "./pending-questions.ts";

/**
 * What becomes of a call that a hook wants approved, once a person has answered: it is allowed as the hooks left it, or
 * denied. Recorded in the audit log, with who answered. Never rejects.
 * @param until when its agent waits no longer, in milliseconds since 1970
 */
export async function answeredOutcome(
  agent: HostName,
  outcome: Outcome & { action: "continue" },
  orcs: Orcs,
  until: number,
  logger: Logger,
): Promise<Outcome> {
  const { ctx, inject, hook, reason, warnings } = outcome;
  const { payload } = ctx;
  const [tool, args] = [String(payload["tool_name"]), (payload["args"] ?? {}) as JsonObject];
  const [cwd, session] = [textOf(payload, "cwd"), textOf(payload, "session_id") ?? ""];
  const shown = orcs.shownArgs({ ...payload, tool_name: tool, args });
  const about = subjectOf({ tool_name: tool, args: shown }) ?? JSON.stringify(shown);
  const said = orcs.redact({
    tool,
    effects: [...effectTexts(orcs.effects(payload), cwd)],
    ...(reason !== undefined && { reason }),
  });
  const ways = orcs.settings.hil;
  const text = { ...said, about, args: shown, hook, agent, cwd, session, ways: ways.answer };
  const digest = PendingQuestions.digestOf(tool, args, cwd, { hook, reason });
  const answer = await askPerson({ text, digest, until }, ways, logger);
  const refusal = answer.approved ? undefined : answer.why;
  await orcs.answered({ ctx, tool, args, hook, reason }, refusal, answer.by);
  if (answer.approved) {
    return { ...outcome, decision: "allow", reason: `approved by ${answer.by}` };
  }
  const why = reason === undefined ? answer.why : `${answer.why}: ${reason}`;
  const told = warnings ? { warnings } : {};
  return { ctx, inject, ...told, action: "abort", hook: hook ?? ANSWERED, reason: why };
}

function textOf(payload: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = getOwn(payload, key);
  return typeof value === "string" ? value : undefined;
}
