import { keptBefore } from "./entries.ts";
import { mayHaveEntries, readHooksSection } from "./hooks-section.ts";
import { hashOf, readRecord } from "./install-record.ts";
import type { InstallAround, InstallPlan, InstallTarget } from "./plan.ts";
import { readSettingsFile, settingsError } from "./settings-file.ts";
import { settingsText } from "./settings-text.ts";
import { takenOut } from "./taken-out.ts";

/**
 * What it takes to have settings as they were before orcs: byte for byte where nobody has changed them since,
 * else without its entries. Undefined where orcs is not installed.
 * @throws OrcsError ORCS7004 when the settings cannot be used
 */
export function planUninstall(
  target: InstallTarget,
  { records, programs }: InstallAround,
): InstallPlan | undefined {
  const { host, path } = target;
  const before = readSettingsFile(path);
  const record = readRecord(records, path);
  const same = { ...target, before, record: undefined, events: [], folders: [], notes: [] };
  if (!record && !mayHaveEntries(before.bytes)) return undefined;
  const folders = record?.folders ?? [];
  if (!before.bytes) return record && { ...same, after: undefined, folders };
  if (record && record.written === hashOf(before.bytes)) {
    return { ...same, after: record.original ?? undefined, folders };
  }
  try {
    const known = [...programs, ...(record ? [record.program] : [])];
    const { entries } = readHooksSection(settingsText(before.bytes).text, host, known);
    if (entries.length === 0) return record && { ...same, after: before.bytes };
    const kept = keptBefore(record, host);
    const after = takenOut({ bytes: before.bytes, host, record, programs: known, kept });
    return { ...same, after: after ?? undefined, folders: after ? [] : folders };
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
}
