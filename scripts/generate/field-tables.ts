import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { HostFields } from "../../src/formats/host-fields.ts";
import { kindText } from "../../src/formats/host-fields.ts";
import type { HostProtocol } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { grouped } from "./event-tables.ts";
import { table } from "./table.ts";

/**
 * The tables of the fields of each agent's responses, for its page: `fields-NAME` of those that hooks set by name, if
 * there are any, and `own-fields-NAME` of all others, if they were compared.
 */
export const FIELD_PARTS: Readonly<Record<string, () => string>> = Object.fromEntries(
  (
    await Promise.all(
      HOST_NAMES.map(async (host) => {
        const protocol = await HOSTS[host].load();
        const settable = [`fields-${host}`, () => settableTable(protocol)] as const;
        const own = [`own-fields-${host}`, () => ownList(protocol)] as const;
        const { fields } = protocol;
        const hasOwn = fields.own.length + fields.unsent.length > 0;
        return [settable, own].filter((_, i) => (i === 0 ? fields.settable.length > 0 : hasOwn));
      }),
    )
  ).flat(),
);

function settableTable(protocol: HostProtocol): string {
  return table(
    ["field", "at", "value", "effect", "sent"],
    protocol.fields.settable.map(({ field, at, kind, when, doc }) => [
      `\`${field}\``,
      eventsText(at, protocol),
      typeof kind === "string" ? kindText(kind) : `\`${kindText(kind)}\``,
      doc,
      when ? `if ${when.text}` : "always",
    ]),
  );
}

function ownList(protocol: HostProtocol): string {
  const { own, unsent }: HostFields = protocol.fields;
  const pathOf = ({ field, place }: { field: string; place: readonly string[] }): string =>
    [...place, field].join(".");
  return grouped([
    ...own.map((row) => [pathOf(row), eventsText(row.at, protocol), row.by]),
    ...unsent.map((row) => [pathOf(row), eventsText(row.at, protocol), `not sent: ${row.why}`]),
  ])
    .map(([names, at, by]) => `- ${names} (${at}): ${by}`)
    .join("\n");
}

/** Events by name; of many, those that are missing. */
function eventsText(at: readonly string[], { events }: HostProtocol): string {
  const others = Object.keys(events).filter((event) => !at.includes(event));
  if (others.length === 0) return "every event";
  const isShorter = others.length < at.length / 2;
  const list = (isShorter ? others : at).map((event) => `\`${event}\``).join(", ");
  return isShorter ? `every event but ${list}` : list;
}
