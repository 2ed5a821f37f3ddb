import { keptBefore } from "./entries.ts";
import { mayHaveEntries, readHooksSection } from "./hooks-section.ts";
import { hashOf, readRecord } from "./install-record.ts";
import type { InstallAround, InstallPlan, InstallTarget } from "./plan.ts";
import { withoutOurEntries } from "./remove-entries.ts";
import { readSettingsFile, settingsError, settingsText } from "./settings-file.ts";
import { hasToken, withToken } from "./settings-token.ts";

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
    const after = withoutOurEntries({ bytes: before.bytes, host, record, programs: known, kept });
    return { ...same, after: after ?? undefined, folders: after ? [] : folders };
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
}

/**
 * What it takes to have another token in settings that hold one; undefined where they hold none.
 * @throws OrcsError ORCS7004 when the settings cannot be used
 */
export function planToken(
  target: InstallTarget,
  { records }: InstallAround,
  token: string,
): InstallPlan | undefined {
  const { host, path } = target;
  const before = readSettingsFile(path);
  const record = readRecord(records, path);
  if (before.bytes === undefined) return undefined;
  try {
    const { mark, text } = settingsText(before.bytes);
    if (!hasToken(text, host)) return undefined;
    const after = Buffer.from(mark + withToken(text, host, token));
    const isAsWritten = record?.written === hashOf(before.bytes);
    const written = record && isAsWritten ? { ...record, written: hashOf(after) } : record;
    return { ...target, before, after, record: written, events: [], folders: [], notes: [] };
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
}
