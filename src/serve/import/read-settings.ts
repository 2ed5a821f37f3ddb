import { getNodeValue } from "jsonc-parser";
import { readJsonc } from "../install/jsonc-text.ts";
import { readSettingsFile, settingsError } from "../install/settings-file.ts";
import { settingsText } from "../install/settings-text.ts";

/**
 * The value of a host's settings, JSON with comments; undefined when there is no such file, or nothing in it.
 * @throws OrcsError ORCS7004
 */
export function readSettings(path: string): unknown {
  const { bytes } = readSettingsFile(path);
  try {
    const { root } = readJsonc(settingsText(bytes).text);
    // The parser's objects have no prototype, and look like no plain ones.
    return root && (structuredClone(getNodeValue(root)) as unknown);
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
}
