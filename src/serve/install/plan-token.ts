import { hashOf, readRecord } from "./install-record.ts";
import type { InstallAround, InstallPlan, InstallTarget } from "./plan.ts";
import { readSettingsFile, settingsError } from "./settings-file.ts";
import { settingsText } from "./settings-text.ts";
import { hasToken, withToken } from "./settings-token.ts";

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
