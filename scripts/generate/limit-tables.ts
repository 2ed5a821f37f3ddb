import { allowed, ENTRY_SECONDS } from "../../src/agents/install/wanted-events.ts";
import type { Ability } from "../../src/core/abilities.ts";
import { ABILITIES, ABILITY_LABELS } from "../../src/core/abilities.ts";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { Limit } from "../../src/formats/host-limits.ts";
import { settingText } from "../../src/formats/host-limits.ts";
import type { HostProtocol } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { table } from "./table.ts";

const EVENTS = await Promise.all(
  HOST_NAMES.map(async (host) => ({ host, events: (await HOSTS[host].load()).events })),
);

/** The table of limits of each agent, `limits-NAME`, for its page. */
export const LIMIT_PARTS: Readonly<Record<string, () => string>> = Object.fromEntries(
  EVENTS.map(({ host, events }) => [`limits-${host}`, () => limitTable(events)] as const),
);

/** How long each agent waits for the hooks before a tool, and with them for an answer. */
export function waitTable(): string {
  return table(
    ["agent", "waits by itself", "with the entry of orcs"],
    EVENTS.map(({ host, events }) => {
      const rows = Object.values(events).filter(({ point }) => point === "tool.pre_execute");
      const least = (values: readonly number[]): string => `${Math.min(...values) / 1000} s`;
      const entries = rows.map((row) => allowed(ENTRY_SECONDS, row) * 1000);
      const own = least(rows.map(({ timeoutMs }) => timeoutMs));
      return [HOSTS[host].label, own, least(entries)];
    }),
  );
}

function limitTable(all: HostProtocol["events"]): string {
  // What becomes of a denial is in the table of events.
  const rows = ABILITIES.filter((ability) => ability !== "deny").flatMap((ability) =>
    [...byText(all, ability)].map(([what, events]) => ({ ability, what, events })),
  );
  // What happens in the same way at the same events is one row.
  const merged = new Map<string, { labels: string[]; events: string; what: string }>();
  for (const { ability, what, events } of rows) {
    const key = JSON.stringify([what, events]);
    const row = merged.get(key);
    if (row) row.labels.push(ABILITY_LABELS[ability]);
    else merged.set(key, { labels: [ABILITY_LABELS[ability]], events: events.join(", "), what });
  }
  return table(
    ["a hook returns", "at", "what the agent does"],
    [...merged.values()].map(({ labels, events, what }) => [labels.join(", "), events, what]),
  );
}

function byText(all: HostProtocol["events"], ability: Ability): Map<string, string[]> {
  const events = new Map<string, string[]>();
  for (const [event, { limits }] of Object.entries(all)) {
    const limit = limits?.[ability];
    if (!limit) continue;
    const text = limitText(limit);
    events.set(text, [...(events.get(text) ?? []), `\`${event}\``]);
  }
  return events;
}

function limitText({ what, worksWithAllow, unless }: Limit): string {
  const condition = worksWithAllow ? "without `allow`: " : "";
  const other = unless
    ? `. With \`${settingText(unless.setting)}\`, ${unless.what.replace(/, as configured$/, "")}`
    : "";
  return `${condition}${what}${other}`;
}
