import { getOwn, strongerDecision, stated } from "../core/index.ts";
import type { Caller, Lineage, Outcome } from "../core/index.ts";
import type { Orcs } from "../engine/index.ts";
import { changed, type DecodedEvent, type HostProtocol } from "../formats/index.ts";

/**
 * Run the hooks of an event, and those of each call that its command line makes: all of them can deny the event.
 * @throws OrcsError as `dispatch`
 */
export async function dispatchEvent(
  orcs: Orcs,
  protocol: HostProtocol,
  decoded: DecodedEvent,
  lineage: Lineage & Pick<Caller, "follows"> = {},
): Promise<Outcome> {
  let outcome = await dispatched(orcs, decoded, lineage);
  const read: Orcs["shell"] = (line, cwd, options) => orcs.shell(line, cwd, options);
  for (const call of protocol.callsWithin?.(decoded, outcome.ctx.payload, read) ?? []) {
    if (outcome.action !== "continue") break;
    // The result of the event, as its hooks left it.
    const own = getOwn(decoded.payload, "result");
    const result = changed(decoded.payload, outcome.ctx.payload, "result") ?? own;
    const event = { ...call, payload: { ...call.payload, ...stated({ result }) } };
    outcome = joined(outcome, event, await dispatched(orcs, event, lineage));
  }
  return outcome;
}

function dispatched(
  orcs: Orcs,
  { point, payload, component, child }: DecodedEvent,
  lineage: Lineage & Pick<Caller, "follows">,
): Promise<Outcome> {
  return orcs.dispatch(point, payload, { component, child, ...lineage });
}

/** The outcome of an event, with that of a call within it. */
function joined(
  outcome: Outcome & { action: "continue" },
  { payload }: DecodedEvent,
  within: Outcome,
): Outcome {
  const inject = [...outcome.inject, ...within.inject];
  const all = [...(outcome.warnings ?? []), ...(within.warnings ?? [])];
  const warnings = all.length > 0 ? { warnings: all } : {};
  if (within.action !== "continue") return { ...within, ctx: outcome.ctx, inject, ...warnings };
  if (changed(payload, within.ctx.payload, "args") !== undefined) {
    return { ...outcome, inject, ...warnings, action: "abort", ...REWRITTEN };
  }
  const result = changed(payload, within.ctx.payload, "result");
  const ctx =
    result === undefined
      ? outcome.ctx
      : { ...outcome.ctx, payload: { ...outcome.ctx.payload, result } };
  // Who allows a part has not allowed the line.
  const decision = within.decision === "allow" ? undefined : within.decision;
  const isStronger = strongerDecision(outcome.decision, decision) !== outcome.decision;
  const { action: _, ctx: __, inject: ___, trace: ____, warnings: _____, ...decided } = within;
  return { ...outcome, ctx, inject, ...warnings, ...(isStronger && decided) };
}

const REWRITTEN = {
  hook: "orcs:within",
  reason:
    "a hook has changed a patch that stands in a command line, where it cannot be replaced; use apply_patch as a tool",
};
