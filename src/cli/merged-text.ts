import type { Merged, MergedKey } from "../host/check/check-print.ts";
import { printable, renderTable, shortened } from "./table.ts";

/** The merged settings and hooks as text: each key with its value and who says so. */
export function mergedText({ settings, hooks }: Merged): string {
  const parts = [keysText("settings", settings)];
  for (const { id, keys } of hooks) parts.push(keysText(`hook ${printable(id)}`, keys));
  return parts.join("\n\n");
}

function keysText(title: string, keys: readonly MergedKey[]): string {
  const rows = keys.map(({ key, value, origin, file, line }) => [
    key,
    shortened(printable(JSON.stringify(value)), 60),
    file === undefined ? origin : `${origin}, ${file}:${line ?? 1}`,
  ]);
  return renderTable([title, "value", "from"], rows);
}
