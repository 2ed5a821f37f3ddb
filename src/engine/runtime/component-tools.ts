import { type Event, type JsonObject, lineageOf, OrcsError, type Tool } from "../../core/index.ts";
import { nameOf } from "./caller-identity.ts";
import type { BusMember, EventBus } from "./event-bus.ts";
import type { RuntimeHost } from "./runtime-host.ts";

/** The category of a request that is a call of a tool. Components cannot send it: it would pass by the tool's hooks. */
export const TOOL = "Tool";

/**
 * Offer the tools of a component. A call is a request to it, sent between the hooks of the tool. It runs with the
 * permissions of the component, not with those of the caller.
 * @returns withdraws them
 * @throws OrcsError ORCS6002 when a name is taken; none is offered then
 */
export function offerTools(
  names: readonly string[],
  member: BusMember,
  host: RuntimeHost,
  bus: EventBus,
): () => void {
  const withdrawals: (() => void)[] = [];
  const withdraw = (): void => {
    for (const each of withdrawals.splice(0)) each();
  };
  try {
    for (const name of names) withdrawals.push(host.tools.offer(toolOf(name, member, bus)));
    return withdraw;
  } catch (thrown) {
    withdraw();
    throw thrown;
  }
}

/**
 * A hook cannot make a call of a tool out of a request or an event, nor of another tool: it would pass by the hooks of
 * that tool.
 * @throws OrcsError ORCS6010
 */
export function expectSameTool(sent: Sent, left: Sent): void {
  if (sent.category !== TOOL && left.category !== TOOL) return;
  if (sent.category === left.category && sent.operation === left.operation) return;
  const why = `a hook changed which tool a request calls, or created such a call (category ${TOOL}); only its arguments can be changed`;
  throw new OrcsError("ORCS6010", why, { category: TOOL });
}

type Sent = Pick<Event, "category" | "operation">;

function toolOf(name: string, { key }: BusMember, bus: EventBus): Tool {
  return {
    name,
    capability: undefined,
    mainArg: "value",
    run(args: JsonObject, { signal, ctx, caller }) {
      const { component, child, instance, runtime } = caller;
      const source = nameOf({ component, child, instance });
      const sent = { category: TOOL, operation: name, source, target: key, payload: args };
      const { depth, metadata, principal } = ctx;
      // Whoever waits for the caller waits for the tool: a component cannot call its own while it is serving.
      const call = { depth, metadata, principal, via: runtime?.via ?? [] };
      return bus.request(sent, { ...call, lineage: lineageOf(caller) }, signal);
    },
  };
}
