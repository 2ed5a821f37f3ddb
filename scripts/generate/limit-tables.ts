import type { Ability } from "../../src/core/abilities.ts";
import { ABILITIES, ABILITY_LABELS } from "../../src/core/abilities.ts";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { Limit } from "../../src/formats/host-limits.ts";
import { settingText } from "../../src/formats/host-limits.ts";
import type { HostProtocol } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { table } from "./table.ts";

/** The table of limits of each agent, `limits-NAME`, for its page. */
export const LIMIT_PARTS: Readonly<Record<string, () => string>> = Object.fromEntries(
  await Promise.all(
    HOST_NAMES.map(async (host) => {
      const { events } = await HOSTS[host].load();
      return [`limits-${host}`, () => limitTable(events)] as const;
    }),
  ),
);

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
