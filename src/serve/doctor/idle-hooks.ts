import { compileFql, parseFql } from "../../core/fql.ts";
import type { Hook } from "../../core/hook.ts";
import type { HostName } from "../../core/hosts.ts";
import type { HostEvent } from "../../protocols/host.ts";
import { pointsWithout } from "../install/wanted-events.ts";
import { usedBy } from "../install/used-by.ts";
import type { IdleHook } from "./report.ts";

/** A host of which it is asked which hooks run at it. */
export interface HostOfHooks {
  readonly host: HostName;
  readonly events: Readonly<Record<string, HostEvent>>;
  /** Events that the host tells orcs of. */
  readonly told: ReadonlySet<string>;
}

/** The hooks that never run at a host, and why. */
export function idleHooks(hooks: readonly Hook[], host: HostOfHooks): IdleHook[] {
  const without = new Set(pointsWithout(usedBy(hooks), host.events).map(({ point }) => point));
  return hooks.flatMap((hook) => {
    const { id, point } = hook;
    const why = whyIdle(hook, without, host);
    return why === undefined ? [] : [{ id, point: point.name, why }];
  });
}

function whyIdle(
  { enabled, point, fql }: Hook,
  without: ReadonlySet<string>,
  { host, events, told }: HostOfHooks,
): string | undefined {
  if (!enabled) return "it is disabled";
  if (without.has(point.name)) return `${host} tells of nothing that is ${point.name}`;
  const pattern = parseFql(fql);
  const { child, instance, ...component } = pattern;
  if (!compileFql(component)({ component: `agent::${host}` })) {
    return `its fql ${fql} does not fit agent::${host}`;
  }
  if (instance !== undefined) return `its fql ${fql} names an instance, and hosts have none`;
  if (child !== undefined && host === "gemini") {
    return `its fql ${fql} names a child, and ${host} tells of none`;
  }
  const of = Object.keys(events).filter((event) => events[event]?.point === point.name);
  if (!of.some((event) => told.has(event))) return `no entry works at ${of.join(" or ")}`;
  return undefined;
}
