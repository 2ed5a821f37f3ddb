import type { HostName } from "../../core/hosts.ts";
import { getOwn, isPlainObject } from "../../core/json.ts";
import { HOST_SETTINGS } from "../install/settings-places.ts";

/** A hook as a host's settings name it. */
export interface HostHook {
  readonly event: string;
  readonly matcher: unknown;
  readonly entry: Readonly<Record<string, unknown>>;
  /** Switched off by the settings that it stands in. */
  readonly isOff: boolean;
}

/**
 * The hooks of settings, in their order.
 * @throws Error when the settings have another shape
 */
export function hostHooks(settings: unknown, host: HostName): HostHook[] {
  if (!isPlainObject(settings)) throw new Error("it is not an object");
  const hooks = getOwn(settings, "hooks");
  if (hooks === undefined) return [];
  if (!isPlainObject(hooks)) throw new Error("hooks is not an object");
  const isOff = switchedOff(settings);
  return Object.entries(hooks).flatMap(([event, list]) =>
    recordsOf(list).flatMap((element) => {
      const entries = HOST_SETTINGS[host].isGrouped
        ? recordsOf(getOwn(element, "hooks"))
        : [element];
      const matcher = getOwn(element, "matcher");
      return entries.map((entry) => ({ event, matcher, entry, isOff: isOff(entry) }));
    }),
  );
}

/** Claude Code has one switch for all, Gemini CLI one more, and a list of names and commands. */
function switchedOff(
  settings: Record<string, unknown>,
): (entry: Record<string, unknown>) => boolean {
  const config = getOwn(settings, "hooksConfig");
  const { enabled, disabled } = isPlainObject(config) ? config : {};
  const isAllOff = getOwn(settings, "disableAllHooks") === true || enabled === false;
  const names: readonly unknown[] = Array.isArray(disabled) ? disabled : [];
  return (entry) =>
    isAllOff ||
    [entry["name"], entry["command"]].some((name) => name !== undefined && names.includes(name));
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
