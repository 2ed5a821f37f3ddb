import type { HostName } from "../../core/index.ts";
import { mayHaveEntries, readHooksSection } from "./hooks-section.ts";
import { readSettingsFile, settingsText } from "./settings-file.ts";
import type { InstallContext } from "./plan.ts";
import { settingsPaths } from "./settings-places.ts";

/** The events for which the settings of the machine start orcs. */
export function machineEvents(
  host: HostName,
  { place, programs }: Pick<InstallContext, "place" | "programs">,
): ReadonlySet<string> {
  const events = settingsPaths(host, "machine", place).flatMap((path) => {
    try {
      const { bytes } = readSettingsFile(path);
      if (path.endsWith(".toml") || !mayHaveEntries(bytes)) return [];
      return readHooksSection(settingsText(bytes).text, host, programs).entries;
    } catch {
      // What cannot be read starts nothing; `orcs doctor` reports it.
      return [];
    }
  });
  return new Set(events.map(({ event }) => event));
}

/**
 * Notes about events that the settings of the machine start orcs for, too.
 * @param isLeft whether the events are left to the settings of the machine
 */
export function machineNotes(host: HostName, events: readonly string[], isLeft: boolean): string[] {
  if (events.length === 0) return [];
  const what = `${host}: the settings of this machine already start orcs at ${events.join(", ")}`;
  return [
    isLeft ? `${what}, so that no entry is needed there` : `${what}: hooks run twice there, here`,
  ];
}
