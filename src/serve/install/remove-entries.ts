import type { HostName } from "../../core/hosts.ts";
import { listPath, withoutEntries } from "./entries.ts";
import { propertyOf, readHooksSection, valueOf } from "./hooks-section.ts";
import type { InstallRecord } from "./install-record.ts";
import { remove } from "./jsonc.ts";
import { settingsText } from "./settings-file.ts";
import { HOST_SETTINGS } from "./settings-places.ts";
import { withoutToken } from "./settings-token.ts";

/** Settings with entries of orcs in them. */
interface Installed {
  readonly bytes: Buffer;
  readonly host: HostName;
  readonly record: InstallRecord | undefined;
  readonly programs: readonly string[];
  /** What was there before orcs, as `containersOf` gives it. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Settings without what orcs put in, where somebody has changed them since; null when nothing is left of a file
 * that was not there before.
 * @throws Error when the settings have another shape
 */
export function withoutOurEntries({
  bytes,
  host,
  record,
  programs,
  kept,
}: Installed): Buffer | null {
  const { mark, text } = settingsText(bytes);
  let after = withoutEntries(text, { host, programs, kept });
  after = withoutToken(after, host, kept);
  if (record) after = withoutTop(after, host, kept);
  if (record?.original === null && isBare(after, host)) return null;
  return Buffer.from(mark + after);
}

/** Without what orcs had to say at the top, unless somebody has added hooks since, which need it. */
function withoutTop(text: string, host: HostName, kept: ReadonlySet<string>): string {
  let after = text;
  for (const [key, value] of Object.entries(HOST_SETTINGS[host].top)) {
    const { doc, lists } = readHooksSection(after, host, []);
    const node = propertyOf(doc.root, key);
    const isNeeded = kept.has(key) || [...lists.keys()].some((event) => !kept.has(listPath(event)));
    if (node?.parent && valueOf(node) === value && !isNeeded) after = remove(doc, node.parent);
  }
  return after;
}

/** Whether settings say nothing. */
function isBare(text: string, host: HostName): boolean {
  const { doc } = readHooksSection(text, host, []);
  return doc.comments.length === 0 && (doc.root?.children ?? []).length === 0;
}
