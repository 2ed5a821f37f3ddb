import { isUtf8 } from "node:buffer";

const MARK = "\uFEFF";

/** The text of settings, and whether a byte order mark stands in front of it. */
export interface SettingsText {
  readonly mark: string;
  readonly text: string;
}

/** @throws Error when the bytes are no UTF-8 */
export function settingsText(bytes: Buffer | undefined): SettingsText {
  if (bytes === undefined) return { mark: "", text: "" };
  if (!isUtf8(bytes)) throw new Error("it is not UTF-8");
  const text = bytes.toString("utf8");
  return text.startsWith(MARK) ? { mark: MARK, text: text.slice(1) } : { mark: "", text };
}
