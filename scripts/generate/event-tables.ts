import { AGENT_TOOLS } from "../../src/core/agent-tools.ts";
import { HOST_NAMES, PLUGIN_AGENT_NAMES } from "../../src/core/hosts.ts";
import { getOwn } from "../../src/core/json.ts";
import { POINT_TABLE } from "../../src/core/point-table.ts";
import type { HostEvent } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { table } from "./table.ts";

type Rows = Readonly<Record<string, HostEvent>>;

const HOST_EVENTS = await Promise.all(
  HOST_NAMES.map(async (host) => [host, (await HOSTS[host].load()).events] as const),
);

/** The tables of events, `events-NAME`, and of tools, `tools-NAME`, of each agent, for its page. */
export const EVENT_PARTS: Readonly<Record<string, () => string>> = Object.fromEntries([
  ...HOST_EVENTS.map(([host, events]) => [`events-${host}`, () => eventTable(events)] as const),
  ...[...HOST_NAMES, ...PLUGIN_AGENT_NAMES].map((name) => [
    `tools-${name}`,
    () => toolTable(AGENT_TOOLS[name]),
  ]),
]);

function eventTable(events: Rows): string {
  const rows = Object.entries(events).map(([event, row]) => [
    event,
    `\`${row.point}\``,
    denial(row),
  ]);
  return table(["event", "point", "denial"], grouped(rows));
}

/** Whether a hook can deny it, or what happens instead. */
function denial({ point, limits, passes, refusable }: HostEvent): string {
  const { phase } = POINT_TABLE[point];
  const shorter = { shown: "no: its user is shown the reason", ignored: "no" };
  if (limits?.deny) return getOwn(shorter, limits.deny.effect) ?? limits.deny.what;
  if (passes) return "the agent continues";
  if (phase === "post") return "the reason replaces the result";
  return refusable && phase === "pre" ? "yes" : "no";
}

function toolTable(tools: (typeof AGENT_TOOLS)[keyof typeof AGENT_TOOLS]): string {
  const rows = Object.entries(tools).map(([name, { tool, keys }]) => {
    const renamed = Object.entries<readonly string[]>(keys).flatMap(([ours, theirs]) => {
      const others = theirs.filter((key) => key !== ours).map((key) => `\`${key}\``);
      return others.length === 0 ? [] : [`${others.join(", ")} → \`${ours}\``];
    });
    return [name, `\`${tool}\``, renamed.join("; ") || "unchanged"];
  });
  return table(["tool", "in orcs", "arguments"], grouped(rows));
}

/** Rows of which all but the first cell, a name, are the same become one. */
export function grouped(rows: readonly (readonly string[])[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const [name = "", ...rest] of rows) {
    const key = JSON.stringify(rest);
    groups.set(key, [...(groups.get(key) ?? []), `\`${name}\``]);
  }
  return [...groups].map(([key, names]) => [names.join(", ")].concat(JSON.parse(key) as string[]));
}
